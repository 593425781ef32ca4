//! The first population of a step.

use super::Species;
use super::evolution::Member;
use xpuck_kernels::random::Draws;

/// A row of a project file: what a part takes of an earlier step. The file's comment names three numbers and its rows have
/// four; this reading fits them all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend {
    /// The part of the genome.
    pub part: usize,
    /// Which of the step's predecessors, from 0.
    pub from: usize,
    /// Share of the old population, its fittest, that is taken from; above 0 to 1.
    pub pool: f32,
    /// Share of the new population that is copies.
    pub copied: f32,
    /// Share of the new population that is copies mutated so often.
    pub mutated: f32,
    /// How often.
    pub times: u32,
}

/// Makes `size` genomes. Each part of each comes from the rows for it in turn, and is random beyond them. Parts of one genome
/// that are copies of the same step are copies of the same individual. `before` are the predecessors' populations, the
/// fittest first.
pub fn blend<S: Species>(
    species: &S,
    size: usize,
    rows: &[Blend],
    before: &[&[Member<S>]],
    draws: &mut Draws,
) -> Vec<S::Genome> {
    let mut genomes: Vec<S::Genome> = (0..size).map(|_| species.random(draws)).collect();
    let whole = |share: f32| (share * size as f32).round() as usize;
    for part in 0..species.parts() {
        let mut next = 0;
        for row in rows.iter().filter(|row| row.part == part) {
            let old = before.get(row.from).copied().unwrap_or(&[]);
            let pool = ((row.pool * old.len() as f32).ceil() as usize).clamp(1, old.len().max(1)).min(old.len());
            if pool == 0 {
                continue;
            }
            for (count, times) in [(whole(row.copied), 0), (whole(row.mutated), row.times)] {
                for i in 0..count.min(size - next) {
                    let genome = &mut genomes[next + i];
                    if species.copy(genome, part, &old[i % pool].genome) {
                        for _ in 0..times {
                            species.mutate_part(genome, part, draws);
                        }
                    }
                }
                next = (next + count).min(size);
            }
        }
    }
    genomes
}

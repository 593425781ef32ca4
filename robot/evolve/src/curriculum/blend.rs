//! Creation of the first population of a step.

use super::Species;
use super::evolution::Member;
use xpuck_kernels::random::Draws;

/// Row of a project file of Petrovic's program. A row defines which genomes of a new population get one of their parts
/// from an earlier step. The comment in the project file describes three numbers per row, but the rows have four. The
/// interpretation in the fields of this type fits all rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blend {
    /// Index of the genome part.
    pub part: usize,
    /// Index of the earlier step among the step's predecessors, from 0.
    pub from: usize,
    /// Fittest share of the earlier step's population (> 0 and <= 1). The part is copied only from individuals in this
    /// share.
    pub pool: f32,
    /// Share of the new population that gets an unchanged copy of the part (0 to 1).
    pub copied: f32,
    /// Share of the new population that gets a mutated copy of the part (0 to 1).
    pub mutated: f32,
    /// Number of mutations of each mutated copy.
    pub times: u32,
}

/// Creates `size` genomes. For each part, the rows are applied in order, and each row sets the part in the next
/// genomes. The part is random in genomes that no row reaches. `before` contains the populations of the predecessors,
/// the fittest individual first.
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

use super::*;
use crate::primitive_set::PrimitiveSet;
use crate::settings::{Algorithm, Settings};
use std::collections::BTreeMap;

fn document() -> FamilySettings {
    FamilySettings::document()
}

/// Species of bit strings. Each test defines the fitness of its bit strings.
struct Strings;

impl Species for Strings {
    type Genome = u32;

    fn founder(&self, draws: &mut Draws) -> u32 {
        draws.word() & draws.word() & draws.word()
    }

    fn mutate(&self, parent: &u32, draws: &mut Draws) -> u32 {
        parent ^ 1 << draws.below(32)
    }

    fn cross(&self, mother: &u32, father: &u32, draws: &mut Draws) -> Option<u32> {
        let mask = draws.word();
        Some(mother & mask | father & !mask)
    }

    fn cell(&self, genome: &u32) -> Cell {
        Cell(vec![(genome & 3) as u16])
    }

    fn likeness(&self, genome: &u32) -> Similarity {
        Similarity { form: (genome >> 24).to_string(), size: (genome >> 16 & 0xff) as usize }
    }
}

fn ones(genome: &u32) -> f64 {
    f64::from(genome.count_ones())
}

fn step(population: &mut FamilyPopulation<u32>) {
    let fitness: Vec<f64> = population.unevaluated().map(|one| ones(&one.genome)).collect();
    population.record_and_breed(&Strings, &fitness);
}

fn families(population: &FamilyPopulation<u32>) -> BTreeMap<Family, usize> {
    let mut counts = BTreeMap::new();
    for one in population.members().iter().filter(|one| one.fitness.is_some()) {
        *counts.entry(one.family).or_default() += 1;
    }
    counts
}

#[test]
fn family_share_is_kept_and_best_survives() {
    let settings = document();
    let mut population = FamilyPopulation::new(settings.clone(), &Strings, 0, 7);
    assert_eq!(population.unevaluated().count(), 20);
    let mut best = 0.0;
    for generation in 1..=30 {
        step(&mut population);
        let found = population.best().and_then(|one| one.fitness).unwrap_or(0.0);
        assert!(found >= best);
        best = found;
        assert_eq!(population.generation(), generation);
        let counts = families(&population);
        assert!(counts.values().all(|count| *count <= 3), "{counts:?}");
        let survivors: usize = counts.values().sum();
        assert!(survivors <= settings.survivors());
        let waiting = population.unevaluated().count();
        assert_eq!(waiting, 5 * survivors + 20 - survivors, "five children of each, and founders");
    }
    assert!(best >= 28.0, "{best}");
}

#[test]
fn published_sharing_limits_family_to_two() {
    let settings = FamilySettings { sharing: Sharing::Published, ..document() };
    let mut population = FamilyPopulation::new(settings, &Strings, 0, 7);
    for _ in 0..12 {
        step(&mut population);
        let counts = families(&population);
        assert!(counts.values().all(|count| *count <= 2), "{counts:?}");
        let mut children: BTreeMap<Family, usize> = BTreeMap::new();
        for child in population.unevaluated().filter(|one| !one.parents.is_empty()) {
            *children.entry(child.family).or_default() += 1;
        }
        assert!(children.values().all(|count| *count <= 5), "{children:?}");
    }
}

#[test]
fn saved_population_resumes_bit_for_bit() {
    let settings = FamilySettings { crossover: 0.5, cells: Some(3), ..document() };
    let mut population = FamilyPopulation::new(settings, &Strings, 2, 11);
    (0..5).for_each(|_| step(&mut population));
    let saved = postcard::to_stdvec(&population).unwrap();
    let mut resumed: FamilyPopulation<u32> = postcard::from_bytes(&saved).unwrap();
    (0..5).for_each(|_| step(&mut population));
    (0..5).for_each(|_| step(&mut resumed));
    assert_eq!(population, resumed);
    assert!(population.members().iter().any(|one| one.parents.len() == 2));
}

#[test]
fn migrant_is_rejected_if_known_or_worst() {
    let settings = document();
    let (mut one, mut two) =
        (FamilyPopulation::new(settings.clone(), &Strings, 0, 1), FamilyPopulation::new(settings, &Strings, 1, 1));
    for population in [&mut one, &mut two] {
        let fitness: Vec<f64> = population.unevaluated().map(|one| ones(&one.genome)).collect();
        population.record(&Strings, &fitness);
    }
    let best = one.best().unwrap().clone();
    let before = two.best().unwrap().fitness;
    assert!(two.immigrate(best.clone()));
    assert!(!two.immigrate(best.clone()), "its family is known here");
    assert!(two.best().unwrap().fitness >= before);
    let guest = two.members().iter().find(|m| m.family == best.family).unwrap();
    assert_eq!((guest.fitness, guest.operator), (best.fitness, Operator::Migration));
    let hopeless = FamilyMember { family: Family(9, 9), fitness: Some(-1.0), ..best.clone() };
    assert!(!two.immigrate(hopeless));
    assert!(!two.immigrate(FamilyMember { fitness: None, ..best }), "its fitness is not known");
    let fitness_known = two.members().iter().filter(|m| m.fitness.is_some()).count();
    assert_eq!(fitness_known, 17);
}

#[test]
fn archive_keeps_best_per_cell_and_warns() {
    let settings = FamilySettings { cells: Some(8), ..document() };
    let mut population = FamilyPopulation::new(settings, &Strings, 0, 3);
    assert_eq!(population.archive().unwrap().notice(), None);
    (0..10).for_each(|_| step(&mut population));
    let archive = population.archive().unwrap();
    assert_eq!((archive.cells().len(), archive.notice()), (4, None));
    for (cell, one) in archive.cells() {
        assert_eq!(cell, &Strings.cell(&one.genome));
    }
    let mut one = population.best().unwrap().clone();
    let mut constant = Archive::new(8);
    constant.add(Cell(vec![1]), &one);
    constant.add(Cell(vec![1]), &one);
    assert!(constant.notice().unwrap().contains("the same for all"));
    let mut small = Archive::new(2);
    for kind in 0..3 {
        one.fitness = Some(f64::from(kind));
        small.add(Cell(vec![kind]), &one);
    }
    let kinds: Vec<u16> = small.cells().iter().map(|(cell, _)| cell.0[0]).collect();
    assert_eq!(kinds, [1, 2], "the least fit kind gave way");
    assert!(small.notice().unwrap().contains("full with 2 cells"));
}

#[test]
fn nan_fitness_counts_as_lowest() {
    let mut population = FamilyPopulation::new(document(), &Strings, 0, 5);
    let mut fitness = vec![f64::NAN; 20];
    fitness[4] = 1.0;
    population.record(&Strings, &fitness);
    assert_eq!(population.best().unwrap().id, 4);
    assert!(population.members().iter().skip(1).all(|one| one.fitness == Some(f64::NEG_INFINITY)));
}

#[test]
fn settings_out_of_range_are_named() {
    let wrong = FamilySettings { newcomers: 20, ..document() };
    assert_eq!(wrong.check(), Err("newcomers = 20: it must be 0 to 19".into()));
    assert_eq!(FamilySettings::default().check(), Ok(()));
}

#[test]
fn behaviour_trees_evolve_by_families() {
    let trees = Trees { primitive_set: PrimitiveSet::in_swarm(), settings: Settings::for_algorithm(Algorithm::Racing) };
    let settings = FamilySettings { crossover: 0.3, cells: Some(64), ..document() };
    let mut population = FamilyPopulation::new(settings, &trees, 0, 5);
    // Fitness is the number of nodes. Founders are much smaller than the node limit, so the fitness can increase.
    let size = |genotype: &crate::Genotype| trees.space().tree(genotype).nodes().len() as f64;
    let mut curve = Vec::new();
    for _ in 0..10 {
        let fitness: Vec<f64> = population.unevaluated().map(|one| size(&one.genome)).collect();
        population.record_and_breed(&trees, &fitness);
        curve.push(population.best().and_then(|one| one.fitness).unwrap_or(0.0));
    }
    assert!(curve[9] > curve[0] + 10.0, "{curve:?}");
    assert!(population.archive().unwrap().cells().len() > 10);
}

#[test]
fn hurdles_are_least_fitness_of_full_groups() {
    let settings = FamilySettings { per_form: 2, per_size: 3, crossover: 0.5, ..document() };
    let mut population = FamilyPopulation::new(settings.clone(), &Strings, 0, 9);
    assert!(population.hurdles(&Strings).iter().all(Option::is_none), "nobody has survived yet");
    for _ in 0..20 {
        step(&mut population);
        let known: Vec<_> = population.members().iter().filter(|one| one.fitness.is_some()).cloned().collect();
        let likeness: Vec<Similarity> = known.iter().map(|one| Strings.likeness(&one.genome)).collect();
        let count = |same: &dyn Fn(&Similarity) -> bool| likeness.iter().filter(|one| same(one)).count();
        for one in &likeness {
            assert!(count(&|other| other.form == one.form) <= 2 && count(&|other| other.size == one.size) <= 3);
        }
        for (one, hurdle) in population.unevaluated().zip(population.hurdles(&Strings)) {
            let alike = Strings.likeness(&one.genome);
            let least = |most: usize, same: &dyn Fn(&FamilyMember<u32>, &Similarity) -> bool| {
                let group: Vec<f64> = known
                    .iter()
                    .zip(&likeness)
                    .filter(|(other, likeness)| same(other, likeness))
                    .map(|(other, _)| other.worth())
                    .collect();
                (group.len() >= most).then(|| group.into_iter().fold(f64::INFINITY, f64::min))
            };
            let expected = [
                least(settings.survivors(), &|_, _| true),
                least(3, &|other, _| other.family == one.family),
                least(2, &|_, likeness| likeness.form == alike.form),
                least(3, &|_, likeness| likeness.size == alike.size),
            ];
            assert_eq!(hurdle, expected.into_iter().flatten().reduce(f64::max));
        }
    }
}

//! Groups of similar individuals with a limited number of survivors each.

use super::settings::{FamilySettings, Sharing};
use super::{Family, Similarity};
use std::collections::BTreeMap;

/// Number of members of a group, and the least fitness of the members.
#[derive(Clone, Copy)]
struct Group {
    count: usize,
    least: f64,
}

/// Groups of the survivors. The caller adds survivors in the order of descending fitness.
pub(super) struct Niches {
    /// Maximum number of survivors: in total, per family, per form and per size.
    most: [usize; 4],
    all: Group,
    families: BTreeMap<Family, Group>,
    forms: BTreeMap<String, Group>,
    sizes: BTreeMap<usize, Group>,
}

const EMPTY: Group = Group { count: 0, least: f64::INFINITY };

impl Group {
    fn add(&mut self, worth: f64) {
        self.count += 1;
        self.least = self.least.min(worth);
    }
}

impl Niches {
    pub fn new(settings: &FamilySettings) -> Niches {
        let share = settings.share();
        let of_family = match settings.sharing {
            Sharing::Counted => share,
            // The published pyro-corpus program counts each member twice, and accepts members until the count exceeds
            // the share.
            Sharing::Published => share / 2 + 1,
        };
        Niches {
            most: [settings.survivors(), of_family, settings.per_form, settings.per_size],
            all: EMPTY,
            families: BTreeMap::new(),
            forms: BTreeMap::new(),
            sizes: BTreeMap::new(),
        }
    }

    fn groups(&self, family: Family, likeness: &Similarity) -> [Group; 4] {
        let of = |group: Option<&Group>| group.copied().unwrap_or(EMPTY);
        let Similarity { form, size } = likeness;
        [self.all, of(self.families.get(&family)), of(self.forms.get(form)), of(self.sizes.get(size))]
    }

    /// Returns whether all groups of an individual with these properties have room for it.
    pub fn has_room(&self, family: Family, likeness: &Similarity) -> bool {
        self.groups(family, likeness).iter().zip(self.most).all(|(group, most)| group.count < most)
    }

    pub fn add(&mut self, family: Family, likeness: Similarity, worth: f64) {
        self.all.add(worth);
        self.families.entry(family).or_insert(EMPTY).add(worth);
        self.forms.entry(likeness.form).or_insert(EMPTY).add(worth);
        self.sizes.entry(likeness.size).or_insert(EMPTY).add(worth);
    }

    /// Returns the fitness that an individual with these properties must exceed to survive. It must exceed the least
    /// fitness in each of its groups that is full. `None` if no group is full.
    pub fn hurdle(&self, family: Family, likeness: &Similarity) -> Option<f64> {
        let full =
            self.groups(family, likeness).into_iter().zip(self.most).filter(|(group, most)| group.count >= *most);
        full.map(|(group, _)| group.least).reduce(f64::max)
    }
}

//! Groups of individuals that are alike, of each of which a few survive.

use super::settings::{FamilySettings, Sharing};
use super::{Family, Likeness};
use std::collections::BTreeMap;

/// How many there are of a group, and the least fitness among them.
#[derive(Clone, Copy)]
struct Group {
    count: usize,
    least: f64,
}

/// The groups of those that survive, who come the fittest first.
pub(super) struct Niches {
    /// Most of all, of a family, of a form and of a size.
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
            // The program counts both names of each, which are equal, and asks whether there are more than the share.
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

    fn groups(&self, family: Family, likeness: &Likeness) -> [Group; 4] {
        let of = |group: Option<&Group>| group.copied().unwrap_or(EMPTY);
        let Likeness { form, size } = likeness;
        [self.all, of(self.families.get(&family)), of(self.forms.get(form)), of(self.sizes.get(size))]
    }

    /// Whether there is room for one more of these.
    pub fn has_room(&self, family: Family, likeness: &Likeness) -> bool {
        self.groups(family, likeness).iter().zip(self.most).all(|(group, most)| group.count < most)
    }

    pub fn add(&mut self, family: Family, likeness: Likeness, worth: f64) {
        self.all.add(worth);
        self.families.entry(family).or_insert(EMPTY).add(worth);
        self.forms.entry(likeness.form).or_insert(EMPTY).add(worth);
        self.sizes.entry(likeness.size).or_insert(EMPTY).add(worth);
    }

    /// The least fitness of the groups of this one that have no room, the greatest of them; `None` if all have room.
    pub fn hurdle(&self, family: Family, likeness: &Likeness) -> Option<f64> {
        let full =
            self.groups(family, likeness).into_iter().zip(self.most).filter(|(group, most)| group.count >= *most);
        full.map(|(group, _)| group.least).reduce(f64::max)
    }
}

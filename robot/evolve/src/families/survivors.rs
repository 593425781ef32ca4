//! Who survives a generation.

use super::settings::{FamilySettings, Sharing};
use super::{Family, Relative};
use std::collections::BTreeMap;

/// The fittest first, the older of equals, of each family no more than its share. Where that leaves places empty, new founders
/// take them: a family's fourth is worth less to the search than a new one.
pub(super) fn survivors<G>(mut pool: Vec<Relative<G>>, settings: &FamilySettings) -> Vec<Relative<G>> {
    pool.sort_by(|a, b| b.worth().total_cmp(&a.worth()).then(a.id.cmp(&b.id)));
    let mut counts: BTreeMap<Family, usize> = BTreeMap::new();
    let share = settings.share();
    let mut kept = 0;
    pool.retain(|one| {
        let count = counts.entry(one.family).or_default();
        let admitted = match settings.sharing {
            Sharing::Counted => *count < share,
            // The program counts both names of each, which are equal, and asks whether there are more than the share.
            Sharing::Published => *count <= share,
        };
        if !admitted || kept >= settings.survivors() {
            return false;
        }
        *count += if settings.sharing == Sharing::Published { 2 } else { 1 };
        kept += 1;
        true
    });
    pool
}

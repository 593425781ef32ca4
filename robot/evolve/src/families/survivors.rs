//! Who survives a generation.

use super::niches::Niches;
use super::settings::FamilySettings;
use super::{Relative, Species};

/// The fittest first, the older of equals, of each family, form and size no more than its share. Where that leaves places empty,
/// new founders take them: a family's fourth is worth less to the search than a new one.
pub(super) fn survivors<S: Species>(
    species: &S,
    mut pool: Vec<Relative<S::Genome>>,
    settings: &FamilySettings,
) -> Vec<Relative<S::Genome>> {
    pool.sort_by(|a, b| b.worth().total_cmp(&a.worth()).then(a.id.cmp(&b.id)));
    let mut niches = Niches::new(settings);
    pool.retain(|one| {
        let likeness = species.likeness(&one.genome);
        let stays = niches.has_room(one.family, &likeness);
        if stays {
            niches.add(one.family, likeness, one.worth());
        }
        stays
    });
    pool
}

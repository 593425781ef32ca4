//! Selection of the survivors of a generation.

use super::niches::Niches;
use super::settings::FamilySettings;
use super::{FamilyMember, Species};

/// Returns the fittest individuals of `pool` within the limits per family, form and size. Of individuals with equal
/// fitness, the older one has priority. The caller fills the remaining places with new founders, because a new family
/// helps the search more than another member of a known family.
pub(super) fn survivors<S: Species>(
    species: &S,
    mut pool: Vec<FamilyMember<S::Genome>>,
    settings: &FamilySettings,
) -> Vec<FamilyMember<S::Genome>> {
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

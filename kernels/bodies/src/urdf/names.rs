//! Names of parts and joints in URDF and NNDF files. The names of pyro-corpus begin with a digit. A dialect may add a
//! letter as prefix.

use super::Dialect;
use crate::Plan;

impl Dialect {
    /// Returns the prefix of part names in this dialect.
    pub(crate) fn prefix(self) -> &'static str {
        if self == Dialect::Simulators { PREFIX } else { "" }
    }
}

/// Prefix of part names in files for other simulators.
pub(crate) const PREFIX: &str = "p";

/// Removes the prefix from the name of a part.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// Returns the name of the joint between a part and its parent in a dialect; `None` for the root.
pub(crate) fn joint_name(plan: &Plan, index: usize, dialect: Dialect) -> Option<String> {
    let parent = plan.parts()[index].parent?;
    let prefix = dialect.prefix();
    Some(format!("{prefix}{}_{prefix}{}", plan.parts()[parent].name, plan.parts()[index].name))
}

/// Removes the prefixes from a joint's name, which consists of two part names.
pub(crate) fn bare_joint(name: &str) -> String {
    name.split('_').map(bare).collect::<Vec<_>>().join("_")
}

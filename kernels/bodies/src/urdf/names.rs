//! Names of parts and joints: pyro-corpus's names, which begin with a digit, optionally with a letter as prefix.

use super::Dialect;
use crate::Plan;

impl Dialect {
    /// Prefix of part names.
    pub(crate) fn prefix(self) -> &'static str {
        if self == Dialect::Simulators { PREFIX } else { "" }
    }
}

/// Prefix of part names for other simulators.
pub(crate) const PREFIX: &str = "p";

/// Removes the prefix from the name of a part.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// Name of a joint in a dialect; `None` for the root.
pub(crate) fn joint_name(plan: &Plan, index: usize, dialect: Dialect) -> Option<String> {
    let parent = plan.parts()[index].parent?;
    let prefix = dialect.prefix();
    Some(format!("{prefix}{}_{prefix}{}", plan.parts()[parent].name, plan.parts()[index].name))
}

/// Removes the prefixes from the name of a joint, which consists of two part names.
pub(crate) fn bare_joint(name: &str) -> String {
    name.split('_').map(bare).collect::<Vec<_>>().join("_")
}

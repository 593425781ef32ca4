//! Names of parts and joints: pyro-corpus's, which begin with a digit, or with a letter in front.

use super::Dialect;
use crate::Plan;

impl Dialect {
    /// What names of parts begin with.
    pub(crate) fn prefix(self) -> &'static str {
        if self == Dialect::Simulators { PREFIX } else { "" }
    }
}

/// What names of parts begin with for simulators of others.
pub(crate) const PREFIX: &str = "p";

/// The name of a part without that.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_prefix(PREFIX).unwrap_or(name)
}

/// The name of a joint in a dialect.
pub(crate) fn joint_name(plan: &Plan, index: usize, dialect: Dialect) -> Option<String> {
    let parent = plan.parts()[index].parent?;
    let prefix = dialect.prefix();
    Some(format!("{prefix}{}_{prefix}{}", plan.parts()[parent].name, plan.parts()[index].name))
}

/// The same of a joint, whose name is made of two.
pub(crate) fn bare_joint(name: &str) -> String {
    name.split('_').map(bare).collect::<Vec<_>>().join("_")
}

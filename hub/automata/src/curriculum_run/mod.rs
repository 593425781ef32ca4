//! Run of a curriculum of automata or trees ([`crate::scenario`]), and its folder.

mod again;
mod cache;
mod draw;
mod folder;
mod kept;
mod outcome;
mod picture;
mod plan;
mod run;

pub use again::Reevaluation;
pub use cache::Cache;
pub use folder::{Folder, Resumed};
pub use kept::SavedKind;
pub use outcome::{Fresh, Outcome, StepOutcome};
pub use picture::picture;
pub use plan::{MAX_CURRICULUM, Plan, PlanError, is_project};
pub use run::{RunEvent, run};

//! Run of a curriculum ([`crate::scenario`]) of automata or trees, and the folder of the run.

mod cache;
mod controller_kind;
mod draw;
mod folder;
mod outcome;
mod picture;
mod plan;
mod reevaluation;
mod run;

pub use cache::Cache;
pub use controller_kind::SavedKind;
pub use folder::{Folder, Resumed};
pub use outcome::{Fresh, Outcome, StepOutcome};
pub use picture::picture;
pub use plan::{MAX_CURRICULUM, Plan, PlanError, is_project};
pub use reevaluation::Reevaluation;
pub use run::{RunEvent, run};

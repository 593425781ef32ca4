//! Trials: repeated runs of one tree on real robots, and comparison with simulation (thesis 7.4.4, Table 7.8).

mod comparison;
mod figure;
mod folder;
mod starts;
mod watch;

pub use comparison::{Compared, compare};
pub use figure::draw;
pub use folder::{Settings, Trial, Trials, TrialsError, open};
pub use starts::{frisbee_is_placed, starts};
pub use watch::{Discard, Watch};

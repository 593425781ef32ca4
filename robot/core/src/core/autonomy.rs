//! Permissions, with time limits, to evolve and to drive while the hub is silent. Driving requires permission by both
//! the experiment and the robot's own file.

use xpuck_experiment::Silence;

/// Permissions to continue without the hub.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SilencePermissions {
    /// Maximum driving time that the robot's own file allows (s).
    allowed: f64,
    /// Time until which the robot may drive (s).
    drives_until: Option<f64>,
    /// Time until which evolution may continue (s).
    evolves_until: Option<f64>,
}

impl SilencePermissions {
    /// Sets the maximum driving time without the hub (s).
    pub(super) fn allow(&mut self, seconds: f64) {
        self.allowed = seconds;
    }

    /// Maximum driving time without the hub (s).
    pub(super) fn allowed(&self) -> f64 {
        self.allowed
    }

    /// Starts the permissions for a silence since `since` (s), in a run whose experiment lasts `seconds`.
    pub(super) fn begin(&mut self, since: f64, silence: &Silence, seconds: f64) {
        let drives = silence.drives(self.allowed);
        self.drives_until = (drives > 0.0).then_some(since + drives);
        self.evolves_until = Some(since + seconds);
    }

    /// Ends the permissions, when the hub issues a directive or the robot stops.
    pub(super) fn end(&mut self) {
        (self.drives_until, self.evolves_until) = (None, None);
    }

    /// Whether the robot started to drive alone and has not been stopped.
    pub(super) fn is_driving(&self) -> bool {
        self.drives_until.is_some()
    }

    /// Whether the robot may drive alone at `now` (s).
    pub(super) fn drives(&self, now: f64) -> bool {
        self.drives_until.is_some_and(|until| now <= until)
    }

    /// Ends driving alone; returns whether it was active.
    pub(super) fn stop_driving(&mut self) -> bool {
        self.drives_until.take().is_some()
    }

    /// Ends evolution if its time limit is reached; returns whether this call ended it.
    pub(super) fn stop_evolving(&mut self, now: f64) -> bool {
        self.evolves_until.take_if(|until| now > *until).is_some()
    }
}

//! Permissions to evolve and to drive while the hub is silent, with time limits. Both the experiment and the robot's
//! own file must permit driving.

use xpuck_experiment::Silence;

/// Permissions to continue while the hub is silent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SilencePermissions {
    /// Maximum driving time while the hub is silent, from the robot's own file (s).
    allowed: f64,
    /// Time until which the robot may drive without the hub (s); `None`: the robot may not.
    drives_until: Option<f64>,
    /// Time until which evolution may continue without the hub (s); `None`: no time limit applies at present.
    evolves_until: Option<f64>,
}

impl SilencePermissions {
    /// Sets the maximum driving time that the robot's own file allows (s).
    pub(super) fn allow(&mut self, seconds: f64) {
        self.allowed = seconds;
    }

    /// Returns the maximum driving time that the robot's own file allows (s).
    pub(super) fn allowed(&self) -> f64 {
        self.allowed
    }

    /// Starts the permissions at the time `since` (s) in a silence of the hub. `silence` contains the rules of the
    /// experiment. `seconds` is the duration of the experiment, which limits evolution.
    pub(super) fn begin(&mut self, since: f64, silence: &Silence, seconds: f64) {
        let drives = silence.drives(self.allowed);
        self.drives_until = (drives > 0.0).then_some(since + drives);
        self.evolves_until = Some(since + seconds);
    }

    /// Ends the permissions, because the hub issued a directive or the robot stopped.
    pub(super) fn end(&mut self) {
        (self.drives_until, self.evolves_until) = (None, None);
    }

    /// Returns whether the robot started to drive alone and has not stopped since.
    pub(super) fn is_driving(&self) -> bool {
        self.drives_until.is_some()
    }

    /// Returns whether the robot may drive alone at `now` (s).
    pub(super) fn drives(&self, now: f64) -> bool {
        self.drives_until.is_some_and(|until| now <= until)
    }

    /// Ends driving alone. Returns whether the robot was driving alone.
    pub(super) fn stop_driving(&mut self) -> bool {
        self.drives_until.take().is_some()
    }

    /// Ends evolution if its time limit has been reached at `now` (s). Returns whether this call ended evolution.
    pub(super) fn stop_evolving(&mut self, now: f64) -> bool {
        self.evolves_until.take_if(|until| now > *until).is_some()
    }
}

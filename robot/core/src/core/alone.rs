//! What goes on while the hub is silent, and for how long at most: evolution, and driving where both the experiment and the
//! robot's own file allow it.

use xpuck_experiment::Silence;

/// Leave to go on without the hub.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alone {
    /// The longest that the robot's own file lets it drive, s.
    allowed: f64,
    /// The robot drives until then at most, s.
    drives_until: Option<f64>,
    /// Evolution goes on until then at most, s.
    evolves_until: Option<f64>,
}

impl Alone {
    /// The robot may drive for so long without the hub, s.
    pub(super) fn allow(&mut self, seconds: f64) {
        self.allowed = seconds;
    }

    /// How long the robot may drive without the hub, s.
    pub(super) fn allowed(&self) -> f64 {
        self.allowed
    }

    /// A silence counts from `since`, s, in a run whose experiment lasts `seconds` in all.
    pub(super) fn begin(&mut self, since: f64, silence: &Silence, seconds: f64) {
        let drives = silence.drives(self.allowed);
        self.drives_until = (drives > 0.0).then_some(since + drives);
        self.evolves_until = Some(since + seconds);
    }

    /// The hub says what is done, or the robot stops.
    pub(super) fn end(&mut self) {
        (self.drives_until, self.evolves_until) = (None, None);
    }

    /// The robot began to drive alone, and nobody ended that.
    pub(super) fn is_driving(&self) -> bool {
        self.drives_until.is_some()
    }

    /// The robot may drive alone at `now`, s.
    pub(super) fn drives(&self, now: f64) -> bool {
        self.drives_until.is_some_and(|until| now <= until)
    }

    /// Driving alone is over; true if it went on.
    pub(super) fn stop_driving(&mut self) -> bool {
        self.drives_until.take().is_some()
    }

    /// Ends evolution if its time without the hub is over; true if it is over now.
    pub(super) fn stop_evolving(&mut self, now: f64) -> bool {
        self.evolves_until.take_if(|until| now > *until).is_some()
    }
}

//! Conversion from arena time to wall time.

/// Conversion from arena time to wall time, given by a reference point and a speed.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// Reference arena time (s).
    pub time: f64,
    /// Wall time at the reference arena time (ms since 1970).
    pub unix_ms: u64,
    /// Seconds of arena time per second of wall time.
    pub speed: f64,
}

impl Clock {
    /// Converts an arena time (s) to wall time (ms since 1970).
    pub fn unix_ms(&self, time: f64) -> u64 {
        let ms = (time - self.time) / self.speed * 1e3;
        self.unix_ms.saturating_add_signed(ms as i64)
    }

    /// Converts an arena time (s) to wall time (ns since 1970).
    pub fn unix_ns(&self, time: f64) -> u64 {
        let ns = (time - self.time) / self.speed * 1e9;
        (self.unix_ms * 1_000_000).saturating_add_signed(ns as i64)
    }
}

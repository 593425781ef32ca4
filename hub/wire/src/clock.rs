//! Wall time.

use std::time::{SystemTime, UNIX_EPOCH};

/// Wall time, ms since 1970; 0 before.
pub fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

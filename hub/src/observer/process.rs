//! What the hub's own process takes, from `/proc/self`.

use super::metrics::Metrics;
use rustix::param::{clock_ticks_per_second, page_size};

/// What was told of so far.
#[derive(Default)]
pub struct Process {
    cpu_s: f64,
}

impl Process {
    /// Looks, and tells. Without `/proc` nothing is told.
    pub fn read(&mut self, metrics: &Metrics) {
        if let Some(bytes) = memory() {
            metrics.memory.set(bytes);
        }
        let stat = std::fs::read_to_string("/proc/self/stat").ok();
        if let Some(cpu_s) = stat.and_then(|stat| processor(&stat, clock_ticks_per_second())) {
            metrics.cpu.inc_by((cpu_s - self.cpu_s).max(0.0));
            self.cpu_s = self.cpu_s.max(cpu_s);
        }
    }
}

/// Bytes of this process in memory; none without `/proc`.
pub(crate) fn memory() -> Option<f64> {
    std::fs::read_to_string("/proc/self/statm").ok().and_then(|statm| resident(&statm, page_size()))
}

/// Bytes in memory, from `statm`, which counts pages of so many bytes.
fn resident(statm: &str, page: usize) -> Option<f64> {
    Some(statm.split_whitespace().nth(1)?.parse::<f64>().ok()? * page as f64)
}

/// Processor time of all threads, s, from `stat`, which counts so many ticks a second. The program's name may hold spaces; it
/// ends with the last bracket.
fn processor(stat: &str, ticks: u64) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system) = (fields.next()?.parse::<f64>().ok()?, fields.next()?.parse::<f64>().ok()?);
    Some((user + system) / ticks as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lines_are_read() {
        assert_eq!(resident("1000 25 3 4 0 5 0\n", 4096), Some(102_400.0));
        assert_eq!(resident("1000 25 3 4 0 5 0\n", 16_384), Some(409_600.0), "as on a Raspberry Pi 5");
        let stat = "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20";
        assert_eq!(processor(stat, 100), Some(2.0));
        assert_eq!((resident("", 4096), processor("7", 100)), (None, None));
        assert!(memory().unwrap() > 1e6);
    }
}

//! What the hub's own process takes, from `/proc/self`.

use super::metrics::Metrics;

/// Clock ticks in a second, as the kernel tells processor time to programs.
const TICKS: f64 = 100.0;
/// Bytes of a page of memory in `statm`.
const PAGE: f64 = 4096.0;

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
        if let Some(cpu_s) = std::fs::read_to_string("/proc/self/stat").ok().as_deref().and_then(processor) {
            metrics.cpu.inc_by((cpu_s - self.cpu_s).max(0.0));
            self.cpu_s = self.cpu_s.max(cpu_s);
        }
    }
}

/// Bytes of this process in memory; none without `/proc`.
pub(crate) fn memory() -> Option<f64> {
    std::fs::read_to_string("/proc/self/statm").ok().as_deref().and_then(resident)
}

/// Bytes in memory, from `statm`.
fn resident(statm: &str) -> Option<f64> {
    Some(statm.split_whitespace().nth(1)?.parse::<f64>().ok()? * PAGE)
}

/// Processor time of all threads, s, from `stat`. The program's name may hold spaces; it ends with the last bracket.
fn processor(stat: &str) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system) = (fields.next()?.parse::<f64>().ok()?, fields.next()?.parse::<f64>().ok()?);
    Some((user + system) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_lines_are_read() {
        assert_eq!(resident("1000 25 3 4 0 5 0\n"), Some(102_400.0));
        let stat = "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20";
        assert_eq!(processor(stat), Some(2.0));
        assert_eq!((resident(""), processor("7")), (None, None));
        assert!(resident(&std::fs::read_to_string("/proc/self/statm").unwrap()).unwrap() > 1e6);
    }
}

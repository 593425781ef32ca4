//! What the hub's own process takes, from `/proc/self`.

use super::metrics::Metrics;
use xpuck_wire::process::resident_bytes;

/// Clock ticks in a second, as the kernel tells processor time to programs.
const TICKS: f64 = 100.0;

/// What was told of so far.
#[derive(Default)]
pub struct Process {
    cpu_s: f64,
}

impl Process {
    /// Looks, and tells. Without `/proc` nothing is told.
    pub fn read(&mut self, metrics: &Metrics) {
        if let Some(bytes) = resident_bytes() {
            metrics.memory.set(bytes);
        }
        if let Some(cpu_s) = std::fs::read_to_string("/proc/self/stat").ok().as_deref().and_then(processor) {
            metrics.cpu.inc_by((cpu_s - self.cpu_s).max(0.0));
            self.cpu_s = self.cpu_s.max(cpu_s);
        }
    }
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
        let stat = "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20";
        assert_eq!(processor(stat), Some(2.0));
        assert_eq!(processor("7"), None);
    }
}

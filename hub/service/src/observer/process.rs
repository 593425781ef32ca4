//! Resource use of the hub's process, from `/proc/self`.

use super::metrics::Metrics;
use rustix::param::clock_ticks_per_second;
use xpuck_wire::process::resident_bytes;

/// Processor time exported so far (s).
#[derive(Default)]
pub struct Process {
    cpu_s: f64,
}

impl Process {
    /// Updates the metrics of memory and processor time. Without `/proc`, the metrics do not change.
    pub fn read(&mut self, metrics: &Metrics) {
        if let Some(bytes) = resident_bytes() {
            metrics.memory.set(bytes);
        }
        let stat = std::fs::read_to_string("/proc/self/stat").ok();
        if let Some(cpu_s) = stat.and_then(|stat| processor(&stat, clock_ticks_per_second())) {
            metrics.cpu.inc_by((cpu_s - self.cpu_s).max(0.0));
            self.cpu_s = self.cpu_s.max(cpu_s);
        }
    }
}

/// Returns the processor time of all threads (s). `stat` contains the text of `/proc/self/stat`, and `ticks` is the
/// number of clock ticks per second. The program's name in the text may contain spaces and brackets, so the last
/// closing bracket marks the end of the name.
fn processor(stat: &str, ticks: u64) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system) = (fields.next()?.parse::<f64>().ok()?, fields.next()?.parse::<f64>().ok()?);
    Some((user + system) / ticks as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_stat_line_is_parsed() {
        let stat = "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20";
        assert_eq!(processor(stat, 100), Some(2.0));
        assert_eq!(processor("7", 100), None);
    }
}

//! Memory use and signal mask of this process, from `/proc/self`.

/// Returns the resident memory of this process (bytes); `None` without `/proc`.
pub fn resident_bytes() -> Option<f64> {
    std::fs::read_to_string("/proc/self/statm").ok().as_deref().and_then(resident)
}

/// Returns whether this process ignores a signal, for example SIGHUP under `nohup`. Returns false without `/proc`.
pub(crate) fn is_ignored(signal: i32) -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores(&status, signal))
}

/// Returns whether a process ignores a signal. `status` is the text of the process's file `/proc/<pid>/status`.
fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Returns the resident memory of a process (bytes). `statm` is the text of the process's file `/proc/<pid>/statm`.
fn resident(statm: &str) -> Option<f64> {
    Some(statm.split_whitespace().nth(1)?.parse::<f64>().ok()? * page_bytes())
}

/// Returns the size of a memory page (bytes). It differs between boards; some have pages of 16 KiB.
fn page_bytes() -> f64 {
    rustix::param::page_size() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_mask() {
        let status = "SigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000002\n";
        assert!(ignores(status, 1) && ignores(status, 13) && !ignores(status, 2) && !ignores("", 1));
    }

    #[test]
    fn resident_memory_is_parsed_from_statm() {
        assert_eq!(resident("1000 25 3 4 0 5 0\n"), Some(25.0 * page_bytes()));
        assert_eq!(resident(""), None);
        assert!(resident_bytes().unwrap() > 1e6);
    }
}

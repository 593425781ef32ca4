//! What this process takes, from `/proc/self`.

/// Bytes of this process in memory; none without `/proc`.
pub fn resident_bytes() -> Option<f64> {
    std::fs::read_to_string("/proc/self/statm").ok().as_deref().and_then(resident)
}

/// Bytes in memory, from `statm`.
fn resident(statm: &str) -> Option<f64> {
    Some(statm.split_whitespace().nth(1)?.parse::<f64>().ok()? * page_bytes())
}

/// Bytes of a page of memory: 16 KiB on some boards.
fn page_bytes() -> f64 {
    rustix::param::page_size() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_line_is_read() {
        assert_eq!(resident("1000 25 3 4 0 5 0\n"), Some(25.0 * page_bytes()));
        assert_eq!(resident(""), None);
        assert!(resident_bytes().unwrap() > 1e6);
    }
}

//! A hash that is identical on all machines and in all versions.

/// Returns the FNV-1a hash (64 bits) of a sequence of bytes.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |h, byte| (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    #[test]
    fn published_values() {
        assert_eq!(super::fnv1a([]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(super::fnv1a(*b"foobar"), 0x8594_4171_f739_67e8);
    }
}

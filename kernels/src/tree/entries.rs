//! The Kilobot blackboard (thesis Table 4.1): ten numeric entries.

/// One entry of the Kilobot blackboard.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name of the entry in the text form of trees.
    pub name: &'static str,
    /// Whether nodes may read the entry.
    pub read: bool,
    /// Whether the node `set` may write the entry.
    pub write: bool,
    /// One-line description of the entry.
    pub meaning: &'static str,
}

const fn entry(name: &'static str, read: bool, write: bool, meaning: &'static str) -> Entry {
    Entry { name, read, write, meaning }
}

/// Number of entries of the Kilobot blackboard.
pub const ENTRY_COUNT: usize = 10;

/// All entries in ascending order of their numbers. Trees cannot access the entry `motors` directly; the nodes `ml`,
/// `mr` and `mf` control the motors.
pub const ENTRIES: [Entry; ENTRY_COUNT] = [
    entry("motors", false, false, "0 off, 1 turn left, 2 turn right, 3 forward"),
    entry("scratchpad", true, true, "keeps its last value"),
    entry("send_signal", true, true, "above 0.5: messages carry the signal flag"),
    entry("received_signal", true, false, "1 if a message since the last update carried the signal flag, else 0"),
    entry("detected_food", true, false, "1 in the food region, else 0"),
    entry("carrying_food", true, false, "1 from the food region until the nest, else 0"),
    entry("density", true, false, "Kilobots per square metre nearby, in thousands; mean of five updates"),
    entry("delta_density", true, false, "change of density since the last update"),
    entry("delta_dist_food", true, false, "change of the hop distance to food since the last update (m), mean of five"),
    entry(
        "delta_dist_nest",
        true,
        false,
        "change of the hop distance to the nest since the last update (m), mean of five",
    ),
];

/// Numbers of the first and last readable entry.
pub(super) const READABLE: (f32, f32) = (1.0, 9.0);
/// Numbers of the first and last entry that `set` may write.
pub(super) const WRITABLE: (f32, f32) = (1.0, 2.0);

/// Returns the number of the entry with the given name; `None` if no entry has this name.
pub(super) fn entry_of_name(name: &str) -> Option<u8> {
    ENTRIES.iter().position(|entry| entry.name == name).map(|number| number as u8)
}

/// Returns the name of the entry with the given number, or an empty string beyond the last entry.
pub(super) fn entry_name(number: u8) -> &'static str {
    ENTRIES.get(usize::from(number)).map_or("", |entry| entry.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operand_bounds_match_entry_table() {
        for (number, entry) in ENTRIES.iter().enumerate() {
            let within = |(first, last): (f32, f32)| (first..=last).contains(&(number as f32));
            assert_eq!((within(READABLE), within(WRITABLE)), (entry.read, entry.write), "{}", entry.name);
            assert_eq!(entry_of_name(entry_name(number as u8)), Some(number as u8));
        }
    }
}

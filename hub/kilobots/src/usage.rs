//! Blackboard entries and nodes used by a tree (thesis Table 4.5).

use serde::Serialize;
use xpuck_kernels::tree::{ENTRIES, Kind, Tree};

/// Node names in the notation of Table 4.5, each with its kinds of nodes.
const NODES: [(&str, &[Kind]); 6] = [
    ("seq", &[Kind::Seqm]),
    ("sel", &[Kind::Selm]),
    ("prob", &[Kind::Probm2, Kind::Probm3, Kind::Probm4]),
    ("repeat", &[Kind::Repeati]),
    ("if", &[Kind::Ifltvar, Kind::Ifgevar, Kind::Ifltcon, Kind::Ifgecon]),
    ("set", &[Kind::Set]),
];

/// Blackboard entries and node kinds that a tree uses.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Usage {
    /// Names of the blackboard entries that the tree reads or writes, except motors.
    pub entries: Vec<&'static str>,
    /// Names of the node kinds in the notation of Table 4.5.
    pub nodes: Vec<&'static str>,
}

impl Usage {
    /// Returns the blackboard entries and node kinds that a tree uses.
    pub fn from_tree(tree: &Tree) -> Usage {
        let named = |entry: usize| {
            tree.nodes().iter().any(|node| {
                let operands = node.kind.spec().operands.iter().zip(node.operands);
                operands.into_iter().any(|(spec, value)| spec.operand.is_entry() && value as usize == entry)
            })
        };
        let has = |kinds: &[Kind]| tree.nodes().iter().any(|node| kinds.contains(&node.kind));
        Usage {
            entries: (1..ENTRIES.len()).filter(|entry| named(*entry)).map(|entry| ENTRIES[entry].name).collect(),
            nodes: NODES.iter().filter(|(_, kinds)| has(kinds)).map(|(name, _)| *name).collect(),
        }
    }

    /// Returns the column names of the table: blackboard entries from entry 1, then nodes.
    pub fn columns() -> Vec<&'static str> {
        ENTRIES.iter().skip(1).map(|entry| entry.name).chain(NODES.iter().map(|(name, _)| *name)).collect()
    }

    /// Returns the table cells of this tree: "x" for each column that it uses, otherwise an empty text.
    pub fn cells(&self) -> Vec<String> {
        let uses = |name: &&'static str| self.entries.contains(name) || self.nodes.contains(name);
        Usage::columns().iter().map(|name| if uses(name) { "x".into() } else { String::new() }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::tree::RegisterMap;

    /// The first row of Table 4.5 marks the entries that the tree reads, except two entries. The tree never writes
    /// these two entries, and uses them as zero.
    #[test]
    fn figure_4_6_usage_matches_table_4_5() {
        let text = include_str!("../../../docs/kilobots/figure-4-6.bt");
        let usage = Usage::from_tree(&Tree::parse_with(text, RegisterMap::Kilobot, false).unwrap());
        assert_eq!(usage.entries, ["scratchpad", "send_signal", "detected_food", "delta_dist_food", "delta_dist_nest"]);
        assert_eq!(usage.nodes, ["seq", "sel", "repeat", "if"]);
        assert_eq!(usage.cells().len(), Usage::columns().len());
    }
}

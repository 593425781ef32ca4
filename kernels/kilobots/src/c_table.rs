//! Export of programs as byte tables in C, for the interpreter of real Kilobots. `robot/kilobot/tick.h` describes the
//! layout.

use super::program::{Instruction, Program};
use std::fmt::Write;
use xpuck_kernels::tree::Kind;

/// Size of a node's header (bytes). The header has the kind, the index of the parent, and the index after the subtree.
const HEADER: usize = 5;
/// Number of bytes per line of the C file.
const PER_LINE: usize = 16;

/// Node kinds in the order of `enum tree_kind` in C. Kinds that share one value of this enum form one entry.
const KINDS: [&[Kind]; 16] = [
    &[Kind::Seqm],
    &[Kind::Selm],
    &[Kind::Probm2, Kind::Probm3, Kind::Probm4],
    &[Kind::Repeati],
    &[Kind::Successd],
    &[Kind::Failed],
    &[Kind::Ml],
    &[Kind::Mr],
    &[Kind::Mf],
    &[Kind::Ifltvar],
    &[Kind::Ifgevar],
    &[Kind::Ifltcon],
    &[Kind::Ifgecon],
    &[Kind::Set],
    &[Kind::Successl],
    &[Kind::Failurel],
];

impl Program {
    /// Returns the table as bytes.
    pub fn table(&self) -> Vec<u8> {
        let operands: Vec<Vec<u8>> = self.code.iter().map(operands).collect();
        let mut places = vec![0];
        for operands in &operands {
            places.push(places[places.len() - 1] + (HEADER + operands.len()) as u16);
        }
        let mut bytes = Vec::with_capacity(usize::from(places[places.len() - 1]));
        for (node, operands) in self.code.iter().zip(&operands) {
            bytes.push(KINDS.iter().position(|kinds| kinds.contains(&node.kind)).unwrap_or(0) as u8);
            for place in [node.parent, node.end] {
                bytes.extend_from_slice(&places[usize::from(place)].to_le_bytes());
            }
            bytes.extend_from_slice(operands);
        }
        bytes
    }

    /// Returns the table as a C file. The file has `tree_table` for flash memory, and `tree_counts` for the counters
    /// of the counting nodes.
    pub fn to_c(&self) -> String {
        let mut text = String::from("#include \"tick.h\"\n\nconst uint8_t tree_table[] TREE_TABLE = {\n");
        for line in self.table().chunks(PER_LINE) {
            let bytes: Vec<String> = line.iter().map(|byte| format!("0x{byte:02x},")).collect();
            let _ = writeln!(text, "    {}", bytes.join(" "));
        }
        let _ = write!(text, "}};\n\nuint8_t tree_counts[{}];\n", self.counters.max(1));
        text
    }
}

/// Returns the operands of a node in the interpreter's format.
fn operands(node: &Instruction) -> Vec<u8> {
    let number = |value: f32| value.to_le_bytes();
    match node.kind {
        Kind::Probm2 | Kind::Probm3 | Kind::Probm4 => {
            let children = node.kind.fixed_children().unwrap_or(0);
            let ends = node.k.iter().take(usize::from(children) - 1);
            [children as u8].into_iter().chain(ends.flat_map(|end| number(*end))).collect()
        }
        Kind::Repeati => vec![node.v, node.k[0] as u8],
        Kind::Ifltvar | Kind::Ifgevar => vec![node.v, node.w],
        Kind::Ifltcon | Kind::Ifgecon => [node.v].into_iter().chain(number(node.k[0])).collect(),
        Kind::Set => [node.w].into_iter().chain(number(node.k[0])).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::tree::{RegisterMap, Tree};

    #[test]
    fn nodes_are_laid_out_one_behind_the_other() {
        let tree =
            Tree::parse_with("seqm\n  mf\n  repeati 3\n    set scratchpad 1\n", RegisterMap::Kilobot, false).unwrap();
        let program = Program::compile(&tree).unwrap();
        let table = [
            &[0, 0, 0, 27, 0][..],
            &[8, 0, 0, 10, 0],
            &[3, 0, 0, 27, 0, 0, 3],
            &[13, 10, 0, 27, 0, 1, 0, 0, 0x80, 0x3f],
        ];
        assert_eq!(program.table(), table.concat());
        let c = program.to_c();
        assert!(c.contains("TREE_TABLE = {\n    0x00, 0x00, 0x00, 0x1b, 0x00, 0x08,"), "{c}");
        assert!(c.ends_with("0x80, 0x3f,\n};\n\nuint8_t tree_counts[1];\n"), "{c}");
    }
}

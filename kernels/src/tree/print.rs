//! Writer of the text form of trees. The reader restores the same tree from the output.

use super::{Node, Tree, operand};
use std::fmt;

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open: Vec<u16> = Vec::new();
        for node in self.nodes() {
            write!(f, "{:1$}", "", 2 * open.len())?;
            writeln!(f, "{node}")?;
            if node.children > 0 {
                open.push(node.children);
                continue;
            }
            while let Some(last) = open.last_mut() {
                *last -= 1;
                if *last > 0 {
                    break;
                }
                open.pop();
            }
        }
        Ok(())
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let spec = self.kind.spec();
        write!(f, "{}", spec.name)?;
        for (value, spec) in self.operands.iter().zip(spec.operands) {
            write!(f, " {}", operand::format_operand(*value, spec.operand))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, RegisterMap, Tree};

    #[test]
    fn every_angle_step_round_trips_through_text() {
        for i in -128..=127 {
            let tree = Tree::leaf(Kind::Movcv, &[18.0, i as f32]);
            assert_eq!(Tree::parse(&tree.to_string()).unwrap(), tree);
        }
        for j in 0..=255 {
            let tree = Tree::leaf(Kind::Ifsect, &[14.0, 0.0, j as f32]);
            assert_eq!(Tree::parse(&tree.to_string()).unwrap(), tree);
        }
    }

    #[test]
    fn exact_angles_survive_printing() {
        let tree = Tree::parse_with("movcv v_goal 39.1deg", RegisterMap::Full, true).unwrap();
        assert_eq!(Tree::parse_with(&tree.to_string(), RegisterMap::Full, true).unwrap(), tree);
    }

    #[test]
    fn structure_survives_printing() {
        let text = include_str!("../../../docs/trees/806768.bt");
        let tree = Tree::parse(text).unwrap();
        assert_eq!(Tree::parse(&tree.to_string()).unwrap(), tree);
    }
}

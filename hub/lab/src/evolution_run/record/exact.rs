//! Bit-exact JSON form of trees and samples.

use schemars::JsonSchema;
use serde::de::{Deserialize, Deserializer, Error};
use serde_json::value::RawValue;

/// Form in which a tree is written. Only the JSON Schema of this type is used.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "only its schema is used")]
pub(super) enum TreeForm {
    /// Text form.
    Text(String),
    /// Bytes of the compact form.
    Compact(Vec<u8>),
}

/// Reads an optional number directly from its decimal digits. A conversion through f64 would round twice.
pub(super) fn number<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f32>, D::Error> {
    let digits = Option::<&RawValue>::deserialize(from)?;
    digits.map(|digits| digits.get().parse().map_err(D::Error::custom)).transpose()
}

/// Writes trees as text, which is readable. If the text is not bit-exact, for example because of a negative zero, the
/// bytes of the compact form are written.
pub(super) mod tree {
    use serde::ser::{Serialize, Serializer};
    use serde::{Deserialize, Deserializer, de::Error};
    use xpuck_kernels::tree::Tree;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Text(String),
        Compact(Tree),
    }

    pub fn serialize<S: Serializer>(tree: &Tree, to: S) -> Result<S::Ok, S::Error> {
        let text = tree.to_string();
        match Tree::parse(&text) {
            Ok(read) if read.key() == tree.key() => to.serialize_str(&text),
            _ => tree.serialize(to),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Tree, D::Error> {
        match Form::deserialize(from)? {
            Form::Text(text) => Tree::parse(&text).map_err(D::Error::custom),
            Form::Compact(tree) => Ok(tree),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::data::{Birth, Sample};
    use xpuck_evolve::{Id, Operator};
    use xpuck_kernels::tree::{Kind, RegisterMap, Tree};

    const ID: Id = Id { island: 3, number: 7 };

    #[test]
    fn every_bit_of_sample_round_trips() {
        let bits = (0..=u32::MAX).step_by(1_000_003).map(f32::from_bits);
        let special = [0.0, -0.0, f32::MIN_POSITIVE, f32::from_bits(1), f32::MAX, 0.1 + 0.2];
        for fitness in bits.chain(special).filter(|x| x.is_finite()) {
            let json = serde_json::to_vec(&Sample { id: ID, stratum: 1, fitness: Some(fitness) }).unwrap();
            let read: Sample = serde_json::from_slice(&json).unwrap();
            assert_eq!(read.fitness.map(f32::to_bits), Some(fitness.to_bits()), "{fitness}");
        }
        let refused = Sample { id: ID, stratum: 0, fitness: None };
        let json = serde_json::to_string(&refused).unwrap();
        assert!(json.ends_with("\"fitness\":null}"), "{json}");
        assert_eq!(serde_json::from_str::<Sample>(&json).unwrap(), refused);
    }

    #[test]
    fn every_bit_of_tree_round_trips_mostly_as_text() {
        let plain = Tree::parse(include_str!("../../../../../docs/trees/806768.bt"));
        let between = Tree::parse_with("movcv v_goal 39.1deg", RegisterMap::Full, true).unwrap();
        let negative = Tree::leaf(Kind::Movcv, &[18.0, -0.0]);
        for (tree, is_text) in [(plain.unwrap(), true), (between, false), (negative, false)] {
            let birth = Birth { id: ID, parents: Some([ID, ID]), operator: Operator::Mutation, tree };
            let json = serde_json::to_string(&birth).unwrap();
            assert_eq!(json.contains("\"tree\":\""), is_text, "{json}");
            let read: Birth = serde_json::from_str(&json).unwrap();
            assert_eq!(read.tree.key(), birth.tree.key(), "{json}");
        }
        assert!(serde_json::from_str::<Birth>("{\"tree\":\"nonsense\"}").is_err());
    }
}

//! Readers of the keys that are a word or a table. Derived untagged enums would report neither the unknown key nor its
//! line.

use super::keys::{CurveKey, GroundKeys, PointKeys, RobotEntry, RobotFile};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::fmt;

impl<'de> Deserialize<'de> for RobotEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<RobotEntry, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = RobotEntry;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "the name of a robot model, or a table of its keys (the number of robots is the key `robots`)",
                )
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<RobotEntry, E> {
                Ok(RobotEntry::Name(name.into()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RobotEntry, A::Error> {
                RobotFile::deserialize(MapAccessDeserializer::new(map)).map(|file| RobotEntry::Keys(Box::new(file)))
            }
        }
        from.deserialize_any(Words)
    }
}

impl<'de> Deserialize<'de> for CurveKey {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<CurveKey, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = CurveKey;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"linear\" or three coefficients")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<CurveKey, E> {
                if word == "linear" { Ok(CurveKey::Word(word.into())) } else { Err(E::custom(one_of(word, "linear"))) }
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<CurveKey, A::Error> {
                <[f32; 3]>::deserialize(SeqAccessDeserializer::new(seq)).map(CurveKey::Quadratic)
            }
        }
        from.deserialize_any(Words)
    }
}

impl<'de> Deserialize<'de> for GroundKeys {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<GroundKeys, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = GroundKeys;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"class\" or a table of points")
            }
            fn visit_str<E: Error>(self, word: &str) -> Result<GroundKeys, E> {
                if word == "class" { Ok(GroundKeys::Word(word.into())) } else { Err(E::custom(one_of(word, "class"))) }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<GroundKeys, A::Error> {
                PointKeys::deserialize(MapAccessDeserializer::new(map)).map(GroundKeys::Points)
            }
        }
        from.deserialize_any(Words)
    }
}

fn one_of(word: &str, known: &str) -> String {
    format!("unknown word `{word}`; the only word is `{known}`")
}

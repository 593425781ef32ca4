//! PRIF as JSON, for example `{"id": 0, "part": "body", "dir": "LEFT", "reps": 3, "axis": "X", "next": null}`. The
//! value of `next` is null, or an object with directions as keys. The order of these keys matters.

use super::{MAX_TEXT, Prif};
use crate::{BodyError, Plan};

impl Prif {
    /// Parses JSON and checks that it defines a valid body.
    ///
    /// # Errors
    /// Returns an error with line and column if the JSON is invalid. Returns an error with the path to the instruction
    /// if the body is invalid (see [`Plan::new`]).
    pub fn from_json(text: &str) -> Result<Prif, BodyError> {
        if text.len() > MAX_TEXT {
            return Err(BodyError::new(
                "the text",
                format_args!("{} bytes; at most {MAX_TEXT} are allowed", text.len()),
            ));
        }
        // The JSON parser rejects nesting deeper than 128 levels. MAX_DEPTH instructions need fewer levels.
        let prif: Prif = serde_json::from_str(text).map_err(|error| {
            let rule = error.to_string();
            let rule = rule.split(" at line ").next().unwrap_or_default();
            BodyError::at(error.line() as u32, error.column() as u32, rule)
        })?;
        Plan::new(&prif)?;
        Ok(prif)
    }

    /// Returns the JSON form as a single line.
    pub fn to_json(&self) -> String {
        // Serialisation fails only for maps with keys that are not strings. All keys of PRIF are strings.
        serde_json::to_string(self).unwrap_or_default()
    }
}

pub(super) mod next {
    use crate::part::Direction;
    use crate::prif::Prif;
    use serde::de::{Deserializer, Error, MapAccess, Visitor};
    use serde::ser::{SerializeMap, Serializer};
    use std::fmt;

    pub fn serialize<S: Serializer>(next: &[(Direction, Prif)], serializer: S) -> Result<S::Ok, S::Error> {
        if next.is_empty() {
            return serializer.serialize_none();
        }
        let mut map = serializer.serialize_map(Some(next.len()))?;
        for (key, prif) in next {
            map.serialize_entry(key, prif)?;
        }
        map.end()
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(Direction, Prif)>, D::Error> {
        deserializer.deserialize_any(Next)
    }

    struct Next;

    impl<'de> Visitor<'de> for Next {
        type Value = Vec<(Direction, Prif)>;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("null, or an object with directions as keys")
        }

        fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut next = Vec::new();
            while let Some(key) = map.next_key::<Direction>()? {
                if next.iter().any(|(other, _)| *other == key) {
                    return Err(A::Error::custom(format_args!("duplicate key {}; use each key once", key.name())));
                }
                next.push((key, map.next_value()?));
            }
            Ok(next)
        }
    }
}

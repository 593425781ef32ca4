//! Byte string in a message or record. It is binary in MessagePack, and has two hexadecimal digits per byte in JSON.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Byte string. JSON uses hexadecimal digits instead of base64, because a compressor then finds repeated bytes at any
/// offset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

const DIGITS: &[u8; 16] = b"0123456789abcdef";

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if !to.is_human_readable() {
            return to.serialize_bytes(&self.0);
        }
        let mut text = String::with_capacity(2 * self.0.len());
        for byte in &self.0 {
            text.push(DIGITS[usize::from(byte >> 4)].into());
            text.push(DIGITS[usize::from(byte & 15)].into());
        }
        to.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Bytes, D::Error> {
        if from.is_human_readable() { from.deserialize_str(Reader) } else { from.deserialize_bytes(Reader) }
    }
}

struct Reader;

impl Visitor<'_> for Reader {
    type Value = Bytes;

    fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str("bytes, or two hexadecimal digits for each")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
        Ok(Bytes(bytes.into()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Bytes, E> {
        let digit = |c: u8| DIGITS.iter().position(|digit| *digit == c).map(|place| place as u8);
        let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?);
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
        bytes.map(Bytes).ok_or_else(|| E::custom("bytes must be pairs of the digits 0 to 9 and a to f"))
    }
}

impl JsonSchema for Bytes {
    fn schema_name() -> Cow<'static, str> {
        "Bytes".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^([0-9a-f]{2})*$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_round_trips_through_json_and_msgpack() {
        let all = Bytes((0..=255).collect());
        let json = serde_json::to_string(&all).unwrap();
        assert!(json.starts_with("\"000102") && json.ends_with("feff\""), "{json}");
        assert_eq!(serde_json::from_str::<Bytes>(&json).unwrap(), all);
        let packed = rmp_serde::to_vec(&all).unwrap();
        assert_eq!(packed.len(), 256 + 3);
        assert_eq!(rmp_serde::from_slice::<Bytes>(&packed).unwrap(), all);
        for bad in ["\"0\"", "\"0g\"", "\"0A\"", "\"é\"", "7"] {
            assert!(serde_json::from_str::<Bytes>(bad).is_err(), "{bad}");
        }
    }
}

//! Pictures as Foxglove's schema `foxglove.CompressedImage` has them: JSON with the file in base 64.

use super::FRAME;
use super::messages::Time;
use data_encoding::BASE64;
use schemars::JsonSchema;
use serde::Serialize;

/// The topic of the camera above the arena.
pub const OVERHEAD: &str = "/overhead";
/// The schema's name.
pub const SCHEMA: &str = "foxglove.CompressedImage";

/// A picture.
#[derive(Serialize, JsonSchema)]
struct CompressedImage {
    /// When it was taken.
    timestamp: Time,
    /// The frame that it shows.
    frame_id: String,
    /// The file, in base 64.
    #[schemars(extend("contentEncoding" = "base64"))]
    data: String,
    /// What kind of file it is.
    format: String,
}

/// A JPEG file as a message; `stamp` is ns, as the record's are.
pub fn message(jpeg: &[u8], stamp: u64) -> Vec<u8> {
    let (timestamp, frame_id) = (Time::of(stamp), FRAME.into());
    let image = CompressedImage { timestamp, frame_id, data: BASE64.encode(jpeg), format: "jpeg".into() };
    // It has no maps with keys that are no text.
    serde_json::to_vec(&image).unwrap_or_default()
}

/// The schema's text.
pub fn schema() -> String {
    let mut schema = super::viewable::viewable(&xpuck_wire::schema::of_json::<CompressedImage>().to_value());
    schema["title"] = SCHEMA.into();
    schema.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_schemas_fields() {
        let value: serde_json::Value = serde_json::from_slice(&message(&[0xff, 0xd8], 1_500_000_000)).unwrap();
        assert_eq!(value["timestamp"]["nsec"], 500_000_000);
        assert_eq!((value["data"].as_str(), value["format"].as_str()), (Some("/9g="), Some("jpeg")));
        let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
        assert_eq!(schema["properties"]["data"]["contentEncoding"], "base64");
        let fields: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert!(value.as_object().unwrap().keys().all(|key| fields.contains(&key)) && fields.len() == 4);
    }
}

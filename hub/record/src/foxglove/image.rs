//! Images in Foxglove's schema `foxglove.CompressedImage`. The message is JSON that contains the image file in base
//! 64.

use super::FRAME;
use super::messages::Time;
use data_encoding::BASE64;
use schemars::JsonSchema;
use serde::Serialize;

/// Topic of the overhead camera.
pub const OVERHEAD: &str = "/overhead";
/// Name of the image schema.
pub const SCHEMA: &str = "foxglove.CompressedImage";

/// Message with an image.
#[derive(Serialize, JsonSchema)]
struct CompressedImage {
    /// Time at which the image was taken.
    timestamp: Time,
    /// Coordinate frame of the image.
    frame_id: String,
    /// Image file, in base 64.
    #[schemars(extend("contentEncoding" = "base64"))]
    data: String,
    /// Format of the image file.
    format: String,
}

/// Returns the message for a JPEG file. `stamp` is a timestamp of the record (ns).
pub fn message(jpeg: &[u8], stamp: u64) -> Vec<u8> {
    let (timestamp, frame_id) = (Time::from_nanos(stamp), FRAME.into());
    let image = CompressedImage { timestamp, frame_id, data: BASE64.encode(jpeg), format: "jpeg".into() };
    // This cannot fail, because the image has no maps with non-string keys.
    serde_json::to_vec(&image).unwrap_or_default()
}

/// Returns the text of the image schema in the form for viewers.
pub fn schema() -> String {
    let mut schema = super::viewable::viewable(&xpuck_wire::schema::json_schema::<CompressedImage>().to_value());
    schema["title"] = SCHEMA.into();
    schema.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_has_fields_of_schema() {
        let value: serde_json::Value = serde_json::from_slice(&message(&[0xff, 0xd8], 1_500_000_000)).unwrap();
        assert_eq!(value["timestamp"]["nsec"], 500_000_000);
        assert_eq!((value["data"].as_str(), value["format"].as_str()), (Some("/9g="), Some("jpeg")));
        let schema: serde_json::Value = serde_json::from_str(&schema()).unwrap();
        assert_eq!(schema["properties"]["data"]["contentEncoding"], "base64");
        let fields: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert!(value.as_object().unwrap().keys().all(|key| fields.contains(&key)) && fields.len() == 4);
    }
}

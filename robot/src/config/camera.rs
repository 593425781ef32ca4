//! `[camera]` of the robot's file.

use schemars::JsonSchema;
use serde::Deserialize;

/// What the camera does.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CameraFile {
    /// "auto": the sensor finds by itself how long it gathers light; or for how long, ms, 0.1 to 60. Without it, as the sensor
    /// is set up.
    pub exposure: Option<Exposure>,
    /// Side of the AprilTags to look for, from black edge to black edge, mm, 5 to 1000; none are looked for without it.
    #[schemars(range(min = 5.0, max = 1000.0))]
    pub tag_size_mm: Option<f64>,
    /// The colour that tags count as for the tree: each is seen as if a patch of it hung there, which simulations have too.
    pub tags_as: Option<TagColour>,
    /// In so many frames a second tags are looked for, 0.2 to 15.
    #[schemars(range(min = 0.2, max = 15.0))]
    pub tag_looks: f64,
}

impl Default for CameraFile {
    fn default() -> CameraFile {
        CameraFile { exposure: None, tag_size_mm: None, tags_as: None, tag_looks: 5.0 }
    }
}

impl CameraFile {
    /// Checks every range.
    ///
    /// # Errors
    /// One line with the first key that is wrong.
    pub(super) fn check(&self) -> Result<(), String> {
        let rows = [
            ("camera.tag_size_mm", self.tag_size_mm, 5.0, 1000.0),
            ("camera.tag_looks", Some(self.tag_looks), 0.2, 15.0),
        ];
        for (key, value, low, high) in rows {
            if let Some(value) = value.filter(|value| !(low..=high).contains(value)) {
                return Err(format!("{key} = {value} is outside {low}..={high}"));
            }
        }
        if self.tags_as.is_some() && self.tag_size_mm.is_none() {
            return Err("camera.tags_as needs camera.tag_size_mm: without it no tags are looked for".into());
        }
        if self.tag_size_mm.is_some() && !cfg!(feature = "apriltag") {
            return Err("camera.tag_size_mm: this xpuckd was built without AprilTags (the feature `apriltag`)".into());
        }
        Ok(())
    }
}

/// A primary colour of the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TagColour {
    /// As robots' skirts.
    Red,
    /// As wall patches.
    Green,
    /// As the frisbee.
    Blue,
}

/// How long the camera's sensor gathers light for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "ExposureText")]
pub enum Exposure {
    /// The sensor finds it.
    Auto,
    /// So long, s.
    Seconds(f64),
}

impl Exposure {
    /// The time, s; none where the sensor finds it.
    pub fn seconds(self) -> Option<f64> {
        match self {
            Exposure::Auto => None,
            Exposure::Seconds(seconds) => Some(seconds),
        }
    }
}

/// As it stands in a file.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum ExposureText {
    Word(String),
    Milliseconds(f64),
}

impl TryFrom<ExposureText> for Exposure {
    type Error = String;

    fn try_from(text: ExposureText) -> Result<Exposure, String> {
        match text {
            ExposureText::Word(word) if word == "auto" => Ok(Exposure::Auto),
            ExposureText::Milliseconds(ms) if (0.1..=60.0).contains(&ms) => Ok(Exposure::Seconds(ms / 1000.0)),
            ExposureText::Word(word) => Err(format!("exposure = \"{word}\" is neither \"auto\" nor a time in ms")),
            ExposureText::Milliseconds(ms) => Err(format!("exposure = {ms} is outside 0.1..=60 ms")),
        }
    }
}

impl JsonSchema for Exposure {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Exposure".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        ExposureText::json_schema(generator)
    }
}

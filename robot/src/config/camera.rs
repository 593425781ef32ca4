//! Camera settings: table `[camera]` of the robot's file.

use schemars::JsonSchema;
use serde::Deserialize;

/// Camera settings.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CameraFile {
    /// Exposure of the sensor: "auto" for automatic exposure, or an exposure time (ms, 0.1..=60). Default: the setting
    /// made when the sensor is set up.
    pub exposure: Option<Exposure>,
    /// Side length of the AprilTags, measured between their black edges (mm, 5..=1000). If omitted, no tags are
    /// detected.
    #[schemars(range(min = 5.0, max = 1000.0))]
    pub tag_size_mm: Option<f64>,
    /// Colour of tags in the senses of the behaviour tree. Each tag appears as a patch of this colour, also in
    /// simulations. If omitted, the tree does not see tags. Requires `tag_size_mm`.
    pub tags_as: Option<TagColour>,
    /// Rate of tag detection (Hz, 0.2..=15).
    #[schemars(range(min = 0.2, max = 15.0))]
    pub tag_looks: f64,
}

impl Default for CameraFile {
    fn default() -> CameraFile {
        CameraFile { exposure: None, tag_size_mm: None, tags_as: None, tag_looks: 5.0 }
    }
}

impl CameraFile {
    /// Verifies that every value is valid.
    ///
    /// # Errors
    /// One line that names the first invalid key.
    pub(super) fn check(&self) -> Result<(), String> {
        let rows = [
            ("camera.tag_size_mm", self.tag_size_mm, 5.0, 1000.0),
            ("camera.tag_looks", Some(self.tag_looks), 0.2, 15.0),
        ];
        for (key, value, low, high) in rows {
            if let Some(value) = value.filter(|value| !(low..=high).contains(value)) {
                return Err(format!("{key} = {value} is outside {low} to {high}"));
            }
        }
        if self.tags_as.is_some() && self.tag_size_mm.is_none() {
            return Err("camera.tags_as requires camera.tag_size_mm".into());
        }
        if self.tag_size_mm.is_some() && !cfg!(feature = "apriltag") {
            return Err("camera.tag_size_mm: this xpuckd was built without the feature `apriltag`; remove the key or use another build".into());
        }
        Ok(())
    }
}

/// Primary colour that the camera distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TagColour {
    /// Red, the colour of the robots' skirts.
    Red,
    /// Green, the colour of the wall patches.
    Green,
    /// Blue, the colour of the frisbee.
    Blue,
}

/// Exposure time of the camera's sensor.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "ExposureText")]
pub enum Exposure {
    /// Automatic exposure.
    Auto,
    /// Fixed exposure time (s).
    Seconds(f64),
}

impl Exposure {
    /// Returns the fixed exposure time (s); `None` for automatic exposure.
    pub fn seconds(self) -> Option<f64> {
        match self {
            Exposure::Auto => None,
            Exposure::Seconds(seconds) => Some(seconds),
        }
    }
}

/// Representation of an exposure in the robot's file.
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
            ExposureText::Milliseconds(ms) => Err(format!("exposure = {ms} is outside 0.1 to 60 ms")),
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

//! Lamp display of the robots during an experiment.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Maximum number of colours in a pattern. It equals the number of lamps around the ring.
pub const MAX_COLOURS: usize = 15;

/// Lamp display.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(with = "LampsEntry")]
pub enum Lamps {
    /// Colour for the robot's state: blue without an experiment, cyan when ready, green when running, yellow when
    /// paused, red when stopped.
    #[default]
    State,
    /// Battery charge, shown by the number of lit lamps and by their colour, which changes from green (full) to red
    /// (empty).
    Battery,
    /// Colour of the tree's leaf that currently drives the robot. Each leaf has a different colour.
    Branch,
    /// All lamps off.
    Off,
    /// Colours repeated around the ring. Each colour has a red, a green and a blue component, 0 to 255.
    Colours(Vec<[u8; 3]>),
}

/// Serialised form: the name of a display, or at most 15 colours like "#10ff00".
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum LampsEntry {
    Name(Name),
    Colours(Vec<String>),
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Name {
    State,
    Battery,
    Branch,
    Off,
}

impl Serialize for Lamps {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let text = |[red, green, blue]: &[u8; 3]| format!("#{red:02x}{green:02x}{blue:02x}");
        match self {
            Lamps::State => LampsEntry::Name(Name::State),
            Lamps::Battery => LampsEntry::Name(Name::Battery),
            Lamps::Branch => LampsEntry::Name(Name::Branch),
            Lamps::Off => LampsEntry::Name(Name::Off),
            Lamps::Colours(colours) => LampsEntry::Colours(colours.iter().map(text).collect()),
        }
        .serialize(to)
    }
}

impl<'de> Deserialize<'de> for Lamps {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Lamps, D::Error> {
        let wrong = || {
            serde::de::Error::custom(
                "lamps must be \"state\", \"battery\", \"branch\", \"off\", or a list of 1 to 15 colours like \
                 \"#10ff00\"",
            )
        };
        Ok(match LampsEntry::deserialize(from).map_err(|_| wrong())? {
            LampsEntry::Name(Name::State) => Lamps::State,
            LampsEntry::Name(Name::Battery) => Lamps::Battery,
            LampsEntry::Name(Name::Branch) => Lamps::Branch,
            LampsEntry::Name(Name::Off) => Lamps::Off,
            LampsEntry::Colours(colours) if (1..=MAX_COLOURS).contains(&colours.len()) => {
                let colours: Option<Vec<[u8; 3]>> = colours.iter().map(|text| colour(text)).collect();
                Lamps::Colours(colours.ok_or_else(wrong)?)
            }
            LampsEntry::Colours(_) => return Err(wrong()),
        })
    }
}

impl fmt::Display for Lamps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lamps::State => f.write_str("state"),
            Lamps::Battery => f.write_str("battery"),
            Lamps::Branch => f.write_str("branch"),
            Lamps::Off => f.write_str("off"),
            Lamps::Colours(colours) => write!(f, "{} colours", colours.len()),
        }
    }
}

fn colour(text: &str) -> Option<[u8; 3]> {
    let digits = text.strip_prefix('#').filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let value = u32::from_str_radix(digits, 16).ok()?;
    let [_, red, green, blue] = value.to_be_bytes();
    Some([red, green, blue])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct File {
        lamps: Lamps,
    }

    #[test]
    fn patterns_are_names_or_colours_and_come_back() {
        let colours = Lamps::Colours(vec![[16, 255, 0], [0, 0, 1]]);
        for (text, lamps) in [
            ("\"state\"", Lamps::State),
            ("\"battery\"", Lamps::Battery),
            ("\"branch\"", Lamps::Branch),
            ("\"off\"", Lamps::Off),
            ("[\"#10ff00\", \"#000001\"]", colours),
        ] {
            let file: File = toml::from_str(&format!("lamps = {text}\n")).unwrap();
            assert_eq!(file.lamps, lamps);
            assert_eq!(toml::from_str::<File>(&toml::to_string(&file).unwrap()).unwrap(), file);
        }
        for bad in ["\"disco\"", "[]", "[\"red\"]", "[\"#12345\"]", "7"] {
            let error = toml::from_str::<File>(&format!("lamps = {bad}\n")).unwrap_err().to_string();
            assert!(error.contains("#10ff00"), "{bad}: {error}");
        }
    }
}

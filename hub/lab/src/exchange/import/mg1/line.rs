//! Parser of mission lines.

use super::super::mission::Paint;
use std::collections::BTreeMap;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::MAX_ROBOTS;

/// Maximum length of a line (bytes).
const LONGEST: usize = 8192;
/// Maximum number of patches. A world has at most 32 regions, and a start with patches cut out has one more for each.
const MOST_PATCHES: usize = 12;

/// Mission of MG1.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Line {
    /// Shape of the arena.
    pub arena: Arena,
    /// Length of a wall (m).
    pub side: f32,
    /// Length of a run (s).
    pub seconds: f32,
    /// Number of robots.
    pub robots: usize,
    /// Whether the light is on.
    pub has_light: bool,
    /// Start of the robots.
    pub start: StartRule,
    /// Patches, in the order in which they are painted.
    pub patches: Vec<Patch>,
    /// Score.
    pub goal: Goal,
}

/// Shape of an arena.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Arena {
    Trigon,
    Tetragon,
    Hexagon,
}

/// Rule for the start of the robots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StartRule {
    /// Anywhere in the arena.
    Uniform,
    /// Anywhere but on patches.
    NotPatches,
    /// One half of the arena. The first one is north, or west in a triangle.
    OneSide { is_second: bool },
}

/// Painted disc or square.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Patch {
    /// Centre (m).
    pub at: Vec2,
    /// Radius of a disc, or side of a square (m).
    pub size: f32,
    pub is_square: bool,
    pub paint: Paint,
}

/// Score of a mission. Indices are those of patches.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Goal {
    Foraging { nests: Vec<usize>, sources: Vec<usize> },
    Homing { home: usize, time: Time },
    Aggregation { homes: Vec<usize>, time: Time },
}

/// Reduction over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Time {
    /// Mean of all updates.
    Any,
    /// Value at the end.
    End,
}

/// Values of a line by their keys.
struct Keys<'a>(BTreeMap<&'a str, Vec<&'a str>>);

impl<'a> Keys<'a> {
    fn new(text: &'a str) -> Result<Keys<'a>, String> {
        if text.len() > LONGEST {
            return Err(format!("the mission has {} bytes; at most {LONGEST} are allowed", text.len()));
        }
        let mut keys = BTreeMap::<&str, Vec<&str>>::new();
        let mut current = None;
        for word in text.split_whitespace() {
            if let Some(key) = word.strip_prefix("--") {
                if keys.insert(key, Vec::new()).is_some() {
                    let why = match key.strip_prefix('p').is_some_and(|number| number.parse::<u8>().is_ok()) {
                        true => "MG1 sometimes writes two patches with one number, and such a mission is not defined",
                        false => "the line may contain two missions",
                    };
                    return Err(format!("--{key} occurs twice; {why}; correct the line, or choose another mission"));
                }
                current = Some(key);
                continue;
            }
            let values = current.and_then(|key| keys.get_mut(key));
            values
                .ok_or_else(|| format!("{word} has no key; a mission begins with --m"))?
                .push(word.trim_matches('\''));
        }
        Ok(Keys(keys))
    }

    fn word(&self, key: &str) -> Result<&'a str, String> {
        match self.0.get(key).map(Vec::as_slice) {
            Some([word, ..]) => Ok(word),
            Some([]) => Err(format!("--{key} has no value")),
            None => Err(format!("--{key} is missing; the line may be cut off")),
        }
    }

    fn number(&self, key: &str, low: f32, high: f32) -> Result<f32, String> {
        let word = self.word(key)?;
        let number = word.parse().ok().filter(|number: &f32| (low..=high).contains(number));
        number.ok_or_else(|| format!("--{key} {word} must be a number from {low} to {high}"))
    }

    fn whole(&self, key: &str, low: usize, high: usize) -> Result<usize, String> {
        let word = self.word(key)?;
        let number = word.parse().ok().filter(|number: &usize| (low..=high).contains(number));
        number.ok_or_else(|| format!("--{key} {word} must be a whole number from {low} to {high}"))
    }

    fn choice<T: Copy>(&self, key: &str, choices: &[(&str, T)]) -> Result<T, String> {
        let word = self.word(key)?;
        choices.iter().find(|(name, _)| *name == word).map(|(_, choice)| *choice).ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            format!("--{key} {word} must be one of {}", names.join(", "))
        })
    }

    fn paint(&self, key: &str) -> Result<Paint, String> {
        let word = self.word(key)?;
        match word {
            "black" | "0,0,0" | "0,0,0,255" => Ok(Paint::Black),
            "white" | "255,255,255" | "255,255,255,255" => Ok(Paint::White),
            "gray50" | "grey50" | "127,127,127" | "127,127,127,255" => Ok(Paint::Grey),
            _ => Err(format!("--{key} {word} must be black, white or gray50")),
        }
    }

    fn time(&self) -> Result<Time, String> {
        self.choice("tof", &[("anytime", Time::Any), ("endtime", Time::End)])
    }

    fn patch(&self, i: usize) -> Result<Patch, String> {
        let is_square = self.choice(&format!("p{i}"), &[("Circle", false), ("Square", true)])?;
        let coordinate = |axis: &str| self.number(&format!("pc{axis}{i}"), -10.0, 10.0);
        Ok(Patch {
            at: vec2(coordinate("x")?, coordinate("y")?),
            size: self.number(&format!("ps{i}"), 0.02, 10.0)?,
            is_square,
            paint: self.paint(&format!("pc{i}"))?,
        })
    }
}

/// Parses a mission line.
///
/// # Errors
/// A key is missing, occurs twice, or has an invalid value.
pub(super) fn parse(text: &str) -> Result<Line, String> {
    let keys = Keys::new(text)?;
    let patches: Vec<Patch> =
        (0..keys.whole("np", 1, MOST_PATCHES)?).map(|i| keys.patch(i)).collect::<Result<_, _>>()?;
    if keys.0.contains_key(format!("p{}", patches.len()).as_str()) {
        return Err(format!("--np {} is below the number of patches in the line", patches.len()));
    }
    let start = match keys.word("ip")? {
        "uniform" => StartRule::Uniform,
        "notpatches" => StartRule::NotPatches,
        "oneside" => match keys.0["ip"].as_slice() {
            [_, "0"] => StartRule::OneSide { is_second: false },
            [_, "1"] => StartRule::OneSide { is_second: true },
            _ => return Err("--ip 'oneside' needs the side: 0 or 1".into()),
        },
        other => return Err(format!("--ip {other} must be one of uniform, notpatches, oneside")),
    };
    Ok(Line {
        arena: keys
            .choice("a", &[("trigon", Arena::Trigon), ("tetragon", Arena::Tetragon), ("hexagon", Arena::Hexagon)])?,
        side: keys.number("as", 0.3, 8.0)?,
        seconds: keys.number("el", 1.0, 36_000.0)?,
        robots: keys.whole("r", 1, MAX_ROBOTS)?,
        has_light: keys.choice("l", &[("on", true), ("off", false)])?,
        start,
        goal: goal(&keys, &patches)?,
        patches,
    })
}

fn goal(keys: &Keys<'_>, patches: &[Patch]) -> Result<Goal, String> {
    let with_paint =
        |paint: Paint| -> Vec<usize> { (0..patches.len()).filter(|i| patches[*i].paint == paint).collect() };
    match keys.word("m")? {
        "foraging" => {
            let nests = with_paint(keys.paint("colnest")?);
            let sources: Vec<usize> = (0..patches.len()).filter(|i| !nests.contains(i)).collect();
            match nests.is_empty() || sources.is_empty() {
                true => {
                    Err("foraging needs a patch with the colour of --colnest, and a patch with another colour".into())
                }
                false => Ok(Goal::Foraging { nests, sources }),
            }
        }
        "homing" => match with_paint(keys.paint("colhome")?)[..] {
            [home] => Ok(Goal::Homing { home, time: keys.time()? }),
            ref homes => Err(format!("{} patches have the colour of --colhome; homing needs exactly one", homes.len())),
        },
        "aggXOR" => {
            let (homes, count) = (with_paint(keys.paint("colhome")?), keys.whole("nh", 1, MOST_PATCHES)?);
            match homes.len() == count {
                true => Ok(Goal::Aggregation { homes, time: keys.time()? }),
                false => Err(format!("--nh {count}, but {} patches have the colour of --colhome", homes.len())),
            }
        }
        other => Err(format!("--m {other} must be one of foraging, homing, aggXOR")),
    }
}

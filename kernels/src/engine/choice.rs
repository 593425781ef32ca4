//! Choice of the engine that runs the worlds, as written in files and on command lines.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt::{self, Display};
use std::str::FromStr;

/// Kind of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EngineKind {
    /// Fastest of `simd`, `gpu` and `both` on this machine, measured with the first batch. Software adapters are not
    /// considered.
    Auto,
    /// Runs worlds on a GPU. Results depend on the adapter and its driver.
    Gpu,
    /// Runs worlds in parallel lanes of vector registers. Results are identical to `reference`.
    Simd,
    /// Reference implementation, which runs one world after another on each thread.
    Reference,
    /// Runs `gpu` and `simd` in parallel. Each batch is divided according to their measured speeds, so results are
    /// not reproducible.
    Both,
}

impl EngineKind {
    /// Returns the name used in files.
    pub fn name(self) -> &'static str {
        match self {
            EngineKind::Auto => "auto",
            EngineKind::Gpu => "gpu",
            EngineKind::Simd => "simd",
            EngineKind::Reference => "reference",
            EngineKind::Both => "both",
        }
    }
}

impl Display for EngineKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Selection of an adapter. In text form, a number is an index, and any other text is part of a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AdapterChoice {
    /// The most capable adapter.
    #[default]
    Best,
    /// The adapter with this index in `Gpu::adapters`.
    Index(usize),
    /// The only adapter whose name contains this text, case-insensitive.
    Name(String),
}

impl FromStr for AdapterChoice {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<AdapterChoice, Self::Err> {
        Ok(text.parse().map_or_else(|_| AdapterChoice::Name(text.to_string()), AdapterChoice::Index))
    }
}

impl Display for AdapterChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdapterChoice::Best => f.write_str("best"),
            AdapterChoice::Index(index) => write!(f, "{index}"),
            AdapterChoice::Name(name) => f.write_str(name),
        }
    }
}

/// An engine and its adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineChoice {
    /// Kind of the engine.
    pub engine: EngineKind,
    /// Adapter of `gpu` and `both`. With `auto`, a software adapter is considered only if it is selected here.
    pub adapter: AdapterChoice,
}

impl EngineChoice {
    /// Creates the choice of an engine with the most capable adapter.
    pub fn with_best_adapter(engine: EngineKind) -> EngineChoice {
        EngineChoice { engine, adapter: AdapterChoice::Best }
    }

    /// Returns true if `other` produces identical results for the same seed on every machine.
    pub fn is_reproducible_with(&self, other: &EngineChoice) -> bool {
        let fixed = |choice: &EngineChoice| matches!(choice.engine, EngineKind::Simd | EngineKind::Reference);
        fixed(self) && fixed(other)
    }

    /// Returns the keys and values of the choice as written in a file. Errors about the choice begin with this text.
    pub fn keys(&self) -> String {
        match &self.adapter {
            AdapterChoice::Best => format!("engine = \"{}\"", self.engine),
            AdapterChoice::Index(index) => format!("engine = \"{}\", adapter = {index}", self.engine),
            AdapterChoice::Name(name) => format!("engine = \"{}\", adapter = {name:?}", self.engine),
        }
    }
}

/// Adapter as written in a file: an index, or part of a name.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "adapter must be an index such as 0, or part of a name such as \"llvmpipe\"")]
enum AdapterSpec {
    Index(usize),
    Name(String),
}

impl Serialize for AdapterChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match self {
            AdapterChoice::Best => AdapterSpec::Name(String::new()),
            AdapterChoice::Index(index) => AdapterSpec::Index(*index),
            AdapterChoice::Name(name) => AdapterSpec::Name(name.clone()),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AdapterChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AdapterChoice, D::Error> {
        Ok(match AdapterSpec::deserialize(deserializer)? {
            AdapterSpec::Index(index) => AdapterChoice::Index(index),
            AdapterSpec::Name(name) if name.is_empty() => AdapterChoice::Best,
            AdapterSpec::Name(name) => AdapterChoice::Name(name),
        })
    }
}

impl JsonSchema for AdapterChoice {
    fn schema_name() -> Cow<'static, str> {
        "AdapterChoice".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapters_are_written_as_an_index_or_a_name() {
        let read = |text: &str| serde_json::from_str::<AdapterChoice>(text);
        for (text, meant) in [
            ("3", AdapterChoice::Index(3)),
            ("\"rtx\"", AdapterChoice::Name("rtx".into())),
            ("\"\"", AdapterChoice::Best),
        ] {
            assert_eq!(read(text).unwrap(), meant);
            assert_eq!(serde_json::to_string(&meant).unwrap(), text);
        }
        assert!(read("-1").unwrap_err().to_string().contains("adapter must be an index"));
        assert!(read("[]").unwrap_err().to_string().contains("adapter must be an index"));
    }

    #[test]
    fn only_simd_and_reference_promise_each_others_digits() {
        let of = EngineChoice::with_best_adapter;
        assert!(of(EngineKind::Simd).is_reproducible_with(&of(EngineKind::Reference)));
        assert!(!of(EngineKind::Gpu).is_reproducible_with(&of(EngineKind::Gpu)), "adapter and driver may differ");
        assert!(!of(EngineKind::Simd).is_reproducible_with(&of(EngineKind::Auto)));
    }
}

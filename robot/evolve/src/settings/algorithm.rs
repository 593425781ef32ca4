//! Names of the evolutionary algorithms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use xpuck_kernels::tree::suggest;

/// Evolutionary algorithm. Some have older alternative names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Thesis 4.3.1: ten trials of each non-elite individual, crossover of pairs, four mutations.
    Dars2016,
    /// Thesis 7.4.3: eight trials of each non-elite individual, every child from crossover, three mutations.
    Classic,
    /// Thesis 8.2.2: one trial per individual and generation, few replacements, accumulated samples. Copies of trees
    /// make it favour lucky results.
    NoiseAware,
    /// Noise-aware algorithm with samples that are pooled per genotype.
    #[serde(alias = "honest")]
    PooledSamples,
    /// Many new trees, selected in stages by trials in the same worlds, with fresh starts and guests from other
    /// islands.
    #[default]
    #[serde(alias = "default")]
    Racing,
}

/// Owner of fitness samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleOwner {
    /// Genotype: no population contains two equal trees, and equal migrants are dropped. New migrants start without
    /// samples, because the samples of their own island are biased upwards.
    Genotype,
    /// Each copy, as in the thesis; this favours lucky results (`docs/evolution.md`).
    Copy,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Algorithm; 5] =
        [Algorithm::Dars2016, Algorithm::Classic, Algorithm::NoiseAware, Algorithm::PooledSamples, Algorithm::Racing];

    /// Name in files and output.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Dars2016 => "dars2016",
            Algorithm::Classic => "classic",
            Algorithm::NoiseAware => "noise-aware",
            Algorithm::PooledSamples => "pooled-samples",
            Algorithm::Racing => "racing",
        }
    }

    /// Alternative names: `default` refers to the default algorithm, `honest` occurs in older files.
    pub fn aliases(self) -> &'static [&'static str] {
        match self {
            Algorithm::PooledSamples => &["honest"],
            Algorithm::Racing => &["default"],
            _ => &[],
        }
    }

    /// Owner of the samples.
    pub fn sample_owner(self) -> SampleOwner {
        match self {
            Algorithm::Dars2016 | Algorithm::Classic | Algorithm::NoiseAware => SampleOwner::Copy,
            Algorithm::PooledSamples | Algorithm::Racing => SampleOwner::Genotype,
        }
    }
}

/// Unknown algorithm name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown algorithm `{0}`{near}; expected one of {names}",
    near = suggest(.0, Algorithm::ALL.into_iter().map(|algorithm| algorithm.name().to_string())),
    names = Algorithm::ALL.map(Algorithm::name).join(", ")
)]
pub struct UnknownAlgorithm(String);

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
        let named = |a: &Algorithm| a.name() == name || a.aliases().contains(&name);
        Algorithm::ALL.into_iter().find(named).ok_or_else(|| UnknownAlgorithm(name.into()))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct File {
        algorithm: Algorithm,
    }

    #[test]
    fn all_names_parse_and_main_name_is_written() {
        for algorithm in Algorithm::ALL {
            for name in [algorithm.name()].iter().chain(algorithm.aliases()) {
                assert_eq!(name.parse(), Ok(algorithm));
                let file: File = toml::from_str(&format!("algorithm = \"{name}\"")).unwrap();
                assert_eq!(file.algorithm, algorithm);
            }
            let written = toml::to_string(&File { algorithm }).unwrap();
            assert_eq!(written.trim(), format!("algorithm = \"{algorithm}\""));
        }
        assert_eq!("default".parse(), Ok(Algorithm::default()));
        assert_eq!(
            "best".parse::<Algorithm>().unwrap_err().to_string(),
            "unknown algorithm `best`; expected one of dars2016, classic, noise-aware, pooled-samples, racing"
        );
    }
}

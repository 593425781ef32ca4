//! Names of the evolutionary algorithms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use xpuck_kernels::tree::suggest;

/// Evolutionary algorithm. Some algorithms have alternative names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Algorithm of thesis 4.3.1: ten trials of each non-elite individual, crossover of pairs, four mutations.
    Dars2016,
    /// Algorithm of thesis 7.4.3: eight trials of each non-elite individual, every child from crossover, three
    /// mutations.
    Classic,
    /// Algorithm of thesis 8.2.2: one trial per individual and generation, few replacements, accumulated samples. It
    /// favours lucky results, because each copy of a tree has its own samples.
    NoiseAware,
    /// Noise-aware algorithm with samples that are pooled per genotype.
    #[serde(alias = "honest")]
    PooledSamples,
    /// Algorithm with many new trees, which are selected in stages by trials in the same worlds. It uses fresh starts,
    /// and guests from other islands.
    #[default]
    #[serde(alias = "default")]
    Racing,
    /// Algorithm with the stages of `racing` within each generation. Trials are simulated in parts. New trees that are
    /// behind the elite's median in the same worlds are stopped early, so a generation needs less simulated time.
    MedianStopping,
    /// Algorithm whose generations are races, in which a statistical test drops candidates: iterated F-Race, the rule
    /// of irace and AutoMoDe. It needs more simulated time than `racing`, and exists for comparison.
    FRace,
}

/// Owner of the fitness samples in an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleOwner {
    /// The genotype owns the samples. A population contains no two equal trees, so a migrant is dropped if the
    /// population already contains its tree. Other migrants start without samples, because the samples from their own
    /// island are biased upwards.
    Genotype,
    /// Each copy of a genotype owns its samples, as in the thesis. This favours lucky results (`docs/evolution.md`).
    Copy,
}

impl Algorithm {
    /// All algorithms.
    pub const ALL: [Algorithm; 7] = [
        Algorithm::Dars2016,
        Algorithm::Classic,
        Algorithm::NoiseAware,
        Algorithm::PooledSamples,
        Algorithm::Racing,
        Algorithm::MedianStopping,
        Algorithm::FRace,
    ];

    /// Returns the name in files and output.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Dars2016 => "dars2016",
            Algorithm::Classic => "classic",
            Algorithm::NoiseAware => "noise-aware",
            Algorithm::PooledSamples => "pooled-samples",
            Algorithm::Racing => "racing",
            Algorithm::MedianStopping => "median-stopping",
            Algorithm::FRace => "f-race",
        }
    }

    /// Returns the alternative names. `default` refers to the default algorithm, and `honest` occurs in older files.
    pub fn aliases(self) -> &'static [&'static str] {
        match self {
            Algorithm::PooledSamples => &["honest"],
            Algorithm::Racing => &["default"],
            _ => &[],
        }
    }

    /// Returns the owner of the fitness samples.
    pub fn sample_owner(self) -> SampleOwner {
        match self {
            Algorithm::Dars2016 | Algorithm::Classic | Algorithm::NoiseAware => SampleOwner::Copy,
            Algorithm::PooledSamples | Algorithm::Racing | Algorithm::MedianStopping | Algorithm::FRace => {
                SampleOwner::Genotype
            }
        }
    }
}

/// Error for an unknown algorithm name.
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
            "unknown algorithm `best`; expected one of dars2016, classic, noise-aware, pooled-samples, racing, \
             median-stopping, f-race"
        );
    }
}

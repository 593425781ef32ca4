//! `--mix 7:a.bt,2:b.bt`: a swarm whose robots run different trees.

use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::str::FromStr;
use xpuck_kernels::engine::Team;
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_wire::output;

/// Trees of a mixed swarm, in the order of the robots: the number of robots that run the tree, and the tree's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix(pub Vec<(usize, PathBuf)>);

impl FromStr for Mix {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Mix> {
        let part = |part: &str| {
            let read = || {
                let (count, file) = part.split_once(':')?;
                (!file.is_empty()).then_some((count.parse::<usize>().ok()?, PathBuf::from(file)))
            };
            read().with_context(|| format!("`{part}` is not COUNT:FILE; a valid mixture is 7:a.bt,2:b.bt"))
        };
        let parts: Vec<(usize, PathBuf)> = text.split(',').map(part).collect::<Result<_>>()?;
        let robots = parts.iter().fold(0usize, |sum, (count, _)| sum.saturating_add(*count));
        if !(1..=MAX_ROBOTS).contains(&robots) || parts.iter().any(|(count, _)| *count == 0) {
            let given = output::count(robots, "robot", "robots");
            bail!("{given}; each count must be at least 1, and a world holds 1 to {MAX_ROBOTS} robots");
        }
        Ok(Mix(parts))
    }
}

impl Mix {
    /// Returns the total number of robots.
    pub fn robots(&self) -> usize {
        self.0.iter().map(|(count, _)| count).sum()
    }

    /// Returns the assignment of trees to robots.
    pub fn team(&self) -> Team {
        Team::mixed(&self.0.iter().map(|(count, _)| *count).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes_are_counts_and_files() {
        let mix: Mix = "7:a.bt,2:trees/b:2.bt".parse().unwrap();
        assert_eq!(mix.0, [(7, "a.bt".into()), (2, "trees/b:2.bt".into())]);
        assert_eq!((mix.robots(), mix.team().program(6), mix.team().program(7)), (9, 0, 1));
        let error = |text: &str| text.parse::<Mix>().unwrap_err().to_string();
        assert_eq!(error("7:a.bt,b.bt"), "`b.bt` is not COUNT:FILE; a valid mixture is 7:a.bt,2:b.bt");
        assert!(error("x:a.bt").starts_with("`x:a.bt` is not") && error("3:").starts_with("`3:` is not"));
        assert!(error("9:a.bt,248:b.bt").starts_with("257 robots;") && error("1:a.bt,0:b.bt").starts_with("1 robot;"));
        assert!(error(&format!("{0}:a.bt,{0}:b.bt", usize::MAX)).contains("1 to 256 robots"));
    }
}

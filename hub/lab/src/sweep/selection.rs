//! Selection of some runs of a sweep. Many processes can thus share one sweep folder, each with its own runs.

use super::evolution::Run;
use std::str::FromStr;

/// Selection of runs, by name or by position in the sweep's list of runs. Positions begin at 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Only(Vec<Selector>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Selector {
    Numbers(usize, usize),
    Name(String),
}

impl FromStr for Only {
    type Err = String;

    fn from_str(text: &str) -> Result<Only, String> {
        let wrong = |part: &str| {
            format!("`{part}`: expected a number such as 3, a range such as 3-6, or a run's name such as p1-s4")
        };
        let one = |part: &str| {
            let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number > 0);
            let range = part.split_once('-').map(|(from, to)| (number(from), number(to)));
            match (number(part), range) {
                (Some(number), _) => Ok(Selector::Numbers(number, number)),
                (None, Some((Some(from), Some(to)))) if from <= to => Ok(Selector::Numbers(from, to)),
                _ if part.starts_with('p') => Ok(Selector::Name(part.into())),
                _ => Err(wrong(part)),
            }
        };
        let parts: Vec<&str> = text.split([',', ' ']).filter(|part| !part.is_empty()).collect();
        match parts.is_empty() {
            true => Err(wrong(text)),
            false => Ok(Only(parts.into_iter().map(one).collect::<Result<_, _>>()?)),
        }
    }
}

impl Only {
    /// Returns the selected runs in the order of `runs`, without duplicates.
    ///
    /// # Errors
    /// If a selected run does not exist.
    pub fn select(&self, runs: &[Run]) -> Result<Vec<Run>, String> {
        let mut taken = vec![false; runs.len()];
        for wanted in &self.0 {
            match wanted {
                Selector::Numbers(from, to) if *to <= runs.len() => taken[from - 1..*to].fill(true),
                Selector::Numbers(_, to) => {
                    return Err(format!("--only {to}: must be a run of the plan, 1 to {}", runs.len()));
                }
                Selector::Name(name) => match runs.iter().position(|run| run.name == *name) {
                    Some(place) => taken[place] = true,
                    None => {
                        let (first, last) = (runs.first(), runs.last());
                        let [first, last] = [first, last].map(|run| run.map_or("", |run| &run.name));
                        return Err(format!("--only {name}: this run is not in the plan; choose {first} to {last}"));
                    }
                },
            }
        }
        Ok(runs.iter().zip(taken).filter(|(_, taken)| *taken).map(|(run, _)| run.clone()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_named_by_number_range_or_name() {
        let run =
            |name: &str| Run { point: 0, seed: 1, name: name.into(), file: "p1.toml".into(), folder: name.into() };
        let runs = ["p1-s4", "p2-s4", "p1-s2", "p2-s2"].map(run);
        let names = |text: &str| {
            let taken = text.parse::<Only>().and_then(|only| only.select(&runs))?;
            Ok::<_, String>(taken.into_iter().map(|run| run.name).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(names("3").unwrap(), "p1-s2");
        assert_eq!(names("2-3").unwrap(), "p2-s4 p1-s2");
        assert_eq!(names("p2-s2 p1-s4,1").unwrap(), "p1-s4 p2-s2");
        for (text, error) in [
            ("0", "`0`: expected a number such as 3"),
            ("3-2", "`3-2`: expected"),
            ("", "``: expected"),
            ("1,x", "`x`: expected"),
            ("5", "--only 5: must be a run of the plan, 1 to 4"),
            ("p3-s4", "this run is not in the plan; choose p1-s4 to p2-s2"),
        ] {
            assert!(names(text).unwrap_err().contains(error), "{text}");
        }
    }
}

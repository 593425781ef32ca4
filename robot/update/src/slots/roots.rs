//! The two root file systems of a card, and the file that selects one of them. The board's first program
//! (`systemd/image/src/init.sh`) reads this file.

use super::STARTS;
use super::state::Slot;

/// Name of the file with the selected root, in the folder of the slots. Only cards written by `xpuck card flash` have
/// this file.
pub const ROOTS: &str = "roots";

/// Selection of the root to boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roots {
    /// Root that was found healthy.
    pub current: Slot,
    /// Root on trial, if any.
    pub trial: Option<Slot>,
    /// Remaining boots of the trial; 0 without a trial.
    pub starts: u8,
}

impl Roots {
    /// Creates the selection for a card with a healthy root and without a trial.
    pub fn settled(current: Slot) -> Roots {
        Roots { current, trial: None, starts: 0 }
    }

    /// Returns the selection with a new trial of the root `trial`.
    #[must_use]
    pub fn with_trial(self, trial: Slot) -> Roots {
        Roots { trial: Some(trial), starts: STARTS, ..self }
    }

    /// Returns the root of the next boot. This is the root on trial while boots of the trial remain, and otherwise the
    /// current root.
    pub fn next(self) -> Slot {
        self.trial.filter(|_| self.starts > 0).unwrap_or(self.current)
    }

    /// Whether the board must be rebooted, given that root `here` runs. During a trial, a reboot is needed only if
    /// `here` is not the root on trial and boots of the trial remain.
    pub fn wants_boot(self, here: Slot) -> bool {
        match self.trial {
            Some(trial) => trial != here && self.starts > 0,
            None => self.current != here,
        }
    }

    /// Returns the text of the file. Each line has a keyword and a value, so that a shell script can read the file.
    pub fn to_text(self) -> String {
        let mut text = format!("current {}\n", self.current.folder());
        if let Some(trial) = self.trial {
            text += &format!("trial {}\nstarts {}\n", trial.folder(), self.starts);
        }
        text
    }

    /// Parses the text of the file; returns `None` if it is invalid.
    pub fn parse(text: &str) -> Option<Roots> {
        let value = |key: &str| {
            text.lines().find_map(|line| line.strip_prefix(key).and_then(|rest| rest.strip_prefix(' '))).map(str::trim)
        };
        let current = Slot::from_root_name(value("current")?)?;
        let trial = match value("trial") {
            None | Some("") => None,
            Some(name) => Some(Slot::from_root_name(name)?),
        };
        Some(Roots { current, trial, starts: value("starts").map_or(Some(0), |text| text.parse().ok())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_file_round_trips() {
        let settled = Roots::settled(Slot::RootA);
        let tried = settled.with_trial(Slot::RootB);
        for roots in [settled, tried, Roots { starts: 0, ..tried }] {
            assert_eq!(Roots::parse(&roots.to_text()), Some(roots));
        }
        assert_eq!((settled.next(), tried.next()), (Slot::RootA, Slot::RootB));
        assert_eq!(Roots { starts: 0, ..tried }.next(), Slot::RootA);
        for text in ["", "current @c\n", "current a\n", "current @a\ntrial @x\n", "current @a\ntrial @b\nstarts -1\n"] {
            assert_eq!(Roots::parse(text), None, "{text}");
        }
    }
}

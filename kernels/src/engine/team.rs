//! Assignment of programs to the robots of a swarm.

use std::sync::Arc;

/// Programs of a swarm's robots, as indices into a list of programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Team(Programs);

/// Compact representation, because there are hundreds of thousands of jobs. A team with one program and clones of a
/// team do not allocate memory.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Programs {
    All(u32),
    /// Programs of the first robots, one per robot. Further robots run program 0.
    Each(Arc<[u32]>),
}

impl Team {
    /// Creates a team in which all robots run the same program.
    pub fn all(program: usize) -> Team {
        Team(Programs::All(program as u32))
    }

    /// Creates a team in which the first `counts[0]` robots run program 0, the next `counts[1]` robots run program 1,
    /// and so on. Further robots run program 0.
    pub fn mixed(counts: &[usize]) -> Team {
        let programs =
            counts.iter().enumerate().flat_map(|(program, count)| std::iter::repeat_n(program as u32, *count));
        Team(Programs::Each(programs.collect()))
    }

    /// Creates a team in which robot i runs the i-th of these programs. Further robots run program 0.
    pub fn from_programs(programs: impl IntoIterator<Item = usize>) -> Team {
        Team(Programs::Each(programs.into_iter().map(|program| program as u32).collect()))
    }

    /// Returns the index of a robot's program.
    pub fn program(&self, robot: usize) -> usize {
        match &self.0 {
            Programs::All(program) => *program as usize,
            Programs::Each(programs) => programs.get(robot).map_or(0, |program| *program as usize),
        }
    }

    /// Returns the team of the first `robots` robots, with program indices converted by `number`. Returns `None` if any
    /// conversion fails.
    pub fn renumbered(&self, robots: usize, number: impl Fn(usize) -> Option<usize>) -> Option<Team> {
        match &self.0 {
            Programs::All(program) => number(*program as usize).map(Team::all),
            Programs::Each(_) => {
                let programs: Option<Arc<[u32]>> =
                    (0..robots).map(|robot| number(self.program(robot)).map(|program| program as u32)).collect();
                programs.map(|programs| Team(Programs::Each(programs)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_count_robots_by_program() {
        let programs = |team: &Team, robots: usize| (0..robots).map(|i| team.program(i)).collect::<Vec<_>>();
        let team = Team::mixed(&[2, 0, 3]);
        assert_eq!(programs(&team, 6), [0, 0, 2, 2, 2, 0]);
        assert_eq!(programs(&Team::mixed(&[100, 156]), 256), [vec![0; 100], vec![1; 156]].concat());
        assert_eq!(programs(&team.renumbered(5, |p| Some(p + 7)).unwrap(), 5), [7, 7, 9, 9, 9]);
        assert_eq!(team.renumbered(5, |p| (p < 2).then_some(p)), None);
        let first = team.renumbered(2, |p| (p < 2).then_some(p)).unwrap();
        assert_eq!(programs(&first, 2), [0, 0], "only its robots count");
        assert_eq!(Team::all(3).renumbered(5, |p| Some(p + 1)), Some(Team::all(4)));
        assert!(size_of::<Team>() <= 24, "a job stays small");
    }
}

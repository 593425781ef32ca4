//! Which robot of a swarm runs which program.

use crate::model::MAX_ROBOTS;

/// The programs of a swarm's robots, as indices into a list of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Team([u32; MAX_ROBOTS]);

impl Team {
    /// All robots run one program.
    pub fn all(program: usize) -> Team {
        Team([program as u32; MAX_ROBOTS])
    }

    /// So many robots run program 0, the next so many program 1 and so on; robots beyond run program 0.
    pub fn mixed(counts: &[usize]) -> Team {
        let mut team = Team::all(0);
        let programs =
            counts.iter().enumerate().flat_map(|(program, count)| std::iter::repeat_n(program as u32, *count));
        for (place, program) in team.0.iter_mut().zip(programs) {
            *place = program;
        }
        team
    }

    /// Robot i runs the i-th of these programs; robots beyond run program 0.
    pub fn of(programs: impl IntoIterator<Item = usize>) -> Team {
        let mut team = Team::all(0);
        for (place, program) in team.0.iter_mut().zip(programs) {
            *place = program as u32;
        }
        team
    }

    /// The program of a robot.
    pub fn program(&self, robot: usize) -> usize {
        self.0[robot] as usize
    }

    /// The same team with other numbers for the programs of its first `robots` robots; `None` where one has none.
    pub fn renumbered(&self, robots: usize, number: impl Fn(usize) -> Option<usize>) -> Option<Team> {
        let mut team = Team::all(0);
        for (place, program) in team.0[..robots].iter_mut().zip(&self.0) {
            *place = number(*program as usize)? as u32;
        }
        Some(team)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn teams_count_robots_by_program() {
        let programs = |team: Team| (0..MAX_ROBOTS).map(|i| team.program(i)).collect::<Vec<_>>();
        let team = Team::mixed(&[2, 0, 3]);
        assert_eq!(programs(team)[..6], [0, 0, 2, 2, 2, 0]);
        assert_eq!(programs(Team::mixed(&[10, 10])), [vec![0; 10], vec![1; 6]].concat());
        let renumbered = team.renumbered(5, |p| Some(p + 7)).unwrap();
        assert_eq!(programs(renumbered)[..5], [7, 7, 9, 9, 9]);
        assert_eq!(team.renumbered(5, |p| (p < 2).then_some(p)), None);
        assert_eq!(team.renumbered(2, |p| (p < 2).then_some(p)), Some(Team::all(0)), "only its robots count");
    }
}

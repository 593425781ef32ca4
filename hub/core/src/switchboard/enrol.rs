//! Enrolment of new robots and replacement of boards while the hub runs.

use super::{Action, Switchboard};
use xpuck_wire::message::Reply;

/// Maximum number of robots that can be enrolled while a hub runs. The hub's robot port reserves connections for
/// them.
const NEWCOMERS: usize = 16;

impl Switchboard {
    /// Adds robots that were added to the swarm file. During a run, new robots are handled like robots after a power
    /// loss: they receive the experiment, and then RUN after they have accepted the experiment.
    pub(super) fn enrol(&mut self, now: f64, who: &str, robots: Vec<String>, peers: Vec<String>) -> Reply {
        let swarm = match self.config.swarm.grown(robots, peers) {
            Ok(swarm) => swarm,
            Err(why) => return Reply::Refused(why),
        };
        let known = self.config.swarm.robots.len();
        let new = swarm.robots.len() - known;
        if new == 0 {
            return Reply::Done;
        }
        if self.newcomers + new > NEWCOMERS {
            return Reply::Refused(format!(
                "a running hub accepts {NEWCOMERS} new robots and has accepted {}: restart it to add more",
                self.newcomers
            ));
        }
        self.newcomers += new;
        for (id, island) in swarm.robots[known..].iter().zip(known + 1..) {
            self.roster.add(id);
            let joins = if self.goes_on() { "; it joins the current run" } else { "" };
            self.note_for(now, who, format!("robot {id} is enrolled by {who}, its island is {island}{joins}"));
        }
        self.senses.set_robots(&swarm.robots);
        self.config.swarm = swarm.clone();
        self.actions.push(Action::Enrolled(Box::new(swarm)));
        // The state is stored at once, because the next hub must know the new robots after a crash, and the record's
        // folder must list them.
        self.snapshot_now(now);
        Reply::Done
    }

    /// Returns whether a run is in progress.
    fn goes_on(&self) -> bool {
        use xpuck_wire::Phase::{Finished, Idle, Parking};
        self.run.is_some() && !matches!(self.phase, Idle | Finished | Parking)
    }

    /// Marks a robot as replaced by another board with the same id. The robot's place in the run, its island number
    /// and its loaded trees are kept. Measurements of the former board are discarded.
    pub(super) fn replace(&mut self, now: f64, who: &str, place: usize) {
        let robot = &mut self.roster.robots[place];
        robot.replace(true);
        let text = format!("robot {} is replaced by {who}: its island restarts unless its state was copied", robot.id);
        self.note_for(now, who, text);
    }
}

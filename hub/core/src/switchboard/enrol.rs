//! Robots that come to the swarm while the hub runs, and boards that take the place of others.

use super::{Action, Switchboard};
use xpuck_wire::message::Reply;

/// Robots that a running hub takes at most: its port for robots has room for so many more connections.
const NEWCOMERS: usize = 16;

impl Switchboard {
    /// Takes robots that the swarm file lists since. They are heard as all others; a run that goes on is told to them as to
    /// a robot that lost its power: the experiment first, and RUN when they have it.
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
                "a running hub takes {NEWCOMERS} robots and has taken {}: start it again for more",
                self.newcomers
            ));
        }
        self.newcomers += new;
        for (id, island) in swarm.robots[known..].iter().zip(known + 1..) {
            self.roster.add(id);
            let joins = if self.goes_on() { "; it joins the run that goes on" } else { "" };
            self.note_for(now, who, format!("robot {id} is enrolled by {who}, its island is {island}{joins}"));
        }
        self.senses.set_robots(&swarm.robots);
        self.config.swarm = swarm.clone();
        self.actions.push(Action::Enrolled(Box::new(swarm)));
        // A hub that dies now must not forget them, and the record's folder names them.
        self.snapshot_now(now);
        Reply::Done
    }

    /// A run goes on: it has begun, and is not over.
    fn goes_on(&self) -> bool {
        use xpuck_wire::Phase::{Finished, Idle, Parking};
        self.run.is_some() && !matches!(self.phase, Idle | Finished | Parking)
    }

    /// Another board has this robot's name from now on. Its place in the run, its island's number and the trees that drove it
    /// stay; what was measured of the former board does not.
    pub(super) fn replace(&mut self, now: f64, who: &str, place: usize) {
        let robot = &mut self.roster.robots[place];
        robot.replace(true);
        let text = format!(
            "robot {} is replaced by {who}: its island begins anew unless its state was carried over",
            robot.id
        );
        self.note_for(now, who, text);
    }
}

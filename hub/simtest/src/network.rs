//! Simulated network. Each message is encoded and delayed. It may be lost, duplicated, reordered or held until a link
//! is restored.

use super::FORGED;
use super::plan::{FAULT_FREE_LINK, Link, Traits};
use super::text::invalid_gene;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_wire::codec::encode;
use xpuck_wire::message::{Directive, RobotMessage, State, ToRobot};
use xpuck_wire::seal::Sealed;

/// Maximum number of messages in transit.
pub const MOST: usize = 4_096;
/// Number of forged genes that are added to an answer.
const GENES: usize = 2;

/// Message in transit, with its time of arrival.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delivery {
    due: u32,
    order: u64,
    /// Robot at one end of the link.
    pub robot: usize,
    /// Whether the message is for the hub.
    pub to_hub: bool,
    /// Sending robot of a message between robots; `None` for a message to or from the hub.
    pub from_robot: Option<usize>,
    /// Connection of the robot: number of deaths of its program when the message was sent.
    pub connection: u32,
    /// Encoded message.
    pub bytes: Vec<u8>,
}

/// Link between one robot and the hub, in both directions.
#[derive(Clone, Copy, Debug)]
struct Line {
    link: Link,
    cut_until: u32,
    holds: bool,
    forged_until: u32,
    /// Time of the latest arrival in each direction (ms). On a link without overtaking, later messages do not arrive
    /// before this time.
    last: [u32; 2],
    /// Number of deaths of the robot's program, which identifies its connection.
    connection: u32,
}

/// All links and the messages in transit.
#[derive(Debug)]
pub struct Network {
    seed: u64,
    lines: Vec<Line>,
    flying: BinaryHeap<Reverse<Delivery>>,
    /// Encoded last RUN directive to each robot, for replay attacks.
    runs: Vec<Vec<u8>>,
    sent: u64,
    lost: u64,
    /// Number of messages sent between robots, which use links of their own.
    between: u64,
}

#[allow(clippy::wrong_self_convention, reason = "`to_hub` says where a message goes, and converts nothing")]
impl Network {
    /// Creates the network with the links of the robots.
    pub fn new(seed: u64, traits: &[Traits]) -> Network {
        let line = |t: &Traits| Line {
            link: t.link,
            cut_until: 0,
            holds: false,
            forged_until: 0,
            last: [0; 2],
            connection: 0,
        };
        let (lines, runs) = (traits.iter().map(line).collect(), vec![Vec::new(); traits.len()]);
        Network { seed, lines, flying: BinaryHeap::new(), runs, sent: 0, lost: 0, between: 0 }
    }

    /// Sends a robot's message to the hub.
    pub fn to_hub(&mut self, now: u32, robot: usize, message: &RobotMessage) {
        self.send(now, robot, true, encode(message));
    }

    /// Sends a message to a robot. If the message contains genes, and the robot's link has the fault started by
    /// [`Network::forge`], forged genes are added.
    pub fn to_robot(&mut self, now: u32, robot: usize, mut sealed: Sealed) {
        if let ToRobot::Genes { immigrants, .. } = &mut sealed.message
            && now < self.lines[robot].forged_until
        {
            let mut draws = Draws::new(self.seed, 4, robot as u32, self.sent as u32, Stream::Simtest);
            immigrants.splice(0..0, std::iter::repeat_with(|| invalid_gene(&mut draws)).take(GENES));
        }
        let bytes = encode(&sealed);
        if matches!(sealed.message, ToRobot::Directive(Directive { state: State::Run, number, .. }) if number < FORGED)
        {
            self.runs[robot].clone_from(&bytes);
        }
        self.send(now, robot, false, bytes);
    }

    /// Sends the last RUN directive to a robot again, with identical bytes. Does nothing if this robot was sent no RUN.
    pub fn replay(&mut self, now: u32, robot: usize) {
        if !self.runs[robot].is_empty() {
            self.send(now, robot, false, self.runs[robot].clone());
        }
    }

    /// Sends bytes on a robot's link, to the hub (`to_hub`) or to the robot.
    pub fn send(&mut self, now: u32, robot: usize, to_hub: bool, mut bytes: Vec<u8>) {
        self.sent += 1;
        let mut draws = Draws::new(self.seed, 5, robot as u32, self.sent as u32, Stream::Simtest);
        let line = &mut self.lines[robot];
        let cut = now < line.cut_until;
        if draws.unit() < line.link.loss || (cut && !line.holds) || self.flying.len() >= MOST {
            self.lost += 1;
            return;
        }
        let from = if cut { line.cut_until } else { now };
        let copies = if draws.unit() < line.link.twice { 2 } else { 1 };
        for copy in 0..copies {
            let delay = line.link.delay + line.link.jitter * draws.unit() * if copy == 0 { 1.0 } else { 8.0 };
            let mut due = from + delay as u32;
            if !line.link.overtaking {
                let last = &mut line.last[usize::from(to_hub)];
                // On a link without overtaking, later messages arrive no earlier than the first copy of this message.
                // The second copy may arrive after them.
                due = due.max(*last);
                *last = if copy == 0 { due } else { *last };
            }
            let order = 2 * self.sent + copy;
            let connection = line.connection;
            let bytes = if copy + 1 < copies { bytes.clone() } else { std::mem::take(&mut bytes) };
            let from_robot = None;
            self.flying.push(Reverse(Delivery { due, order, robot, to_hub, from_robot, connection, bytes }));
        }
    }

    /// Sends bytes on the link between two robots. The probability of loss is the higher one of the two robots' links
    /// to the hub. The message is lost if one of these links is cut. Messages may overtake each other.
    pub fn send_peer(&mut self, now: u32, from: usize, to: usize, bytes: Vec<u8>) {
        self.between += 1;
        let mut draws = Draws::new(self.seed, 9, to as u32, self.between as u32, Stream::Simtest);
        let ends = [from, to].map(|robot| self.lines[robot]);
        let loss = ends[0].link.loss.max(ends[1].link.loss);
        let cut = ends.iter().any(|line| now < line.cut_until);
        if draws.unit() < loss || cut || self.flying.len() >= MOST {
            return;
        }
        let copies = if draws.unit() < ends[0].link.twice { 2 } else { 1 };
        for copy in 0..copies {
            let link = ends[usize::from(ends[1].link.delay > ends[0].link.delay)].link;
            let due = now + (link.delay + link.jitter * draws.unit()) as u32;
            // This order places the message after all messages to or from the hub that arrive at the same time.
            let order = 1 << 63 | (2 * self.between + copy);
            let (robot, connection, bytes) = (to, ends[1].connection, bytes.clone());
            let from_robot = Some(from);
            self.flying.push(Reverse(Delivery { due, order, robot, to_hub: false, from_robot, connection, bytes }));
        }
    }

    /// Removes and returns the next message that has arrived by `now` (ms), if any.
    pub fn arrived(&mut self, now: u32) -> Option<Delivery> {
        let due = self.flying.peek().is_some_and(|Reverse(next)| next.due <= now);
        due.then(|| self.flying.pop()).flatten().map(|Reverse(delivery)| delivery)
    }

    /// Cuts a robot's link until the given time (ms). If `holds` is true, messages are delivered when the link is
    /// restored; otherwise they are lost.
    pub fn cut(&mut self, robot: usize, until: u32, holds: bool) {
        let line = &mut self.lines[robot];
        (line.cut_until, line.holds) = (line.cut_until.max(until), holds);
    }

    /// Adds forged genes to answers for a robot until the given time (ms).
    pub fn forge(&mut self, robot: usize, until: u32) {
        self.lines[robot].forged_until = until;
    }

    /// Handles the death of a robot's program. Messages in transit to the robot are lost, and the next program uses a
    /// new connection.
    pub fn robot_died(&mut self, robot: usize) {
        self.lines[robot].connection += 1;
        self.flying.retain(|Reverse(d)| d.to_hub || d.robot != robot);
    }

    /// Handles the death of the hub's program. Messages in transit to the hub are lost.
    pub fn hub_died(&mut self) {
        self.flying.retain(|Reverse(d)| !d.to_hub);
    }

    /// Restores all links to the fault-free state.
    pub fn restore(&mut self) {
        for line in &mut self.lines {
            *line = Line { link: FAULT_FREE_LINK, cut_until: 0, holds: false, forged_until: 0, ..*line };
        }
    }

    /// Returns the number of messages in transit.
    pub fn in_transit(&self) -> usize {
        self.flying.len()
    }

    /// Returns the number of sent messages, and the number of lost messages.
    pub fn counts(&self) -> (u64, u64) {
        (self.sent, self.lost)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ROBOTS;
    use super::super::plan::Plan;
    use super::*;

    #[test]
    fn links_lose_double_and_hold_up_as_planned() {
        let mut traits = Plan::new(1, 0).traits;
        traits[0].link = Link { delay: 5.0, jitter: 50.0, loss: 0.2, twice: 0.1, overtaking: false };
        let mut network = Network::new(1, &traits);
        for i in 0..10_000u32 {
            let message = ToRobot::Ping { stamp: f64::from(i) };
            network.to_robot(i, 0, Sealed { session: 1, hub: 1, count: u64::from(i), message });
            while network.arrived(i).is_some() {}
        }
        let (sent, lost) = network.counts();
        assert_eq!(sent, 10_000);
        assert!((1_800..2_200).contains(&lost), "{lost}");
        network.restore();
        network.cut(1, 30_000, true);
        network.to_hub(20_000, 1, &RobotMessage::Ping { stamp: 0.0 });
        while network.arrived(29_999).is_some_and(|d| d.robot == 0) {}
        assert!(network.in_transit() == 1 && network.arrived(29_999).is_none());
        assert!(network.arrived(30_100).is_some_and(|d| d.to_hub && d.robot == 1));
        assert_eq!(traits.len(), ROBOTS);
    }

    #[test]
    fn last_run_directive_is_replayed_byte_for_byte() {
        let mut network = Network::new(1, &Plan::new(1, 0).traits);
        network.restore();
        network.replay(0, 3);
        assert_eq!(network.in_transit(), 0, "there was none");
        let states = [(1, State::Run), (2, State::Run), (3, State::Stop), (FORGED, State::Run)];
        for (number, state) in states {
            let message = ToRobot::Directive(Directive {
                number,
                state,
                segment: 0,
                run: 1,
                phase: 0,
                tree: None,
                expires: 9.0,
                ..Directive::default()
            });
            network.to_robot(0, 3, Sealed { session: 1, hub: 1, count: number, message });
        }
        let sent: Vec<_> = std::iter::from_fn(|| network.arrived(100)).map(|d| d.bytes).collect();
        network.replay(100, 3);
        let again = network.arrived(200).map(|d| (d.robot, d.to_hub, d.bytes));
        assert_eq!(again, Some((3, false, sent[1].clone())));
    }
}

//! Tests with two and three robots that exchange single messages.

use super::*;
use xpuck_evolve::{Id, Samples};
use xpuck_experiment::Experiment;
use xpuck_kernels::tree::Tree;
use xpuck_wire::peers_report::RangeBy;

const RUN: RunName = RunName { number: 5, seed: 1 };
const TREES: [&str; 4] = ["successl", "failurel", "movcv v_goal 0deg", "movcv v_goal 1deg"];

fn plan(more: &str) -> Plan {
    let text =
        format!("name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\ngenes = \"peers\"\n{more}");
    Plan::new(&Experiment::parse("e", &text).unwrap(), &Default::default(), Some(9)).unwrap()
}

fn migrant(island: u16, number: u32, tree: &str, fitness: f64) -> Migrant {
    let samples = Samples::from_parts([4, 0], [4.0 * fitness, 0.0], [4.0 * fitness * fitness, 0.0]).unwrap();
    Migrant { id: Id { island, number }, tree: Tree::parse(tree).unwrap(), samples, epoch: 0 }
}

/// First robots of a swarm with nine robots.
struct Swarm {
    robots: Vec<Peers>,
    plan: Plan,
    now: f64,
    /// All delivered messages, each with sender, receiver and contents.
    travelled: Vec<(u16, u16, PeerMessage)>,
}

impl Swarm {
    fn new(robots: u16, more: &str) -> Swarm {
        let plan = plan(more);
        let robot = |me| {
            let mut peers = Peers::new(me, 9, 1000 + u64::from(me));
            peers.enter(Some((RUN, &plan)));
            peers
        };
        Swarm { robots: (1..=robots).map(robot).collect(), now: 0.0, travelled: Vec::new(), plan }
    }

    fn at(&mut self, me: u16) -> &mut Peers {
        &mut self.robots[usize::from(me) - 1]
    }

    fn hears(&mut self, me: u16, others: &[u16]) {
        let now = self.now;
        let heard: Vec<Neighbour> = others.iter().map(|i| Neighbour { island: *i, range: 0.2, bearing: 0.0 }).collect();
        self.at(me).sense(now, &heard);
    }

    /// Delivers messages until no robot sends another message.
    fn deliver(&mut self) {
        loop {
            let mut sent = Vec::new();
            for (me, robot) in (1..).zip(&mut self.robots) {
                sent.extend(robot.take_messages().into_iter().map(|(to, message)| (me, to, message)));
            }
            if sent.is_empty() {
                return;
            }
            for (from, to, message) in sent {
                self.travelled.push((from, to, message.clone()));
                let (now, heard) = (self.now, open(message, Some(&self.plan.primitive_set)));
                if usize::from(to) <= self.robots.len() {
                    self.at(to).on_message(now, from, heard);
                }
            }
        }
    }

    fn pass(&mut self, seconds: f64) {
        self.now += seconds;
        let now = self.now;
        self.robots.iter_mut().for_each(|robot| robot.on_time(now));
        self.deliver();
    }

    fn generation(&mut self, me: u16, generation: u32, gene: Migrant) -> Vec<Id> {
        self.at(me).generation_done(generation, &gene).iter().map(|migrant| migrant.id).collect()
    }

    fn refused(&mut self, me: u16) -> xpuck_wire::peers_report::PeerRefusals {
        let now = self.now;
        self.at(me).report(now).refused
    }
}

fn id(island: u16, number: u32) -> Id {
    Id { island, number }
}

#[test]
fn emigrants_of_heard_robots_immigrate_by_fitness() {
    let mut swarm = Swarm::new(3, "");
    for (i, fitness) in [0.1, 0.3].into_iter().enumerate() {
        let generation = i as u32 + 1;
        assert!(swarm.generation(2, generation, migrant(2, generation, TREES[i], fitness)).is_empty());
        assert!(swarm.generation(3, generation, migrant(3, generation, TREES[i + 2], 0.9)).is_empty());
    }
    swarm.hears(1, &[2]);
    swarm.pass(0.1);
    // Robot 2 hears no robot. It still answers robot 1, because robot 1 hears robot 2.
    assert_eq!(swarm.generation(1, 1, migrant(1, 1, TREES[0], 0.2)), [id(2, 2), id(2, 1)], "not those of 3");
    let report = swarm.at(1).report(0.1);
    assert_eq!((report.generation, &report.from[..], report.answered, report.genes), (1, &[2, 2][..], 1, 2));
    assert_eq!((report.in_range, report.by, report.refused.total()), (1, RangeBy::Heard, 0));
    // Robot 2 sends only its new emigrant.
    swarm.generation(2, 3, migrant(2, 3, TREES[2], 0.5));
    swarm.pass(1.0);
    let last = swarm.travelled.last().unwrap();
    assert!(matches!(&last.2, PeerMessage::Genes { genes, .. } if genes.len() == 1), "{last:?}");
    assert_eq!(swarm.generation(1, 2, migrant(1, 2, TREES[0], 0.2)), [id(2, 3), id(2, 2), id(2, 1)]);
}

#[test]
fn immigrants_are_unique_and_of_current_epoch() {
    let mut swarm = Swarm::new(3, "[migration]\nreceive = 3\nkeep = 2\n");
    assert!(swarm.generation(1, 1, migrant(1, 1, TREES[0], 0.2)).is_empty(), "at once, with nobody there");
    let fresh = Migrant { epoch: 1, ..migrant(2, 9, TREES[3], 0.9) };
    for (generation, gene) in [(1, migrant(2, 1, TREES[0], 0.8)), (2, migrant(2, 2, TREES[1], 0.4)), (3, fresh)] {
        swarm.generation(2, generation, gene);
    }
    for (generation, number, tree) in [(1, 1, TREES[1]), (2, 2, TREES[2])] {
        swarm.generation(3, generation, migrant(3, number, tree, 0.5));
    }
    swarm.hears(1, &[2, 3]);
    swarm.pass(0.1);
    // Robot 2 keeps two emigrants, and neither of them immigrates. One belongs to another epoch. The tree of the other
    // one is also offered by robot 3, with a higher fitness.
    assert_eq!(swarm.generation(1, 2, migrant(1, 2, TREES[0], 0.2)), [id(3, 1), id(3, 2)]);
}

#[test]
fn restarted_island_replaces_its_earlier_genes() {
    let mut swarm = Swarm::new(2, "");
    (1..=5).for_each(|generation| drop(swarm.generation(2, generation, migrant(2, generation, TREES[0], 0.9))));
    swarm.hears(1, &[2]);
    swarm.pass(0.1);
    swarm.generation(2, 1, migrant(2, 1, TREES[3], 0.1));
    swarm.hears(1, &[2]);
    swarm.pass(1.1);
    assert_eq!(swarm.generation(1, 1, migrant(1, 1, TREES[1], 0.2)), [id(2, 1)]);
}

#[test]
fn range_falls_back_to_last_heard_then_network() {
    let mut swarm = Swarm::new(9, "");
    for robot in 1..=9 {
        swarm.generation(robot, 1, migrant(robot, 1, TREES[usize::from(robot) % 4], 0.1 * f64::from(robot)));
    }
    swarm.hears(1, &[4]);
    swarm.pass(20.0);
    swarm.travelled.clear();
    swarm.pass(1.0);
    let asked = |swarm: &Swarm| -> Vec<u16> {
        let by_1 = |t: &&(u16, u16, PeerMessage)| t.0 == 1 && matches!(t.2, PeerMessage::Ask { .. });
        swarm.travelled.iter().filter(by_1).map(|t| t.1).collect()
    };
    assert_eq!(asked(&swarm), [4], "21 s after it was heard");
    swarm.travelled.clear();
    swarm.pass(10.0);
    (0..9).for_each(|_| swarm.pass(0.1));
    let mut all = asked(&swarm);
    all.sort_unstable();
    assert_eq!(all, [2, 3, 4, 5, 6, 7, 8, 9], "four in an update, each once in a second");
    let ids = swarm.generation(1, 2, migrant(1, 2, TREES[0], 0.0));
    assert_eq!(ids[0], id(9, 1), "the fittest of all");
}

#[test]
fn unrequested_or_foreign_run_answers_are_ignored() {
    let mut swarm = Swarm::new(2, "");
    swarm.hears(1, &[2]);
    let answer = |number, run| {
        let migrants = vec![(1, migrant(2, 1, TREES[0], 0.9))];
        PeerInput::Genes { number, run, generation: 1, migrants, refused: (0, None) }
    };
    swarm.at(1).on_message(0.0, 2, answer(7, RUN));
    swarm.at(1).on_time(0.0);
    let [(2, PeerMessage::Ask { number, .. })] = swarm.at(1).take_messages()[..] else { panic!() };
    let other = RunName { number: 6, ..RUN };
    swarm.at(1).on_message(0.1, 2, answer(number, other));
    swarm.at(1).on_message(0.1, 3, answer(number, RUN));
    swarm.at(1).on_message(0.1, 2, answer(number, RUN));
    swarm.at(1).on_message(0.1, 2, answer(number, RUN));
    let refused = swarm.refused(1);
    assert_eq!((refused.unasked, refused.other_run, refused.out_of_range), (2, 1, 1));
    assert_eq!(swarm.generation(1, 1, migrant(1, 1, TREES[1], 0.1)), [id(2, 1)], "the one that was asked for");
    // Robot 1 rejects a late answer, questions at too high a rate, and a question about another run.
    swarm.at(1).sense(5.0, &[Neighbour { island: 2, range: 0.1, bearing: 0.0 }]);
    swarm.at(1).on_time(5.0);
    let [(2, PeerMessage::Ask { number, .. })] = swarm.at(1).take_messages()[..] else { panic!() };
    swarm.at(1).sense(8.5, &[Neighbour { island: 2, range: 0.1, bearing: 0.0 }]);
    swarm.at(1).on_message(8.5, 2, answer(number, RUN));
    (0..10).for_each(|_| swarm.at(1).on_message(8.5, 2, PeerInput::Ask { number: 1, run: RUN, after: 0 }));
    swarm.at(1).on_message(9.5, 2, PeerInput::Ask { number: 1, run: other, after: 0 });
    let refused = swarm.refused(1);
    assert_eq!((refused.unasked, refused.too_many, refused.other_run), (3, 9, 2));
}

#[test]
fn bad_genes_and_outsiders_are_counted_and_logged_rarely() {
    let mut swarm = Swarm::new(2, "");
    for round in 0..30u32 {
        let now = f64::from(round);
        swarm.at(1).sense(now, &[Neighbour { island: 2, range: 0.1, bearing: 0.0 }]);
        swarm.at(1).on_time(now);
        let [(2, PeerMessage::Ask { number, .. })] = swarm.at(1).take_messages()[..] else { panic!() };
        let refused = (1, Some("migrant 2.1: no tree".into()));
        let answer = PeerInput::Genes { number, run: RUN, generation: 1, migrants: Vec::new(), refused };
        swarm.at(1).on_message(now, 2, answer);
        swarm.at(1).on_message(now, 2, PeerInput::Nothing("malformed".into()));
        swarm.at(1).refused_outside(u64::from(round), 1);
    }
    swarm.now = 30.0;
    let refused = swarm.refused(1);
    assert_eq!((refused.genes, refused.unreadable, refused.keys, refused.too_many), (30, 30, 29, 30));
    let lines = swarm.at(1).take_lines();
    assert_eq!(lines.len(), 6, "the first and the tenth of each: {lines:?}");
}

#[test]
fn controllers_in_range_receive_bounded_messages_once() {
    let mut swarm = Swarm::new(3, "");
    swarm.hears(1, &[2]);
    assert_eq!(swarm.at(1).say(0.0, 3, b"hi"), Err(SayError::OutOfRange(3)));
    assert_eq!(swarm.at(1).say(0.0, 2, &[0; 65]), Err(SayError::Long(65)));
    swarm.at(1).say(0.0, 2, b"first").unwrap();
    swarm.deliver();
    assert_eq!((swarm.at(2).heard(), swarm.refused(2).out_of_range), (None, 1), "2 does not hear 1");
    swarm.hears(2, &[1]);
    swarm.at(1).say(0.0, 2, b"second").unwrap();
    swarm.at(1).say(0.0, 2, &[7; 64]).unwrap();
    swarm.deliver();
    assert_eq!(swarm.at(2).heard(), Some((1, b"second".to_vec())));
    assert_eq!((swarm.at(2).heard(), swarm.at(2).heard()), (Some((1, vec![7; 64])), None));
    let again = swarm.travelled.last().unwrap().2.clone();
    swarm.at(2).on_message(0.0, 1, open(again, None));
    assert_eq!((swarm.at(2).heard(), swarm.refused(2).unasked), (None, 1), "words that come again");
    // Texts beyond the rate limit are rejected. Texts that a controller does not read occupy a bounded amount of
    // memory.
    let said = (0..100).filter(|_| swarm.at(1).say(0.1, 2, b"x").is_ok()).count();
    assert_eq!((said, swarm.at(1).say(0.1, 2, b"x")), (19, Err(SayError::TooFast)));
    for count in 100..200 {
        swarm.at(2).on_message(1.0, 1, PeerInput::Say { session: 9, count, bytes: vec![1] });
    }
    assert!(swarm.refused(2).too_many >= 80);
    assert!(std::iter::from_fn(|| swarm.at(2).heard()).count() <= WAITING);
}

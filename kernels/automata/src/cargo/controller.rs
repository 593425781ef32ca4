//! Controller: the modules and their arbitration. Either post-offices filter the messages of their modules, or a
//! behaviour tree gives the motors to one module.

use super::arbiter::{Arbiter, Arbitrating, Behaviour, UPDATE};
use super::modules::{
    Avoidance, Cargoloader, Envelope, Explore, LineFollower, Motordriver, Navigate, Outbox, Trackers,
};
use super::plant::{Senses, World};
use crate::automaton::{Automaton, Kind, Message, Module, PostOffice, Usage, print};
use xpuck_kernels::random::Draws;

/// Maximum number of messages in one tick. Further messages are dropped, which ends message loops between
/// post-offices.
const MAX_MESSAGES: usize = 128;

/// Automata of a controller, in the order of [`Module::ARBITRATED`]. The messages of a module without an automaton are
/// not filtered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ControllerAutomata(pub [Option<Automaton>; 4]);

impl ControllerAutomata {
    /// Returns all automata as text, each below its module's name.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (module, automaton) in Module::ARBITRATED.into_iter().zip(&self.0) {
            if let Some(automaton) = automaton {
                text.push_str(&format!("module {}\n{}", module.name(), print(automaton)));
            }
        }
        text
    }
}

/// Method of arbitration between the modules.
#[derive(Clone, Copy, Debug)]
pub enum Arbitration<'a> {
    /// Post-offices filter the messages of their modules.
    Automata(&'a ControllerAutomata),
    /// A behaviour tree gives the motors to one module.
    Tree(&'a Arbiter),
}

impl Arbitration<'_> {
    /// Returns the automata or the tree as text. The seed of a run depends on this text.
    pub fn text(self) -> String {
        match self {
            Arbitration::Automata(automata) => automata.text(),
            Arbitration::Tree(arbiter) => arbiter.tree().to_string(),
        }
    }
}

impl<'a> From<&'a ControllerAutomata> for Arbitration<'a> {
    fn from(automata: &'a ControllerAutomata) -> Arbitration<'a> {
        Arbitration::Automata(automata)
    }
}

impl<'a> From<&'a Arbiter> for Arbitration<'a> {
    fn from(arbiter: &'a Arbiter) -> Arbitration<'a> {
        Arbitration::Tree(arbiter)
    }
}

/// Usage of each automaton, in the order of [`Module::ARBITRATED`].
pub type Usages = [Usage; 4];

/// Program of a robot: the modules, and the post-offices or the tree.
pub(super) struct Controller<'a> {
    offices: [Option<PostOffice<'a>>; 4],
    tree: Option<Arbitrating<'a>>,
    navigate: Navigate,
    cargoloader: Cargoloader,
    motordriver: Motordriver,
    line_follower: LineFollower,
    avoidance: Avoidance,
    explore: Explore,
    trackers: Trackers,
    queue: Vec<Envelope>,
    draws: Draws,
}

impl<'a> Controller<'a> {
    pub fn new(arbitration: Arbitration<'a>, draws: Draws) -> Controller<'a> {
        let (offices, tree) = match arbitration {
            Arbitration::Automata(automata) => {
                (automata.0.each_ref().map(|automaton| automaton.as_ref().map(PostOffice::new)), None)
            }
            Arbitration::Tree(arbiter) => ([const { None }; 4], Some(Arbitrating::new(arbiter))),
        };
        let mut controller = Controller {
            offices,
            tree,
            navigate: Navigate::new(),
            cargoloader: Cargoloader::new(),
            motordriver: Motordriver::default(),
            line_follower: LineFollower::new(),
            avoidance: Avoidance::new(),
            explore: Explore::new(),
            trackers: Trackers::default(),
            queue: Vec::with_capacity(16),
            draws,
        };
        // With post-offices, the start messages of Petrovic's program are sent. With a tree, no module drives at the
        // start.
        if controller.tree.is_none() {
            for kind in [Kind::AvoidanceStart, Kind::ExploreStart] {
                controller.queue.push(Envelope { from: Module::Beep, to: None, priority: 0, message: kind.into() });
            }
        }
        controller
    }

    /// Returns the usage of the automata.
    pub fn usages(&self) -> Usages {
        self.offices.each_ref().map(|office| office.as_ref().map_or(Usage::default(), |office| *office.usage()))
    }

    /// Returns the next time at which a module or the tree must wake (ms).
    pub fn next(&self) -> u32 {
        let first = self.navigate.wake_at().min(self.cargoloader.wake_at());
        let second = self.line_follower.wake_at().min(self.avoidance.wake_at());
        let third = self.tree.as_ref().map_or(u32::MAX, |tree| tree.next);
        first.min(second).min(self.explore.wake_at()).min(third)
    }

    /// Executes the program in the tick at `now` (ms).
    pub fn tick(&mut self, now: u32, plant: &mut World) {
        let senses = plant.senses();
        let marks = plant.take_marks();
        let out = &mut Outbox { now, draws: &mut self.draws, queue: &mut self.queue };
        self.trackers.update(senses, marks, out);
        if self.navigate.wake_at() <= now {
            self.navigate.wake(out);
        }
        if self.cargoloader.wake_at() <= now {
            self.cargoloader.wake(out);
        }
        if self.line_follower.wake_at() <= now {
            self.line_follower.wake(out);
        }
        if self.avoidance.wake_at() <= now {
            self.avoidance.wake(out);
        }
        if self.explore.wake_at() <= now {
            self.explore.wake(out);
        }
        let mut said = self.drain(now, plant);
        if let Some(mut tree) = self.tree.take() {
            tree.called |= marks > 0;
            if tree.next <= now {
                tree.next = now + UPDATE;
                self.arbitrate(now, &mut tree, senses, plant);
            }
            self.tree = Some(tree);
            said |= self.drain(now, plant);
        }
        if said {
            let [left, right, fork] = self.motordriver.powers();
            plant.drive(left, right);
            plant.lift(fork);
        }
    }

    /// Sends all queued messages and the messages caused by them. Returns whether any message was sent.
    fn drain(&mut self, now: u32, plant: &mut World) -> bool {
        let mut taken = 0;
        while taken < self.queue.len() && taken < MAX_MESSAGES {
            let envelope = self.queue[taken];
            taken += 1;
            self.send(now, envelope, plant);
        }
        self.queue.clear();
        taken > 0
    }

    /// Gives the motors to the behaviour that the tree selects, unless an action that must finish is in progress.
    fn arbitrate(&mut self, now: u32, tree: &mut Arbitrating, senses: Senses, plant: &mut World) {
        tree.driving = tree.driving.filter(|&behaviour| self.is_at_work(behaviour));
        if tree.driving.is_some_and(|behaviour| behaviour.ends().is_none()) {
            tree.called = false;
            return;
        }
        let wanted = tree.wanted(senses, &mut self.draws);
        if wanted == tree.driving {
            return;
        }
        if let Some((before, end)) = tree.driving.and_then(|before| Some((before, before.ends()?))) {
            self.dispatch(now, before.module(), Module::Beep, 0, end.into(), plant);
        }
        if let Some(behaviour) = wanted {
            self.dispatch(now, behaviour.module(), Module::Beep, 0, behaviour.begins().into(), plant);
        }
        tree.driving = wanted;
    }

    fn is_at_work(&self, behaviour: Behaviour) -> bool {
        match behaviour {
            Behaviour::Explore => true,
            Behaviour::Avoid => self.avoidance.wake_at() != u32::MAX || self.navigate.serves(Module::Avoidance),
            Behaviour::Follow => self.line_follower.is_following(),
            Behaviour::Load | Behaviour::Unload => self.cargoloader.wake_at() != u32::MAX,
        }
    }

    /// Sends a message through the post-office of its sender.
    fn send(&mut self, now: u32, envelope: Envelope, plant: &mut World) {
        let office = envelope.from.arbitrated().and_then(|i| self.offices[i].as_mut());
        let Some(office) = office else { return self.route(now, envelope, plant) };
        let passed = office.outgoing(envelope.message);
        if let Some(message) = passed.out {
            let to = if message.kind == envelope.message.kind { envelope.to } else { None };
            self.route(now, Envelope { to, message, ..envelope }, plant);
        }
        if let Some(message) = passed.inward {
            self.dispatch(now, envelope.from, envelope.from, 0, message, plant);
        }
    }

    fn route(&mut self, now: u32, envelope: Envelope, plant: &mut World) {
        match envelope.to {
            Some(to) => self.deliver(now, to, envelope, plant),
            None => {
                for to in Module::ALL {
                    let hears = to.arbitrated().is_some() || to.inputs().contains(&envelope.message.kind);
                    if to != envelope.from && hears {
                        self.deliver(now, to, envelope, plant);
                    }
                }
            }
        }
    }

    /// Delivers a message through the post-office of its receiver.
    fn deliver(&mut self, now: u32, to: Module, envelope: Envelope, plant: &mut World) {
        let office = to.arbitrated().and_then(|i| self.offices[i].as_mut());
        let Some(office) = office else {
            // If a tree arbitrates, only the tree starts avoidance.
            if self.tree.is_some() && to == Module::Avoidance && envelope.message.kind == Kind::BumpersPressed {
                return;
            }
            return self.dispatch(now, to, envelope.from, envelope.priority, envelope.message, plant);
        };
        let passed = office.incoming(envelope.message);
        if let Some(message) = passed.out
            && self.queue.len() < MAX_MESSAGES
        {
            // The message has already passed the post-office. Its sender is therefore set to Beep, a module without a
            // post-office.
            self.queue.push(Envelope { from: Module::Beep, to: None, priority: to.priority(), message });
        }
        if let Some(message) = passed.inward {
            self.dispatch(now, to, envelope.from, envelope.priority, message, plant);
        }
    }

    fn dispatch(&mut self, now: u32, to: Module, from: Module, priority: u8, message: Message, plant: &mut World) {
        let out = &mut Outbox { now, draws: &mut self.draws, queue: &mut self.queue };
        match to {
            Module::Navigate => self.navigate.handle(message, from, priority, out),
            Module::Cargoloader => self.cargoloader.handle(message, out),
            Module::Motordriver => self.motordriver.handle(message, priority),
            Module::LineFollower => self.line_follower.handle(message, out),
            Module::Avoidance => self.avoidance.handle(message, out),
            Module::Explore => self.explore.handle(message, out),
            Module::Lighttracker => self.trackers.answer(from, plant.brightness(), out),
            Module::Bumpertracker | Module::Linetracker | Module::Beep => {}
        }
    }
}

//! Behaviour tree that arbitrates between the modules, in place of post-offices.
//!
//! The tree is ticked at 10 Hz, as on every robot. It reads the state of the trackers and of the line follower, and
//! signals the module that gets the motors. Each state is a vector that is either ahead (1, 0) or zero:
//!
//! | register | ahead |
//! |---|---|
//! | `v_prox` | while the bumper is pressed |
//! | `v_blue` | while the robot is under a lamp |
//! | `v_green` | while the line sensor is over a line |
//! | `v_red` | if a station has called since the last tick |
//! | `v_light` | while the line follower has the motors and follows or searches a line |
//!
//! Explore and the line follower drive until the tree selects another behaviour. Avoidance and the cargo loader finish
//! their action first, and the tree is not ticked during this action. If the tree does not select an available
//! behaviour, no module drives.

use super::plant::Senses as Trackers;
use super::scene::TICK;
use crate::automaton::{Kind, Module};
use xpuck_kernels::math::vec2;
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{CompileError, Memory, Program, Senses, Tree};

/// Interval between ticks of the tree (ms).
pub(super) const UPDATE: u32 = 5 * TICK;

/// Behaviour that a tree can select. Its number is the tree's signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Behaviour {
    /// Walks at random, with a preference for light.
    Explore = 1,
    /// Backs off and turns.
    Avoid = 2,
    /// Follows the right edge of a line.
    Follow = 3,
    /// Turns round and loads cargo.
    Load = 4,
    /// Turns round and unloads cargo.
    Unload = 5,
}

impl Behaviour {
    /// All behaviours, in the order of their numbers.
    pub const ALL: [Behaviour; 5] =
        [Behaviour::Explore, Behaviour::Avoid, Behaviour::Follow, Behaviour::Load, Behaviour::Unload];

    /// Returns the behaviour's name in evolution's leaf set and in menus.
    pub fn name(self) -> &'static str {
        match self {
            Behaviour::Explore => "exploring",
            Behaviour::Avoid => "backing",
            Behaviour::Follow => "following",
            Behaviour::Load => "loading",
            Behaviour::Unload => "unloading",
        }
    }

    /// Returns the module that executes the behaviour.
    pub fn module(self) -> Module {
        match self {
            Behaviour::Explore => Module::Explore,
            Behaviour::Avoid => Module::Avoidance,
            Behaviour::Follow => Module::LineFollower,
            Behaviour::Load | Behaviour::Unload => Module::Cargoloader,
        }
    }

    /// Returns the message that starts the behaviour.
    pub(super) fn begins(self) -> Kind {
        match self {
            Behaviour::Explore => Kind::ExploreStart,
            Behaviour::Avoid => Kind::BumpersPressed,
            Behaviour::Follow => Kind::LineFollowerFollow,
            Behaviour::Load => Kind::CargoloaderLoad,
            Behaviour::Unload => Kind::CargoloaderUnload,
        }
    }

    /// Returns the message that ends the behaviour; `None` if the behaviour ends by itself.
    pub(super) fn ends(self) -> Option<Kind> {
        match self {
            Behaviour::Explore => Some(Kind::ExploreStop),
            Behaviour::Follow => Some(Kind::LineFollowerStop),
            Behaviour::Avoid | Behaviour::Load | Behaviour::Unload => None,
        }
    }
}

/// Behaviour tree used as an arbiter.
#[derive(Clone, Debug)]
pub struct Arbiter {
    tree: Tree,
    program: Program,
    modules: Vec<Module>,
}

impl Arbiter {
    /// Creates an arbiter from a tree that can give the motors to `modules`.
    ///
    /// # Errors
    /// Returns an error if the tree is too large for a robot.
    pub fn new(tree: Tree, modules: &[Module]) -> Result<Arbiter, CompileError> {
        let program = Program::compile(&tree)?;
        Ok(Arbiter { tree, program, modules: modules.into() })
    }

    /// Returns the behaviour tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the behaviour with this number; `None` if the tree cannot give the motors to the behaviour's module.
    pub(super) fn behaviour(&self, signal: u8) -> Option<Behaviour> {
        let named = Behaviour::ALL.into_iter().find(|&behaviour| behaviour as u8 == signal);
        named.filter(|behaviour| self.modules.contains(&behaviour.module()))
    }
}

/// Arbiter with its state during a run.
pub(super) struct Arbitrating<'a> {
    arbiter: &'a Arbiter,
    memory: Memory,
    /// Time of the next tick of the tree (ms).
    pub next: u32,
    /// Behaviour that was last given the motors; `None` if the tree selected none, or if the behaviour has ended.
    pub driving: Option<Behaviour>,
    /// Whether a station has called since the last tick of the tree.
    pub called: bool,
}

impl<'a> Arbitrating<'a> {
    pub fn new(arbiter: &'a Arbiter) -> Arbitrating<'a> {
        Arbitrating { arbiter, memory: Memory::new(&arbiter.program), next: 0, driving: None, called: false }
    }

    /// Ticks the tree, and returns the selected behaviour; `None` if no available behaviour is selected.
    pub fn wanted(&mut self, told: Trackers, draws: &mut Draws) -> Option<Behaviour> {
        let ahead = |is: bool| vec2(f32::from(u8::from(is)), 0.0);
        let called = std::mem::take(&mut self.called);
        let senses = Senses {
            prox: ahead(told.pressed),
            colours: [ahead(called), ahead(told.line), ahead(told.lit)],
            light: ahead(self.driving == Some(Behaviour::Follow)),
            ..Senses::default()
        };
        self.memory.tick(&self.arbiter.program, &senses, draws);
        self.arbiter.behaviour(self.memory.board.signal())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cargo::{Outcomes, PreparedScene, Trials, Weights, published_scene};

    fn arbiter(text: &str, modules: &[Module]) -> Arbiter {
        Arbiter::new(Tree::parse(text).unwrap(), modules).unwrap()
    }

    fn outcomes(arbiter: &Arbiter) -> Outcomes {
        let world = PreparedScene::new(published_scene()).unwrap();
        let weights = Weights { obstacle_time: 1.0, ..Weights::default() };
        let trials = Trials {
            world: &world,
            weights: &weights,
            starts: 3,
            repeats: 4,
            time: 400_000,
            seed: 1,
            checkpoints: &[],
        };
        Outcomes::simulate(arbiter, &trials)
    }

    const BY_HAND: &str = "\
sel
  seq
    ifquad v_red 1
    signal 5
  seq
    ifquad v_prox 1
    signal 2
  seq
    ifquad v_light 1
    signal 3
  seq
    ifquad v_green 1
    ifquad v_blue 1
    signal 3
  signal 1
";

    #[test]
    fn hand_made_tree_delivers_and_is_deterministic() {
        let tree = arbiter(BY_HAND, &Module::ARBITRATED);
        let first = outcomes(&tree);
        assert!(first.script_times(3).times > 2.0, "{:?}", first.script_times(3));
        assert_eq!(first.scores(), outcomes(&tree).scores());
    }

    #[test]
    fn tree_drives_only_its_modules() {
        let still = outcomes(&arbiter("signal 9\n", &Module::ARBITRATED));
        assert!(still.runs().all(|run| run.tally.distance == 0.0));
        let without_loader = outcomes(&arbiter(BY_HAND, &[Module::Explore, Module::Avoidance, Module::LineFollower]));
        assert_eq!(without_loader.script_times(3).times, 0.0);
        assert!(without_loader.runs().all(|run| run.tally.distance > 1.0));
        // Without avoidance, the robot stays at the first wall.
        let stuck = outcomes(&arbiter("signal 1\n", &[Module::Explore]));
        let backing =
            outcomes(&arbiter("sel\n  seq\n    ifquad v_prox 1\n    signal 2\n  signal 1\n", &Module::ARBITRATED));
        let touching = |outcomes: &Outcomes| outcomes.runs().map(|run| run.tally.obstacle_time).sum::<f64>();
        assert!(touching(&backing) < 0.2 * touching(&stuck), "{} {}", touching(&backing), touching(&stuck));
    }
}

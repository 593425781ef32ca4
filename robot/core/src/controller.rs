//! Tree in control of the robot, and the node states of its last update.

use std::sync::Arc;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{Blackboard, CompileError, Memory, Program, Senses, Status, Tree};
use xpuck_kernels::world::Sensing;
use xpuck_wire::groot::NodeState;

/// Tree that controls a robot, with the tree's memory.
#[derive(Clone, Debug)]
pub struct Controller {
    tree: Arc<Tree>,
    program: Program,
    memory: Memory,
    nodes: Vec<NodeState>,
    reads: Sensing,
    leaf: Option<usize>,
    signal: u8,
}

impl Controller {
    /// Creates a controller that runs the unchanged tree from its initial state.
    ///
    /// # Errors
    /// Returns an error if the tree cannot be compiled.
    pub fn new(tree: Tree) -> Result<Controller, CompileError> {
        let program = Program::compile(&tree)?;
        let nodes = vec![NodeState::Idle; tree.nodes().len()];
        let reads = Sensing::from_programs([&program]);
        Ok(Controller {
            tree: Arc::new(tree),
            memory: Memory::new(&program),
            program,
            nodes,
            reads,
            leaf: None,
            signal: 0,
        })
    }

    /// Runs one tick of the tree, and returns the goal velocity.
    pub fn tick(&mut self, senses: &Senses, draws: &mut Draws) -> Vec2 {
        self.idle_update();
        let nodes = &mut self.nodes;
        let mut observe = |node: usize, status| {
            nodes[node] = match status {
                Status::Running => NodeState::Running,
                Status::Success => NodeState::Success,
                Status::Failure => NodeState::Failure,
            }
        };
        let (goal, leaf) = self.memory.tick_observed_driven(&self.program, senses, draws, &mut observe);
        self.leaf = leaf;
        self.signal = self.memory.board.signal();
        goal
    }

    /// Runs an update without a tick: all nodes become idle, no leaf drives, and the signal becomes 0.
    pub fn idle_update(&mut self) {
        self.nodes.iter_mut().for_each(|node| *node = node.after_skipped_tick());
        (self.leaf, self.signal) = (None, 0);
    }

    /// Returns the index, in the tree's nodes, of the leaf that drove in the last update; `None` if no leaf drove.
    pub fn leaf(&self) -> Option<usize> {
        self.leaf
    }

    /// Returns the signal of the tree in the last update; 0 without a signal.
    pub fn signal(&self) -> u8 {
        self.signal
    }

    /// Returns whether the tree reads the light.
    pub fn reads_light(&self) -> bool {
        self.reads.light
    }

    /// Returns whether the tree reads tags.
    pub fn reads_tags(&self) -> bool {
        self.reads.tags
    }

    /// Returns whether the tree reads the ground sensor.
    pub fn reads_ground(&self) -> bool {
        self.reads.ground
    }

    /// Returns the tree.
    pub fn tree(&self) -> &Arc<Tree> {
        &self.tree
    }

    /// Returns the node states of the last update, in preorder.
    pub fn nodes(&self) -> &[NodeState] {
        &self.nodes
    }

    /// Returns the memory of the tree.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Returns the registers of the tree after the last tick.
    pub fn board(&self) -> &Blackboard {
        &self.memory.board
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use NodeState::{Failure, Idle, IdleAfterFailure, IdleAfterSuccess, Success};
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::random::Stream;

    #[test]
    fn signal_and_driving_leaf_are_cleared_at_rest() {
        let tree = Tree::parse("seq\n  signal 3\n  movcv v_goal 0deg\n").unwrap();
        let mut controller = Controller::new(tree).unwrap();
        controller.tick(&Senses::default(), &mut Draws::new(1, 0, 0, 0, Stream::Controller));
        assert_eq!((controller.signal(), controller.leaf()), (3, Some(2)));
        controller.idle_update();
        assert_eq!((controller.signal(), controller.leaf()), (0, None));
    }

    #[test]
    fn nodes_show_the_last_tick_and_what_was_before() {
        let tree = Tree::parse("sel\n  avoiding\n  movcv v_goal 0deg\n  failurel\n").unwrap();
        let mut controller = Controller::new(tree).unwrap();
        assert_eq!(controller.nodes(), [Idle; 4]);
        let mut senses = Senses::default();
        let draws = || Draws::new(1, 0, 0, 0, Stream::Controller);
        controller.tick(&senses, &mut draws());
        assert_eq!(controller.nodes(), [Success, Failure, Success, Idle]);
        senses.prox = vec2(0.5, 0.1);
        controller.tick(&senses, &mut draws());
        assert_eq!(controller.nodes(), [Success, Success, IdleAfterSuccess, Idle]);
        senses.prox = Vec2::ZERO;
        controller.tick(&senses, &mut draws());
        controller.idle_update();
        assert_eq!(controller.nodes(), [IdleAfterSuccess, IdleAfterFailure, IdleAfterSuccess, Idle]);
    }
}

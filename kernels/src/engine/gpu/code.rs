//! Programs for the GPU: every leaf contains a jump target for each of its results.
//!
//! The result of a child fully determines the result of an enclosing `seq`, `sel`, `invert`, `successd` or `failed`,
//! so jumps skip these nodes. When a child of a node with memory ends, an additional instruction updates the memory.
//! The additional instructions follow the instructions of the nodes.

use super::layout::NODE_WORDS;
use crate::tree::network::Source;
use crate::tree::{Kind, PAR_RUNNING, Program, RUNNING_FLAG, Status};
use std::collections::BTreeMap;

/// Jump target at the end of the tick.
pub(super) const JUMP_END: u32 = 0xffff;
/// First instruction kind that is not the kind of a node.
pub(super) const FIRST_JUMP: u32 = 64;
/// Sets the node's memory.
pub(super) const JUMP_SET: u32 = FIRST_JUMP;
/// Sets only the running flag in the node's memory.
pub(super) const JUMP_FLAG: u32 = FIRST_JUMP + 1;
/// Counts one success of a `repeat`. With the last required success, the node succeeds.
pub(super) const JUMP_REPEATED: u32 = FIRST_JUMP + 2;
/// Adds a child's result to the counts of a `par`.
pub(super) const JUMP_COUNT: u32 = FIRST_JUMP + 3;
/// Adds the last child's result to the counts of a `par`, and determines the result of the `par`.
pub(super) const JUMP_COUNTED: u32 = FIRST_JUMP + 4;

/// First synapse source that denotes a neuron; smaller sources denote registers.
pub(super) const FIRST_NEURON: u32 = 64;

/// Words of an instruction. Word 0 contains the kind and the registers, and words 1 and 2 contain two numbers. Word 3
/// contains the targets after success and failure. Word 4 contains the target after running and the index of the
/// node's memory.
pub(super) type Jump = [u32; NODE_WORDS];

/// Returns the instructions of a program. The first instructions are the program's nodes, with the same indices.
pub(super) fn jumps(program: &Program) -> Vec<Jump> {
    let nodes: Vec<[u32; 5]> = program.words().collect();
    let mut linker = Linker { code: nodes.clone(), nodes, edges: BTreeMap::new() };
    for node in 0..linker.nodes.len() {
        let [success, failure, running] = if linker.has_child(node) {
            [linker.entry(node + 1); 3]
        } else {
            [Status::Success, Status::Failure, Status::Running].map(|status| linker.after(node, status))
        };
        let slot = linker.nodes[node][4];
        linker.code[node][3] = success | failure << 16;
        linker.code[node][4] = running | slot << 16;
        if linker.is(node, &[Kind::Par]) {
            // A `par` is converted to an instruction that resets its counts to 0.
            linker.code[node][..2].copy_from_slice(&[JUMP_SET, 0]);
        }
    }
    linker.code
}

/// Returns the words of a program: its instructions, then its networks. A network starts with the number of its
/// neurons, and the indices of their current and next outputs in a robot's memory. Each neuron has a bias, a gain,
/// the number of its synapses, and the source and weight of each synapse.
pub(super) fn words(program: &Program) -> Vec<u32> {
    let mut code = jumps(program);
    let mut networks = Vec::new();
    let begin = code.len() * NODE_WORDS;
    let places: Vec<u32> = program
        .networks()
        .iter()
        .map(|network| {
            let place = begin + networks.len();
            let outputs = program.memories() + network.first;
            networks.extend([network.neurons.len(), outputs, outputs + program.neurons()].map(|n| n as u32));
            for (neuron, synapses) in network.rows() {
                networks.extend([neuron.bias.to_bits(), neuron.gain.to_bits(), synapses.len() as u32]);
                for synapse in synapses {
                    let source = match synapse.source {
                        Source::Cell(cell) => u32::from(cell),
                        Source::Neuron(number) => FIRST_NEURON + u32::from(number),
                    };
                    networks.extend([source, synapse.weight.to_bits()]);
                }
            }
            place as u32
        })
        .collect();
    for (node, place) in code.iter_mut().filter(|node| node[0] & 0xff == Kind::Network as u32).zip(places) {
        node[1] = place;
    }
    code.into_iter().flatten().chain(networks).collect()
}

/// Returns the number of memory words that a robot needs for this program: the memories of nodes, and the current and
/// next outputs of neurons.
pub(super) fn memory_words(program: &Program) -> usize {
    program.memories() + 2 * program.neurons()
}

/// Returns the maximum number of instructions in a tick. Each node is entered at most once, and each end of a child
/// executes at most one more instruction.
pub(super) fn most_steps(nodes: usize) -> u32 {
    2 * nodes as u32 + 1
}

struct Linker {
    nodes: Vec<[u32; 5]>,
    code: Vec<Jump>,
    /// Indices of the additional instructions, by child of a node with memory and by the child's status.
    edges: BTreeMap<(usize, u32), u32>,
}

impl Linker {
    fn is(&self, node: usize, kinds: &[Kind]) -> bool {
        kinds.iter().any(|kind| self.nodes[node][0] & 0xff == *kind as u32)
    }

    fn has_child(&self, node: usize) -> bool {
        self.end(node) > node + 1
    }

    fn parent(&self, node: usize) -> usize {
        (self.nodes[node][3] & 0xffff) as usize
    }

    fn end(&self, node: usize) -> usize {
        (self.nodes[node][3] >> 16) as usize
    }

    /// Returns the next sibling of a node; `None` for the last child of a parent.
    fn sibling(&self, node: usize) -> Option<usize> {
        let end = self.end(node);
        (end != self.end(self.parent(node))).then_some(end)
    }

    /// Returns the index of the node that is executed first when the subtree of `node` is ticked.
    fn entry(&self, mut node: usize) -> u32 {
        while self.is(node, &[Kind::Seq, Kind::Sel, Kind::Invert, Kind::Successd, Kind::Failed]) {
            node += 1;
        }
        node as u32
    }

    /// Returns the jump target after a node ended with a status.
    fn after(&mut self, mut node: usize, mut status: Status) -> u32 {
        while node != 0 {
            let parent = self.parent(node);
            let goes_on = (self.is(parent, &[Kind::Seq]) && status == Status::Success)
                || (self.is(parent, &[Kind::Sel]) && status == Status::Failure);
            if let (true, Some(next)) = (goes_on, self.sibling(node)) {
                return self.entry(next);
            }
            status = match status {
                Status::Running => Status::Running,
                _ if self.is(parent, &[Kind::Successd]) => Status::Success,
                _ if self.is(parent, &[Kind::Failed]) => Status::Failure,
                Status::Success if self.is(parent, &[Kind::Invert]) => Status::Failure,
                Status::Failure if self.is(parent, &[Kind::Invert]) => Status::Success,
                unchanged => unchanged,
            };
            if self.is(parent, &[Kind::Seqm, Kind::Selm, Kind::Par, Kind::Repeati, Kind::Repeatr]) {
                return self.edge(node, status);
            }
            node = parent;
        }
        JUMP_END
    }

    /// Returns the index of the instruction that follows when a child of a node with memory ends with a status.
    /// Appends the instruction if it does not exist yet.
    fn edge(&mut self, child: usize, status: Status) -> u32 {
        let key = (child, status as u32);
        if let Some(known) = self.edges.get(&key) {
            return *known;
        }
        let parent = self.parent(child);
        let (slot, wanted) = (self.nodes[parent][4], self.nodes[parent][1]);
        let next = self.sibling(child).map(|sibling| self.entry(sibling));
        let jump = if self.is(parent, &[Kind::Seqm, Kind::Selm]) {
            let goes_on = if self.is(parent, &[Kind::Seqm]) { Status::Success } else { Status::Failure };
            let resume = if status == Status::Running { u32::from(RUNNING_FLAG) | child as u32 } else { 0 };
            let to = match next {
                Some(next) if status == goes_on => next,
                _ => self.after(parent, status),
            };
            [JUMP_SET, resume, 0, to, 0]
        } else if self.is(parent, &[Kind::Par]) {
            let count = match status {
                Status::Success => 1,
                Status::Failure => 0,
                Status::Running => u32::from(PAR_RUNNING),
            };
            match next {
                Some(next) => [JUMP_COUNT, count, 0, next, 0],
                None => {
                    let (success, failure) = (self.after(parent, Status::Success), self.after(parent, Status::Failure));
                    [JUMP_COUNTED, count, wanted, success | failure << 16, self.after(parent, Status::Running)]
                }
            }
        } else {
            match status {
                Status::Running => [JUMP_FLAG, 0, 0, self.after(parent, Status::Running), 0],
                Status::Failure => [JUMP_SET, 0, 0, self.after(parent, Status::Failure), 0],
                Status::Success => {
                    let (success, running) = (self.after(parent, Status::Success), self.after(parent, Status::Running));
                    [JUMP_REPEATED, 0, 0, success, running]
                }
            }
        };
        let [kind, a, b, goes, running] = jump;
        let place = self.code.len() as u32;
        self.code.push([kind, a, b, goes, running | slot << 16]);
        self.edges.insert(key, place);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    fn code(text: &str) -> Vec<Jump> {
        jumps(&Program::compile(&Tree::parse(text).unwrap()).unwrap())
    }

    #[test]
    fn nodes_without_memory_are_jumped_over() {
        let code = code("sel\n  seq\n    ifquad v_prox 0\n    invert\n      successl\n  upfield 1\n");
        assert_eq!(code.len(), 6, "no instruction but the nodes' own");
        let goes = |i: usize| [code[i][3] & 0xffff, code[i][3] >> 16, code[i][4] & 0xffff];
        assert_eq!(goes(0)[0], 2, "down to the first leaf");
        assert_eq!(goes(2), [4, 5, JUMP_END]);
        assert_eq!(goes(4), [5, JUMP_END, JUMP_END], "success is inverted, so the sequence fails");
        assert_eq!(goes(5), [JUMP_END; 3]);
    }

    #[test]
    fn jump_targets_are_valid_and_ticks_bounded() {
        let repeats = "par 2\n".to_string() + &"  repeati 3\n    seqm\n      successl\n      failurel\n".repeat(60);
        let code = code(&repeats);
        let nodes = 1 + 60 * 4;
        assert!(code.len() <= 4 * nodes, "{} instructions for {nodes} nodes", code.len());
        for jump in &code {
            for to in [jump[3] & 0xffff, jump[3] >> 16, jump[4] & 0xffff] {
                assert!(to == JUMP_END || (to as usize) < code.len(), "{jump:?}");
            }
        }
        assert!(most_steps(nodes) > 3 * 60);
    }
}

//! What can be told of a network: what it does in typical situations once it has settled, which senses its outputs follow
//! (sensitivity) and which of its hidden neurons it would miss (saliency).

use super::Item;
use super::cases::{at_rest, situations};
use super::facts::Facts;
use super::tell::item;
use super::words::number;
use crate::analysis::reduce::branch::Branch;
use crate::math::{Vec2, vec2};
use crate::tree::network::{Network, Source, networks};
use crate::tree::registers::{CELLS, SCRATCH, scalar_name};
use crate::tree::{Kind, Status};

/// Updates after which a network that settles has settled; others are told as they are then.
const SETTLED: usize = 100;
/// Change of a sense for its sensitivity, to both sides.
const STEP: f32 = 0.05;
/// Least sensitivity and saliency that is told.
const LEAST: f32 = 0.005;
/// Senses and neurons that are named at most.
const NAMED: usize = 8;

/// Tells of a network.
pub(super) fn network(branch: &Branch, facts: &Facts) -> Item {
    let Some(state) = facts.entry(branch) else { return item(branch, facts, "a network that is never reached".into()) };
    let Some(network) = networks(&branch.parts).pop() else { return item(branch, facts, "no network".into()) };
    let hidden = network.neurons.len() - 2;
    let neurons = match hidden {
        0 => "two neurons".to_string(),
        1 => "two neurons and a hidden one".to_string(),
        _ => format!("two neurons and {hidden} hidden ones"),
    };
    let mut text = format!("let a recurrent network of {neurons} set v_goal (what it does once it has settled)");
    if facts.visit(branch).can(Status::Running) {
        text.push_str(" (if v_goal is already written: it fires, v_goal does not change, running)");
    }
    let senses: Vec<u8> = cells(&network).map(|cell| cell & !1).filter(|cell| usize::from(*cell) != SCRATCH).collect();
    let mut pairs = senses;
    pairs.dedup();
    let goal = |senses: &[(u8, Vec2)]| {
        let outputs = settle(&network, &board(senses), None);
        vec2(outputs[0], outputs[1])
    };
    let place = facts.place(branch);
    let children = (0..2).map(|neuron| output(&network, neuron, place + neuron_place(branch, neuron))).collect();
    let cases = situations(&pairs, state, goal);
    Item { cases, children, ..item(branch, facts, text) }
}

/// Of one of the neurons that drive: what it comes to at rest, which senses it follows, which neurons it would miss.
fn output(network: &Network, neuron: usize, node: usize) -> Item {
    let rest = board(&[]);
    let settled = settle(network, &rest, None)[neuron];
    let axis = ["v_goal.x, straight ahead", "v_goal.y, to the left"][neuron];
    let slopes = cells(network).map(|cell| {
        let at = |step: f32| {
            let mut board = rest;
            board[usize::from(cell)] += step;
            settle(network, &board, None)[neuron]
        };
        (scalar_name(cell), (at(STEP) - at(-STEP)) / (2.0 * STEP))
    });
    let without = (2..network.neurons.len())
        .map(|hidden| (format!("n{}", hidden + 1), settled - settle(network, &rest, Some(hidden))[neuron]));
    let mut text = format!("n{} is {axis}: {} at rest", neuron + 1, number(f64::from(settled)));
    for (lead, values) in [
        ("; a sense that is greater by 1 adds", greatest(slopes)),
        ("; of that the hidden neurons add", greatest(without)),
    ] {
        if !values.is_empty() {
            text = format!("{text}{lead} {}", values.join(", "));
        }
    }
    Item { node, text, formula: None, cases: Vec::new(), children: Vec::new() }
}

/// The names with the greatest values, as words.
fn greatest(values: impl Iterator<Item = (String, f32)>) -> Vec<String> {
    let mut values: Vec<(String, f32)> = values.filter(|(_, value)| value.abs() >= LEAST).collect();
    values.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    values.truncate(NAMED);
    values.into_iter().map(|(name, value)| format!("{} by {name}", number(f64::from(value)))).collect()
}

/// The cells that a network reads, in order.
fn cells(network: &Network) -> impl Iterator<Item = u8> + '_ {
    let reads = network.reads();
    (0..CELLS as u8).filter(move |cell| reads >> cell & 1 != 0)
}

/// Registers with these senses, the others at rest.
fn board(senses: &[(u8, Vec2)]) -> [f32; CELLS] {
    let mut cells = [0.0; CELLS];
    for cell in (0..CELLS as u8).step_by(2) {
        let given = senses.iter().find(|(c, _)| *c == cell).map(|(_, v)| *v);
        let v = given.unwrap_or_else(|| if usize::from(cell) < SCRATCH { at_rest(cell) } else { Vec2::ZERO });
        (cells[usize::from(cell)], cells[usize::from(cell) + 1]) = (v.x, v.y);
    }
    cells
}

/// What the neurons put out after a while with the same senses; `without` is held at 0.
fn settle(network: &Network, cells: &[f32; CELLS], without: Option<usize>) -> Vec<f32> {
    let mut cut = network.clone();
    if let Some(without) = without {
        for synapse in cut.synapses.iter_mut().filter(|s| s.source == Source::Neuron(without as u8)) {
            synapse.weight = 0.0;
        }
    }
    let (mut outputs, mut scratch) = (vec![0.0; cut.neurons.len()], vec![0.0; cut.neurons.len()]);
    (0..SETTLED).for_each(|_| cut.fire(cells, &mut outputs, &mut scratch));
    outputs
}

/// Nodes from a network to one of its neurons.
fn neuron_place(branch: &Branch, neuron: usize) -> usize {
    let neurons = branch.parts.iter().enumerate().filter(|(_, part)| part.kind == Kind::Neuron);
    neurons.map(|(place, _)| place).nth(neuron).unwrap_or(0)
}

//! Description of a network: its long-term behaviour in typical situations, the sensitivity of its outputs to the
//! senses, and the saliency of its hidden neurons. Many networks never settle. For these networks, mean values are
//! stated.

use super::Item;
use super::cases::{at_rest, situations};
use super::facts::Facts;
use super::motion::Motion;
use super::words::number;
use crate::analysis::reduce::branch::Branch;
use crate::math::{Vec2, vec2};
use crate::tree::network::{Network, Source, networks};
use crate::tree::registers::{CELLS, SCRATCH, scalar_name};
use crate::tree::{Kind, Status};
use crate::world::physics::steer;
use crate::world::robot::Wheels;

/// Number of updates after which a network is assumed to have settled or to be in a cycle. Means are computed over the
/// next `MEAN_OF` updates. Many short cycle lengths are divisors of `MEAN_OF`.
const BEFORE: usize = 100;
const MEAN_OF: usize = 120;
/// Change of an output below which the output counts as settled.
const STILL: f32 = 1e-3;
/// Amount by which a sense is increased and decreased to compute the sensitivity of an output to this sense.
const STEP: f32 = 0.05;
/// Minimum magnitude of a sensitivity or saliency that is listed.
const MIN_SLOPE: f32 = 0.005;
/// Maximum number of senses or neurons in a list.
const MAX_LISTED: usize = 8;

/// Describes the network at a node.
pub(super) fn network(branch: &Branch, facts: &Facts) -> Item {
    let Some(state) = facts.entry(branch) else {
        return plain(facts.place(branch), "a network that is never reached".into());
    };
    let Some(network) = networks(&branch.parts).pop() else { return plain(facts.place(branch), "no network".into()) };
    let hidden = network.neurons.len() - 2;
    let neurons = match hidden {
        0 => "two neurons".to_string(),
        1 => "two neurons and a hidden one".to_string(),
        _ => format!("two neurons and {hidden} hidden ones"),
    };
    let mut text = format!(
        "a recurrent network of {neurons} sets v_goal (behaviour with constant senses after {} s)",
        BEFORE / 10
    );
    if facts.visit(branch).can(Status::Running) {
        text.push_str(" (if v_goal is already written: it fires, v_goal does not change, running)");
    }
    let mut pairs: Vec<u8> =
        network.cells().map(|cell| cell & !1).filter(|cell| usize::from(*cell) != SCRATCH).collect();
    pairs.dedup();
    let does = |senses: &[(u8, Vec2)]| {
        let course = SteadyResponse::simulate(&network, &board(senses), None);
        let Motion { wheels, words } = Motion::of_wheels(course.wheels);
        (wheels, if course.settled { words } else { format!("on average {words}, with oscillating outputs") })
    };
    let place = facts.place(branch);
    let children = (0..2).map(|neuron| output(&network, neuron, place + neuron_place(branch, neuron))).collect();
    let cases = situations(&pairs, state, does);
    Item { cases, children, ..plain(place, text) }
}

/// Describes an output neuron: its value at rest, its sensitivity to senses, and the saliency of hidden neurons.
fn output(network: &Network, neuron: usize, node: usize) -> Item {
    let rest = board(&[]);
    let course = SteadyResponse::simulate(network, &rest, None);
    let (mean, how) = (course.outputs[neuron], if course.settled { "" } else { ", oscillating" });
    let axis = ["v_goal.x, straight ahead", "v_goal.y, to the left"][neuron];
    let slopes = network.cells().map(|cell| {
        let at = |step: f32| {
            let mut board = rest;
            board[usize::from(cell)] += step;
            SteadyResponse::simulate(network, &board, None).outputs[neuron]
        };
        (scalar_name(cell), (at(STEP) - at(-STEP)) / (2.0 * STEP))
    });
    let without = (2..network.neurons.len()).map(|hidden| {
        (format!("n{}", hidden + 1), mean - SteadyResponse::simulate(network, &rest, Some(hidden)).outputs[neuron])
    });
    let mut text = format!("n{} is {axis}: {} on average at rest{how}", neuron + 1, number(f64::from(mean)));
    for (lead, values) in [
        ("; its slope by sense there is", greatest(slopes)),
        ("; the share of the hidden neurons in its mean is", greatest(without)),
    ] {
        match values.is_empty() {
            true => text = format!("{text}{lead} negligible"),
            false => text = format!("{text}{lead} {}", values.join(", ")),
        }
    }
    plain(node, text)
}

fn plain(node: usize, text: String) -> Item {
    Item { node, text, formula: None, cases: Vec::new(), children: Vec::new() }
}

/// Formats the values with the largest magnitudes, together with their names.
fn greatest(values: impl Iterator<Item = (String, f32)>) -> Vec<String> {
    let mut values: Vec<(String, f32)> = values.filter(|(_, value)| value.abs() >= MIN_SLOPE).collect();
    values.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    values.truncate(MAX_LISTED);
    values.into_iter().map(|(name, value)| format!("{} by {name}", number(f64::from(value)))).collect()
}

/// Returns registers with the given senses. All other registers have their rest values.
fn board(senses: &[(u8, Vec2)]) -> [f32; CELLS] {
    let mut cells = [0.0; CELLS];
    for cell in (0..CELLS as u8).step_by(2) {
        let given = senses.iter().find(|(c, _)| *c == cell).map(|(_, v)| *v);
        let v = given.unwrap_or_else(|| if usize::from(cell) < SCRATCH { at_rest(cell) } else { Vec2::ZERO });
        (cells[usize::from(cell)], cells[usize::from(cell) + 1]) = (v.x, v.y);
    }
    cells
}

/// Long-term behaviour of a network with constant senses.
struct SteadyResponse {
    /// Mean output of each neuron.
    outputs: Vec<f32>,
    /// Mean speeds of the left and right wheel (m/s).
    wheels: [f32; 2],
    /// Whether both output neurons have settled, so that their values are constant.
    settled: bool,
}

impl SteadyResponse {
    /// Simulates a network with constant senses. If `without` is the index of a neuron, all neurons receive 0 instead
    /// of this neuron's output.
    fn simulate(network: &Network, cells: &[f32; CELLS], without: Option<usize>) -> SteadyResponse {
        let mut cut = network.clone();
        if let Some(without) = without {
            let from = Source::Neuron(without as u8);
            cut.synapses.iter_mut().filter(|s| s.source == from).for_each(|synapse| synapse.weight = 0.0);
        }
        let (mut now, mut scratch) = (vec![0.0; cut.neurons.len()], vec![0.0; cut.neurons.len()]);
        (0..BEFORE).for_each(|_| cut.fire(cells, &mut now, &mut scratch));
        let first = [now[0], now[1]];
        let mut course = SteadyResponse { outputs: vec![0.0; now.len()], wheels: [0.0; 2], settled: true };
        for _ in 0..MEAN_OF {
            cut.fire(cells, &mut now, &mut scratch);
            course.outputs.iter_mut().zip(&now).for_each(|(mean, now)| *mean += now / MEAN_OF as f32);
            let wheels = steer(vec2(now[0], now[1]), &Wheels::default());
            course.wheels.iter_mut().zip(wheels).for_each(|(mean, now)| *mean += now / MEAN_OF as f32);
            course.settled &= (now[0] - first[0]).abs() < STILL && (now[1] - first[1]).abs() < STILL;
        }
        course
    }
}

/// Returns the offset of a neuron's node from the node of the neuron's network, in preorder.
fn neuron_place(branch: &Branch, neuron: usize) -> usize {
    let neurons = branch.parts.iter().enumerate().filter(|(_, part)| part.kind == Kind::Neuron);
    neurons.map(|(place, _)| place).nth(neuron).unwrap_or(0)
}

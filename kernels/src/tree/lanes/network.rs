//! Networks for sixteen robots; see [`Network::fire`].

use super::leaf::write_vector;
use super::{CELLS, GOAL, LANES, Lanes, Results, lanes_of};
use crate::tree::network::{Network, Source, fire};

/// Updates all neurons of a network for the robots in the bit mask `robots`. The outputs of the first two neurons are
/// written to v_goal.
#[inline(always)]
pub(super) fn network(
    network: &Network,
    robots: u32,
    cells: &mut [Lanes; CELLS],
    neurons: &mut [Lanes],
    fired: &mut [Lanes],
) -> Results {
    let range = network.first..network.first + network.neurons.len();
    let (neurons, fired) = (&mut neurons[range.clone()], &mut fired[range]);
    for ((neuron, synapses), new) in network.rows().zip(fired.iter_mut()) {
        let mut sum = [0.0; LANES];
        for synapse in synapses {
            let from = match synapse.source {
                Source::Cell(cell) => &cells[usize::from(cell)],
                Source::Neuron(number) => &neurons[usize::from(number)],
            };
            for l in 0..LANES {
                sum[l] += synapse.weight * from[l];
            }
        }
        for l in 0..LANES {
            new[l] = fire(neuron.bias, neuron.gain, sum[l]);
        }
    }
    let on = lanes_of(robots);
    for (output, new) in neurons.iter_mut().zip(fired.iter()) {
        for l in 0..LANES {
            output[l] = if on[l] != 0 { new[l] } else { output[l] };
        }
    }
    write_vector(cells, GOAL as u8, &[fired[0], fired[1]], robots)
}

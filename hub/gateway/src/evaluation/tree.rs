//! Converts genomes into behaviour trees with a single network leaf, so that this project's engine can run external
//! individuals.

use super::individual::Genome;
use super::network::Network;
use super::parameters::NetParameters;
use std::fmt::Write;

/// Returns the text of the tree. `inputs` are the names of the scalar registers that the input neurons read. The
/// first two output neurons set the x and y of the goal. Nulled weights are omitted. Output neurons precede hidden
/// neurons.
pub fn text(genome: &Genome<'_>, parameters: &NetParameters, inputs: &[String]) -> String {
    let mut text = String::from("network\n");
    for (neuron, weights) in Network::new(genome, parameters).rows() {
        let _ = writeln!(text, "  neuron {} {}", neuron.bias as f32, neuron.gain as f32);
        for (column, weight) in weights.iter().map(|weight| *weight as f32).enumerate() {
            if weight == 0.0 {
                continue;
            }
            let _ = match inputs.get(column) {
                Some(register) => writeln!(text, "    synapse {register} {weight}"),
                None => writeln!(text, "    synapse n{} {weight}", column + 1 - inputs.len()),
            };
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::individual::Individual;
    use super::super::parameters::{HiddenNeurons, Neurons, Weights};
    use super::*;

    #[test]
    fn genome_becomes_network_with_hidden_neurons() {
        let (low, high) = (-9.0, 9.0);
        let parameters = NetParameters {
            max_concurrent: 1,
            inputs: Neurons { count: 2, ..Neurons::default() },
            outputs: Neurons { count: 2, values: 2, low, high },
            hidden: HiddenNeurons { min: 0, max: 1, values: 1, low, high },
            weights: Weights { values: 1, low, high },
            input_to_output: true,
            recurrent: false,
            ..NetParameters::default()
        };
        let weights = [1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 0.25, 8.0, 8.5, 8.75, -1.0, -2.0, -3.0, -4.0, -5.0];
        let values = [0.5, 1.5, -0.5, 2.0, 0.75].into_iter().chain(weights).collect();
        let individual = Individual { generation: 1, number: 1, hidden: 1, values };
        let inputs = ["v_prox.x", "s_n"].map(String::from);
        let text = text(&individual.genome(&parameters).unwrap(), &parameters, &inputs);
        let wanted = "network\n  neuron 0.5 1.5\n    synapse v_prox.x 1\n    synapse s_n 2\n    synapse n3 5\n  neuron -0.5 2\n    \
                      synapse s_n 0.25\n    synapse n3 8.75\n  neuron 0.75 1\n    synapse v_prox.x -1\n    synapse s_n -2\n";
        assert_eq!(text, wanted);
    }
}

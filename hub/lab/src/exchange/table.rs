//! Programs as tables for the interpreters in C++ (`argos/tree.hpp`) and Python (`webots/xpuck_tree.py`).

use std::fmt::Write;
use xpuck_kernels::tree::{InstructionLine, ProgramListing};

const CPP_HEAD: &str = "// Trees, made by `xpuck world export`: kind, cells, numbers, parent, end, memory.\n#ifndef XPUCK_TREES_HPP\n\
                        #define XPUCK_TREES_HPP\n\n#include \"tree.hpp\"\n\nnamespace xpuck {\n";

/// Returns the file `trees.hpp` with the tables for C++.
pub(super) fn cpp(trees: &[ProgramListing]) -> String {
    let mut text = String::from(CPP_HEAD);
    let mut programs = Vec::new();
    for (i, tree) in trees.iter().enumerate() {
        let name = |line: &InstructionLine| line.kind.spec().name.to_uppercase();
        let rows = tree.lines.iter().map(|line| {
            let ([d, s1, s2], [a, b]) = (line.cells, line.numbers);
            let InstructionLine { parent, end, memory, .. } = line;
            format!("{{{}, {d}, {s1}, {s2}, {a:?}f, {b:?}f, {parent}, {end}, {memory}}}", name(line))
        });
        array(&mut text, "Instruction", &format!("CODE_{i}"), rows);
        let neurons = || tree.networks.iter().flatten();
        let (mut first, mut before) = (0, 0);
        let networks = tree.networks.iter().map(|network| {
            let begin = first;
            first += network.len();
            format!("{{{begin}, {first}}}")
        });
        array(&mut text, "Network", &format!("NETWORKS_{i}"), networks);
        let rows = neurons().map(|neuron| {
            let begin = before;
            before += neuron.synapses.len();
            format!("{{{:?}f, {:?}f, {begin}, {before}}}", neuron.bias, neuron.gain)
        });
        array(&mut text, "Neuron", &format!("NEURONS_{i}"), rows);
        let synapses = neurons().flat_map(|neuron| &neuron.synapses);
        array(
            &mut text,
            "Synapse",
            &format!("SYNAPSES_{i}"),
            synapses.map(|(from, weight)| format!("{{{from}, {weight:?}f}}")),
        );
        let of = |what: &str, is: bool| if is { format!("{what}_{i}") } else { "nullptr".into() };
        let [some, synapses] = [neurons().count() > 0, neurons().any(|neuron| !neuron.synapses.is_empty())];
        programs.push(format!(
            "{{CODE_{i}, {}, {}, {}, {}, {}}}",
            tree.memories,
            neurons().count(),
            of("NETWORKS", some),
            of("NEURONS", some),
            of("SYNAPSES", synapses)
        ));
    }
    array(&mut text, "Program", "TREES", programs.into_iter());
    text + "\n}  // namespace xpuck\n\n#endif\n"
}

/// Appends the definition of an array in C++, unless the array is empty.
fn array(text: &mut String, kind: &str, name: &str, rows: impl Iterator<Item = String>) {
    let rows: Vec<String> = rows.collect();
    if !rows.is_empty() {
        let _ = write!(text, "\nconst {kind} {name}[] = {{\n    {},\n}};\n", rows.join(",\n    "));
    }
}

/// Returns the file `trees.py` with the tables for Python.
pub(super) fn python(trees: &[ProgramListing]) -> String {
    let mut text = String::from(
        "\"\"\"Trees, made by `xpuck world export`: kind, cells, numbers, parent, end, memory.\"\"\"\n\nTREES = [\n",
    );
    for tree in trees {
        let _ = write!(text, "    {{\n        \"memories\": {},\n        \"code\": [\n", tree.memories);
        for line in &tree.lines {
            let ([d, s1, s2], [a, b]) = (line.cells, line.numbers);
            let InstructionLine { parent, end, memory, .. } = line;
            let name = line.kind.spec().name;
            let _ =
                writeln!(text, "            (\"{name}\", {d}, {s1}, {s2}, {a:?}, {b:?}, {parent}, {end}, {memory}),");
        }
        text += "        ],\n        \"networks\": [\n";
        for network in &tree.networks {
            text += "            [\n";
            for neuron in network {
                let synapses: Vec<String> =
                    neuron.synapses.iter().map(|(from, w)| format!("({from}, {w:?})")).collect();
                let _ = writeln!(
                    text,
                    "                ({:?}, {:?}, [{}]),",
                    neuron.bias,
                    neuron.gain,
                    synapses.join(", ")
                );
            }
            text += "            ],\n";
        }
        text += "        ],\n    },\n";
    }
    text + "]\n"
}

//! Dependency graph of the steps of a curriculum.

/// Step of a curriculum, as a node of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Name of the step.
    pub name: String,
    /// Names of the steps whose populations or results this step uses.
    pub after: Vec<String>,
}

/// Valid order of the steps of a curriculum. Each step follows the steps that it uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Indices of the nodes, in the order of execution.
    pub order: Vec<usize>,
}

impl Graph {
    /// Orders the steps. The last node is the goal, and all other steps must lead to it. An error contains the index of
    /// the invalid step, and a text with the fault and the correction.
    pub fn new(nodes: &[Node]) -> Result<Graph, (usize, String)> {
        let place = |name: &str| nodes.iter().position(|node| node.name == name);
        let mut before: Vec<Vec<usize>> = Vec::new();
        for (i, node) in nodes.iter().enumerate() {
            if place(&node.name) != Some(i) {
                return Err((i, format!("duplicate step name {:?}; rename one", node.name)));
            }
            let known = node.after.iter().map(|name| {
                place(name).ok_or_else(|| {
                    let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
                    (i, format!("`after` refers to the unknown step {name:?}; steps are {}", names.join(", ")))
                })
            });
            before.push(known.collect::<Result<_, _>>()?);
        }
        let mut order = Vec::new();
        while order.len() < nodes.len() {
            let ready = |i: usize| !order.contains(&i) && before[i].iter().all(|b| order.contains(b));
            match (0..nodes.len()).find(|&i| ready(i)) {
                Some(next) => order.push(next),
                None => {
                    let stuck = (0..nodes.len()).find(|i| !order.contains(i)).unwrap_or(0);
                    return Err((stuck, cycle(nodes, &before, &order, stuck)));
                }
            }
        }
        let mut used = vec![false; nodes.len()];
        let mut open: Vec<usize> = nodes.len().checked_sub(1).into_iter().collect();
        while let Some(i) = open.pop() {
            if !std::mem::replace(&mut used[i], true) {
                open.extend(&before[i]);
            }
        }
        match used.iter().position(|used| !used) {
            Some(i) => {
                let goal = &nodes[nodes.len() - 1].name;
                let message =
                    format!("the step does not lead to the last step, {goal:?}; add it to `after` of a later step");
                Err((i, message))
            }
            None => Ok(Graph { order }),
        }
    }
}

/// Describes a cycle that contains the step `from`, or on which this step depends.
fn cycle(nodes: &[Node], before: &[Vec<usize>], done: &[usize], from: usize) -> String {
    let mut way = vec![from];
    loop {
        let last = way[way.len() - 1];
        // Every step that is not in `done` uses another step that is not in `done`.
        let next = before[last].iter().copied().find(|b| !done.contains(b)).unwrap_or(from);
        if let Some(begin) = way.iter().position(|&i| i == next) {
            let names: Vec<&str> = way[begin..].iter().chain([&next]).map(|&i| nodes[i].name.as_str()).collect();
            return format!(
                "steps wait for each other: {}; remove one of these `after` entries",
                names.join(" after ")
            );
        }
        way.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(steps: &[(&str, &[&str])]) -> Result<Graph, (usize, String)> {
        let nodes: Vec<Node> = steps
            .iter()
            .map(|(name, after)| Node { name: (*name).into(), after: after.iter().map(|&a| a.into()).collect() })
            .collect();
        Graph::new(&nodes)
    }

    #[test]
    fn steps_come_after_what_they_use() {
        let order = graph(&[("d", &["b", "c"]), ("b", &[]), ("c", &["b"]), ("e", &["d"])]).unwrap().order;
        assert_eq!(order, [1, 2, 0, 3]);
    }

    #[test]
    fn cycles_and_lonely_steps_are_named() {
        let (step, message) = graph(&[("a", &[]), ("b", &["c"]), ("c", &["b"])]).unwrap_err();
        assert_eq!(step, 1);
        assert!(message.contains("b after c after b"), "{message}");
        let (step, message) = graph(&[("a", &[]), ("b", &[]), ("c", &["b"])]).unwrap_err();
        assert!(step == 0 && message.contains("does not lead to the last step"), "{message}");
        assert!(graph(&[("a", &["z"])]).unwrap_err().1.contains("unknown step"));
        assert!(graph(&[("a", &[]), ("a", &[])]).unwrap_err().1.contains("duplicate step name"));
    }
}

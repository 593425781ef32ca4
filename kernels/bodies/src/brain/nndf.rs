//! NNDF files (neural networks) in the format of pyro-corpus: one neuron per line, then one synapse per line.

use super::numbers::python;
use super::{Brain, MAX_SYNAPSES, PERIODS};
use crate::urdf::Dialect;
use crate::urdf::names::{bare, bare_joint, joint_name};
use crate::{BodyError, Part, Plan};
use roxmltree::{Document, Node};
use std::collections::BTreeMap;
use std::fmt::Display;

/// Maximum length of an NNDF file (bytes).
const MAX_NNDF: usize = 32 << 20;

impl Brain {
    /// Returns the brain as NNDF text for the body `plan`. Parts and joints have the names of the URDF dialect. Apart
    /// from these names, the text equals the output of pyro-corpus byte for byte.
    ///
    /// If the brain has its own period, the neuron of the brain part has an additional last attribute `period`. Other
    /// readers ignore this attribute.
    ///
    /// # Errors
    /// Returns an error if the brain does not fit the body.
    pub fn to_nndf(&self, plan: &Plan, dialect: Dialect) -> Result<String, BodyError> {
        self.check(plan)?;
        let name = |part: usize| format!("{}{}", dialect.prefix(), plan.parts()[part].name);
        let sensors: Vec<String> = plan.sensors().map(name).collect();
        let joints: Vec<String> = plan.motors().filter_map(|part| joint_name(plan, part, dialect)).collect();
        let mut out = String::from("<neuralNetwork>\n");
        for (link, part) in sensors.iter().zip(plan.sensors()) {
            let period = match self.period.filter(|_| plan.parts()[part].part == Part::Brain) {
                Some(period) => format!("period = \"{}\" ", python(period)),
                None => String::new(),
            };
            out.push_str(&format!(
                "    <neuron name = \"SNx{link}x\" type = \"sensor\" linkName = \"{link}\" {period}/>\n"
            ));
        }
        for joint in &joints {
            out.push_str(&format!("    <neuron name = \"MNx{joint}x\" type = \"motor\"  jointName = \"{joint}\" />\n"));
        }
        let mut weights = self.weights.iter();
        for link in &sensors {
            for (joint, weight) in joints.iter().zip(&mut weights) {
                out.push_str(&format!(
                    "    <synapse sourceNeuronName = \"SNx{link}x\" targetNeuronName = \"MNx{joint}x\" weight = \"{}\" />\n",
                    python(*weight)
                ));
            }
        }
        out.push_str("</neuralNetwork>");
        Ok(out)
    }

    /// Parses the NNDF of a body. Missing synapses have weight 0.
    ///
    /// # Errors
    /// Returns an error, with line and column, for the first of these faults:
    /// - text that is not NNDF
    /// - a neuron without a counterpart in the body, a duplicate neuron, a missing neuron or a hidden neuron
    /// - a synapse that does not lead from a sensor to a motor, or a duplicate synapse
    /// - a weight that is not finite
    /// - a period outside [`PERIODS`], or a period of a neuron that does not belong to the brain part
    ///
    /// Text that is too long is rejected without line and column.
    pub fn from_nndf(text: &str, plan: &Plan) -> Result<Brain, BodyError> {
        if text.len() > MAX_NNDF {
            return Err(BodyError::new(
                "the NNDF",
                format_args!("{} bytes; at most {MAX_NNDF} are allowed", text.len()),
            ));
        }
        let document = Document::parse(text).map_err(|error| {
            let at = error.pos();
            BodyError::at(at.row, at.col, format_args!("not XML: {error}"))
        })?;
        let root = document.root_element();
        if root.tag_name().name() != "neuralNetwork" {
            return Err(error(
                root,
                format_args!("found <{}>; an NNDF must begin with <neuralNetwork>", root.tag_name().name()),
            ));
        }
        let mut network = Network::new(plan);
        for node in root.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "neuron" => network.neuron(node)?,
                "synapse" => network.synapse(node)?,
                other => {
                    return Err(error(
                        node,
                        format_args!("<{other}> is not allowed; an NNDF has only neurons and synapses"),
                    ));
                }
            }
        }
        network.finish(root)
    }
}

fn error(node: Node, rule: impl Display) -> BodyError {
    let at = node.document().text_pos_at(node.range().start);
    BodyError::at(at.row, at.col, rule)
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, BodyError> {
    node.attribute(name)
        .ok_or_else(|| error(node, format_args!("<{}> has no attribute {name}", node.tag_name().name())))
}

struct Network<'a> {
    /// Index of the sensor neuron of each link, by link name. `joints` holds the index of the motor neuron of each
    /// joint, by joint name.
    links: BTreeMap<&'a str, usize>,
    joints: BTreeMap<String, usize>,
    /// Indices of the sensor neurons read so far, by neuron name. `motors` holds the indices of the motor neurons read
    /// so far.
    sensors: BTreeMap<String, usize>,
    motors: BTreeMap<String, usize>,
    weights: Vec<Option<f64>>,
    period: Option<f64>,
    plan: &'a Plan,
}

impl<'a> Network<'a> {
    fn new(plan: &'a Plan) -> Network<'a> {
        let links: BTreeMap<&str, usize> =
            plan.sensors().enumerate().map(|(number, part)| (plan.parts()[part].name.as_str(), number)).collect();
        let joints: BTreeMap<String, usize> = plan
            .motors()
            .filter_map(|part| plan.joint_name(part))
            .enumerate()
            .map(|(number, joint)| (joint, number))
            .collect();
        let synapses = (links.len() * joints.len()).min(MAX_SYNAPSES);
        Network {
            links,
            joints,
            sensors: BTreeMap::new(),
            motors: BTreeMap::new(),
            weights: vec![None; synapses],
            period: None,
            plan,
        }
    }

    fn neuron(&mut self, node: Node) -> Result<(), BodyError> {
        let name = attribute(node, "name")?;
        let (known, number, of) = match attribute(node, "type")? {
            "sensor" => {
                let link = bare(attribute(node, "linkName")?);
                self.period = self.period_of(node, link)?.or(self.period);
                (&mut self.sensors, self.links.get(link), link)
            }
            "motor" => {
                let joint = attribute(node, "jointName")?;
                (&mut self.motors, self.joints.get(&bare_joint(joint)), joint)
            }
            other => {
                return Err(error(node, format_args!("a {other} neuron is not allowed; use sensor and motor neurons")));
            }
        };
        let number = *number.ok_or_else(|| error(node, format_args!("the body has no sensor or joint {of}")))?;
        if known.values().any(|other| *other == number) || known.insert(name.to_string(), number).is_some() {
            return Err(error(node, format_args!("duplicate neuron {name}, or a second neuron of {of}")));
        }
        Ok(())
    }

    /// Returns the period of a sensor neuron (s); `None` if the neuron has no period. Returns an error if the period is
    /// invalid, or if the neuron does not belong to the brain part.
    fn period_of(&self, node: Node, link: &str) -> Result<Option<f64>, BodyError> {
        let Some(text) = node.attribute("period") else { return Ok(None) };
        if !self.plan.parts().iter().any(|part| part.name == link && part.part == Part::Brain) {
            return Err(error(
                node,
                format_args!("{link} has a period; only the neuron of a brain (CPG) may have one"),
            ));
        }
        match text.parse().ok().filter(|period| PERIODS.contains(period)) {
            Some(period) => Ok(Some(period)),
            None => Err(error(node, format_args!("the period is \"{text}\"; it must be 0.05 to 100 s"))),
        }
    }

    fn synapse(&mut self, node: Node) -> Result<(), BodyError> {
        let (from, to) = (attribute(node, "sourceNeuronName")?, attribute(node, "targetNeuronName")?);
        let sensor = self
            .sensors
            .get(from)
            .ok_or_else(|| error(node, format_args!("sensor neuron {from} is not defined above")))?;
        let motor =
            self.motors.get(to).ok_or_else(|| error(node, format_args!("motor neuron {to} is not defined above")))?;
        let text = attribute(node, "weight")?;
        let weight: f64 = text
            .parse()
            .ok()
            .filter(|weight: &f64| weight.is_finite())
            .ok_or_else(|| error(node, format_args!("the weight \"{text}\" is not a finite number")))?;
        match self.weights[sensor * self.joints.len() + motor].replace(weight) {
            Some(_) => Err(error(node, format_args!("duplicate synapse from {from} to {to}"))),
            None => Ok(()),
        }
    }

    fn finish(self, root: Node) -> Result<Brain, BodyError> {
        let missing = self.links.iter().find(|(_, number)| !self.sensors.values().any(|known| known == *number));
        if let Some((link, _)) = missing {
            return Err(error(root, format_args!("the sensor neuron of {link} is missing")));
        }
        let missing = self.joints.iter().find(|(_, number)| !self.motors.values().any(|known| known == *number));
        if let Some((joint, _)) = missing {
            return Err(error(root, format_args!("the motor neuron of {joint} is missing")));
        }
        let weights = self.weights.iter().map(|weight| weight.unwrap_or(0.0)).collect();
        Ok(Brain { sensors: self.links.len(), motors: self.joints.len(), weights, period: self.period })
    }
}

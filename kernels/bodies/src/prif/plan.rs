//! Parts of a body in order of construction, with their cells on the lattice of cubes.

use crate::BodyError;
use crate::part::{Axis, Direction, Part};
use crate::prif::{MAX_DEPTH, MAX_PARTS, Prif};
use std::collections::{BTreeMap, BTreeSet};

/// Part of a body at its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedPart {
    /// Name `<id>r<n>`, where `n` is the number of parts from this part to the end of its chain. A brain has the suffix
    /// `B`.
    pub name: String,
    /// Class of the part.
    pub part: Part,
    /// Index of the parent part; `None` for the root.
    pub parent: Option<usize>,
    /// Direction from the parent to this part.
    pub direction: Direction,
    /// Rotation axis of the joint to the parent.
    pub axis: Axis,
    /// Cell on the lattice; the root is at the origin.
    pub cell: [i32; 3],
}

/// Valid body with its parts in depth-first order. The parts of a chain precede those of its following instructions,
/// so parents precede children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    parts: Vec<PlacedPart>,
}

impl Plan {
    /// Builds the body of an instruction.
    ///
    /// # Errors
    /// Returns an error with the path to the instruction for each of these faults:
    /// - overlapping parts
    /// - zero repetitions
    /// - a duplicate id or a duplicate key
    /// - a brain that is not the root, or a brain with more than one repetition
    /// - more than [`MAX_PARTS`] parts
    /// - nesting deeper than [`MAX_DEPTH`]
    pub fn new(prif: &Prif) -> Result<Plan, BodyError> {
        let mut builder =
            Builder { parts: Vec::new(), cells: BTreeMap::new(), ids: BTreeSet::new(), way: vec!["root"] };
        builder.build(prif, None)?;
        Ok(Plan { parts: builder.parts })
    }

    /// Returns the parts. The first part is the root.
    pub fn parts(&self) -> &[PlacedPart] {
        &self.parts
    }

    /// Returns the name of the joint between a part and its parent; `None` for the root.
    pub fn joint_name(&self, part: usize) -> Option<String> {
        let child = &self.parts[part];
        child.parent.map(|parent| format!("{}_{}", self.parts[parent].name, child.name))
    }

    /// Returns the indices of the parts with a sensor neuron, in the order of the neurons.
    pub fn sensors(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.parts.len()).filter(|&part| self.parts[part].part.senses())
    }

    /// Returns the indices of the parts whose joints have a motor neuron, in the order of the neurons. These are all
    /// parts except the root, including parts with rigid joints.
    pub fn motors(&self) -> std::ops::Range<usize> {
        1..self.parts.len()
    }
}

struct Builder {
    parts: Vec<PlacedPart>,
    cells: BTreeMap<[i32; 3], usize>,
    ids: BTreeSet<u32>,
    way: Vec<&'static str>,
}

impl Builder {
    fn build(&mut self, prif: &Prif, parent: Option<usize>) -> Result<(), BodyError> {
        self.check(prif, parent)?;
        let mut last = parent;
        for left in (1..=prif.repetitions).rev() {
            last = Some(self.place(prif, left, last)?);
        }
        for (i, (key, next)) in prif.next.iter().enumerate() {
            if prif.next[..i].iter().any(|(other, _)| other == key) {
                return Err(self.error(format_args!("duplicate key {}; use each key once", key.name())));
            }
            self.way.push(key.name());
            self.build(next, last)?;
            self.way.pop();
        }
        Ok(())
    }

    fn check(&mut self, prif: &Prif, parent: Option<usize>) -> Result<(), BodyError> {
        if self.way.len() > MAX_DEPTH {
            return Err(self.error(format_args!("instructions are nested deeper than {MAX_DEPTH} levels")));
        }
        if prif.repetitions == 0 {
            return Err(self.error("the number of repetitions is 0; it must be at least 1"));
        }
        let parts = self.parts.len() + prif.repetitions as usize;
        if parts > MAX_PARTS {
            return Err(
                self.error(format_args!("the body has at least {parts} parts; at most {MAX_PARTS} are allowed"))
            );
        }
        if prif.part == Part::Brain && (parent.is_some() || prif.repetitions > 1) {
            return Err(self.error("a brain (CPG) must be the root and a single part"));
        }
        if !self.ids.insert(prif.id) {
            return Err(
                self.error(format_args!("the id {} is already in use; give each instruction its own id", prif.id))
            );
        }
        Ok(())
    }

    fn place(&mut self, prif: &Prif, left: u32, parent: Option<usize>) -> Result<usize, BodyError> {
        let brain = if prif.part == Part::Brain { "B" } else { "" };
        let name = format!("{}r{left}{brain}", prif.id);
        let step = prif.direction.vector();
        let cell = parent.map_or([0; 3], |parent| {
            let from = self.parts[parent].cell;
            [0, 1, 2].map(|k| from[k] + step[k])
        });
        let index = self.parts.len();
        if let Some(&other) = self.cells.get(&cell) {
            let [x, y, z] = cell;
            let other = &self.parts[other].name;
            return Err(self.error(format_args!("parts {name} and {other} are both at cell {x} {y} {z}")));
        }
        self.cells.insert(cell, index);
        let Prif { part, direction, axis, .. } = *prif;
        self.parts.push(PlacedPart { name, part, parent, direction, axis, cell });
        Ok(index)
    }

    fn error(&self, rule: impl std::fmt::Display) -> BodyError {
        BodyError::new(self.way.join("."), rule)
    }
}

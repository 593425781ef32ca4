//! Compiler of the formulas of a world.

use super::lots::Lot;
use super::parse::Parser;
use super::program::{Op, Slot};
use super::token::{Parsed, Token, error, tokens};
use super::{MAX_CONDITIONS, MAX_LATCHES, MAX_ZONES, Objective};
use crate::model::MAX_DISCS;
use crate::world::zone::{ARENA, Zone};

/// Maximum number of characters of a formula.
const MAX_TEXT: usize = 1000;

/// Compiles a formula with the given regions and scale.
///
/// # Errors
/// The first problem, with its column.
pub fn parse(formula: &str, zones: &[Zone], worst: f32, best: f32) -> Parsed<Objective> {
    ObjectiveBuilder::new(zones, Vec::new()).finish(formula, worst, best)
}

/// Compiler of the formulas of a world: first named latches, then conditions, and last the score.
#[derive(Clone, Debug)]
pub struct ObjectiveBuilder {
    objective: Objective,
    /// Operations of named latches in the update program.
    latches: Vec<(String, Slot)>,
    /// Texts of the conditions.
    conditions: Vec<String>,
    /// Number of discs of the world.
    discs: usize,
}

impl ObjectiveBuilder {
    /// Creates a compiler for a world with these regions and lots.
    pub fn new(zones: &[Zone], lots: Vec<Lot>) -> ObjectiveBuilder {
        let mut zones = zones.to_vec();
        zones.push(Zone::arena());
        let objective = Objective {
            formula: String::new(),
            worst: 0.0,
            best: 1.0,
            quantities: Vec::new(),
            update: Vec::new(),
            reductions: Vec::new(),
            value: Vec::new(),
            latches: 0,
            latch_names: Vec::new(),
            lots,
            conditions: Vec::new(),
            zone_conditions: vec![None; zones.len()],
            end: None,
            relocates: false,
            zones,
        };
        ObjectiveBuilder { objective, latches: Vec::new(), conditions: Vec::new(), discs: MAX_DISCS }
    }

    /// Sets the number of discs of the world. Formulas cannot read other discs.
    pub fn set_discs(&mut self, discs: usize) {
        self.discs = discs.min(MAX_DISCS);
    }

    /// Moves the first disc back near the centre when it touches an x wall.
    pub fn relocate_disc(&mut self) {
        self.objective.relocates = true;
    }

    /// Adds a latch: later formulas can use its name. It is 0 until the formula is not 0, and then 1.
    ///
    /// # Errors
    /// The first problem, with its column.
    pub fn latch(&mut self, name: &str, formula: &str) -> Parsed<()> {
        let latch = self.objective.latches;
        if usize::from(latch) >= MAX_LATCHES {
            return error(1, format!("the world has more than {MAX_LATCHES} latches"));
        }
        self.objective.latches += 1;
        let slot = self.compile(formula, true, Some(latch))?;
        self.objective.latch_names.push((name.into(), latch));
        self.latches.push((name.into(), slot));
        Ok(())
    }

    /// Adds a condition, and returns its index. Equal conditions have the same index.
    ///
    /// # Errors
    /// The first problem, with its column.
    pub fn condition(&mut self, formula: &str) -> Parsed<u8> {
        if let Some(index) = self.conditions.iter().position(|other| other == formula) {
            return Ok(index as u8);
        }
        if self.conditions.len() >= MAX_CONDITIONS {
            return error(1, format!("the world has more than {MAX_CONDITIONS} different conditions"));
        }
        let slot = self.compile(formula, true, None)?;
        self.objective.conditions.push(slot);
        self.conditions.push(formula.into());
        Ok((self.conditions.len() - 1) as u8)
    }

    /// Sets the condition of a region. The region contains nothing while the condition does not hold.
    pub fn set_zone_condition(&mut self, zone: usize, condition: u8) {
        self.objective.zone_conditions[zone] = Some(condition);
    }

    /// Sets the formula that ends the run when it is not 0.
    ///
    /// # Errors
    /// The first problem, with its column.
    pub fn end(&mut self, formula: &str) -> Parsed<()> {
        self.objective.end = Some(self.compile(formula, true, None)?);
        Ok(())
    }

    /// Compiles the score, and returns the objective.
    ///
    /// # Errors
    /// The first problem, with its column.
    pub fn finish(mut self, score: &str, worst: f32, best: f32) -> Parsed<Objective> {
        self.compile(score, false, None)?;
        (self.objective.formula, self.objective.worst, self.objective.best) = (score.into(), worst, best);
        Ok(self.objective)
    }

    /// Compiles a formula. `inside` states whether it is a formula of an update. With a latch, the result is that of the
    /// latch.
    fn compile(&mut self, formula: &str, inside: bool, latch: Option<u16>) -> Parsed<Slot> {
        if formula.chars().count() > MAX_TEXT {
            return error(MAX_TEXT, format!("the formula is longer than {MAX_TEXT} characters; shorten it"));
        }
        let tokens = tokens(formula)?;
        let (objective, latches) = (self.objective.clone(), self.latches.clone());
        let mut parser = Parser { tokens, at: 0, inside, depth: 0, form: None, objective, latches, discs: self.discs };
        let mut slot = parser.expression(0)?;
        if *parser.peek() != Token::End {
            let found = parser.peek().text();
            return error(parser.column(), format!("{found} is not expected here; an operator such as + is missing"));
        }
        if let Some(latch) = latch {
            slot = parser.push(Op::Ever(latch, slot))?;
        }
        self.objective = parser.objective;
        Ok(slot)
    }
}

/// Checks the names of regions.
///
/// # Errors
/// Too many regions, or a name that a formula cannot use.
pub fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let names: Vec<&str> = names.collect();
    if names.len() > MAX_ZONES {
        return Err(format!("{} regions; at most {MAX_ZONES} are allowed", names.len()));
    }
    for name in names {
        let usable = tokens(name).is_ok_and(|found| matches!(&found[..], [(_, Token::Name(n)), _] if n == name));
        if !usable || name == ARENA {
            let why = if name == ARENA { "exists already; choose another name" } else { "is not a valid name" };
            return Err(format!("region \"{name}\" {why}; use letters, digits and inner hyphens, such as spot-a"));
        }
    }
    Ok(())
}

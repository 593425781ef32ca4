//! Parser of formulas.

use super::bodies::DiscValue;
use super::lots::Lot;
use super::program::{Binary, Op, Slot, Unary};
use super::quantity::{Among, Quantity};
use super::{MAX_CONDITIONS, MAX_LATCHES, MAX_OPS, MAX_REDUCTIONS, MAX_ZONES, Objective, Reduction, ReductionKind};
use crate::math::{Vec2, vec2};
use crate::model::MAX_DISCS;
use crate::tree::suggest;
use crate::world::zone::{ARENA, Zone};

/// Maximum nesting of parentheses.
const MAX_DEPTH: u32 = 32;
/// Largest number in a formula, and for `worst` and `best`.
pub(crate) const MAX_NUMBER: f32 = 1e9;
/// Maximum length of a formula (characters).
const MAX_TEXT: usize = 1000;

/// Quantities: form, and what it measures.
pub const QUANTITIES: [(&str, &str); 26] = [
    ("n(REGION)", "number of robots in the region"),
    ("share(REGION)", "n(REGION) / N"),
    ("delivered(SOURCE, NEST)", "items carried from one region to another so far; a robot carries one at a time"),
    ("delivered(SOURCE, NEST, LOST)", "the same; a robot in the region LOST loses its item"),
    ("cluster(RANGE)", "robots in the largest cluster; neighbours are at most RANGE apart (m)"),
    ("clusters(RANGE)", "number of clusters"),
    ("hops(RANGE)", "longest of the shortest paths between two robots of the largest cluster (hops)"),
    ("age(CELL)", "mean time since a robot was last in a cell of side CELL (m) of the arena (s)"),
    ("nearest()", "mean distance of a robot to the nearest other robot (m)"),
    ("nearest(CAP)", "the same; a distance above CAP counts as CAP (m)"),
    ("pairs()", "mean distance of all pairs of robots (m)"),
    ("visited(CELL)", "fraction of the arena's cells of side CELL (m) that robots visited so far"),
    ("moving(SPEED)", "robots that are faster than SPEED (m/s)"),
    ("speed()", "mean speed of the robots (m/s)"),
    ("crossed(X1, Y1, X2, Y2)", "crossings of the line so far, from its left to its right side; others count -1"),
    ("distance(REGION, CAP)", "mean distance from the region's points to the nearest robot, at most CAP (m)"),
    ("distance(REGION, CAP, SET)", "the same to the nearest robot in the region SET, or outside it: -SET"),
    ("covered(REGION, RADIUS)", "fraction of the region within RADIUS of a robot (m)"),
    ("covered(REGION, RADIUS, RANGE)", "the same, but only robots of the largest cluster count"),
    ("alignment()", "length of the mean of the robots' heading vectors: 1 if all are parallel"),
    ("discs(REGION)", "number of discs in the region"),
    ("disc_x(K)", "x of the centre of disc K, from 1 (m)"),
    ("disc_y(K)", "y of the centre of disc K (m)"),
    ("disc_moved_x(K)", "displacement of disc K along x so far, without relocations (m)"),
    ("disc_moved_y(K)", "displacement of disc K along y so far, without relocations (m)"),
    ("disc_moved(K)", "length of the displacement of disc K so far, without relocations (m)"),
];

/// Reductions over time: form, and what it yields.
pub const REDUCTIONS: [(&str, &str); 6] = [
    ("last(X)", "X at the end"),
    ("mean(X)", "mean of X over all updates; mean(X, FROM, TO): of the updates between two times (s)"),
    ("sum(X)", "sum of X over all updates, ten per second; sum(X, FROM, TO)"),
    ("highest(X)", "highest X; highest(X, FROM, TO)"),
    ("lowest(X)", "lowest X; lowest(X, FROM, TO)"),
    ("first(X)", "time of the first update in which X is not 0 (s); the length of the run if there is none"),
];

/// Error of a formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct FormulaError {
    /// Position in the formula (characters), from 1.
    pub column: usize,
    /// Cause and remedy.
    pub message: String,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f32),
    Name(String),
    Sign(&'static str),
    End,
}

impl Token {
    fn text(&self) -> String {
        match self {
            Token::Number(number) => number.to_string(),
            Token::Name(name) => name.clone(),
            Token::Sign(sign) => (*sign).into(),
            Token::End => "the end".into(),
        }
    }
}

type Parsed<T> = Result<T, FormulaError>;

fn error<T>(column: usize, message: impl Into<String>) -> Parsed<T> {
    Err(FormulaError { column, message: message.into() })
}

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

fn tokens(text: &str) -> Parsed<Vec<(usize, Token)>> {
    const SIGNS: [&str; 16] = ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")", ",", "and", "or", "not"];
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let (column, first) = (at + 1, characters[at]);
        let run = |test: fn(&char) -> bool| characters[at..].iter().take_while(|c| test(c)).count();
        if first.is_whitespace() {
            at += 1;
            continue;
        }
        let token = if first.is_ascii_digit() || first == '.' {
            let length = run(|c| c.is_ascii_digit() || *c == '.');
            let word: String = characters[at..at + length].iter().collect();
            at += length;
            if characters.get(at).is_some_and(|c| matches!(c, 'e' | 'E')) {
                return error(column, "write the number without an exponent, such as 100000 for 1e5");
            }
            match word.parse::<f32>() {
                Ok(number) if number > MAX_NUMBER => {
                    return error(column, format!("{word} is too large; numbers are at most {MAX_NUMBER}"));
                }
                Ok(number) => Token::Number(number),
                Err(_) => return error(column, format!("{word} is not a number")),
            }
        } else if first.is_alphabetic() {
            // A hyphen belongs to a name if a letter follows it directly, as in `spot-a`.
            let mut length = 0;
            while let Some(c) = characters.get(at + length) {
                let hyphen = *c == '-' && characters.get(at + length + 1).is_some_and(|next| next.is_alphanumeric());
                if !(c.is_alphanumeric() || *c == '_' || hyphen) {
                    break;
                }
                length += 1;
            }
            let word: String = characters[at..at + length].iter().collect();
            at += length;
            SIGNS.iter().find(|sign| **sign == word).map_or(Token::Name(word), |sign| Token::Sign(sign))
        } else {
            let rest: String = characters[at..characters.len().min(at + 2)].iter().collect();
            let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
                let signs = "the operators are + - * / < <= > >= == != and, or, not";
                return error(column, format!("{first} is not part of the language; {signs}"));
            };
            at += sign.len();
            Token::Sign(sign)
        };
        found.push((column, token));
    }
    found.push((characters.len() + 1, Token::End));
    Ok(found)
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    /// Whether the parser is inside a reduction.
    inside: bool,
    depth: u32,
    /// Form of the innermost call that is being parsed.
    form: Option<&'static str>,
    objective: Objective,
    /// Operations of named latches.
    latches: Vec<(String, Slot)>,
    /// Number of discs of the world.
    discs: usize,
}

/// Binary operators with their precedence; a higher number binds more tightly.
const OPERATORS: [(&str, u32, Binary); 12] = [
    ("or", 1, Binary::Or),
    ("and", 2, Binary::And),
    ("<", 3, Binary::Less),
    ("<=", 3, Binary::AtMost),
    (">", 3, Binary::Greater),
    (">=", 3, Binary::AtLeast),
    ("==", 3, Binary::Equal),
    ("!=", 3, Binary::Unequal),
    ("+", 4, Binary::Add),
    ("-", 4, Binary::Subtract),
    ("*", 5, Binary::Multiply),
    ("/", 5, Binary::Divide),
];

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].1
    }

    fn column(&self) -> usize {
        self.tokens[self.at].0
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].1.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(s) if *s == sign);
        if found {
            self.advance();
        }
        found
    }

    /// Accepts a sign. The error contains the form of the call to which the sign belongs.
    fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.accept(sign) {
            return Ok(());
        }
        let form = self.form.map_or(String::new(), |form| format!(" in {form}"));
        error(self.column(), format!("expected {sign}{form} instead of {}", self.peek().text()))
    }

    fn push(&mut self, op: Op) -> Parsed<Slot> {
        if self.objective.update.len() + self.objective.value.len() >= MAX_OPS {
            return error(self.column(), format!("the formula has more than {MAX_OPS} operations; simplify it"));
        }
        let ops = if self.inside { &mut self.objective.update } else { &mut self.objective.value };
        ops.push(op);
        Ok((ops.len() - 1) as Slot)
    }

    /// Parses an expression whose operators bind at least as tightly as `least`.
    fn expression(&mut self, least: u32) -> Parsed<Slot> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return error(self.column(), "the formula is nested too deeply; simplify it");
        }
        let mut left = self.operand()?;
        while let Token::Sign(sign) = self.peek() {
            let Some((_, precedence, function)) = OPERATORS.iter().find(|(name, ..)| name == sign) else { break };
            if *precedence < least {
                break;
            }
            self.advance();
            let right = self.expression(precedence + 1)?;
            left = self.push(Op::Binary(*function, left, right))?;
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Parsed<Slot> {
        let column = self.column();
        match self.advance() {
            Token::Number(number) => self.push(Op::Constant(number)),
            Token::Sign("(") => {
                let inner = self.expression(0)?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Sign("-") => {
                let operand = self.expression(5)?;
                self.push(Op::Unary(Unary::Negate, operand))
            }
            Token::Sign("not") => {
                let operand = self.expression(3)?;
                self.push(Op::Unary(Unary::Not, operand))
            }
            Token::Name(name) => self.named(column, &name),
            token => error(column, format!("expected a number, a name or ( instead of {}", token.text())),
        }
    }

    fn named(&mut self, column: usize, name: &str) -> Parsed<Slot> {
        if !self.accept("(") {
            return match name {
                "N" => self.push(Op::Robots),
                "time" => self.push(Op::Time),
                "n" => error(column, "write n(REGION), or N for the number of robots"),
                _ if form_of(name).is_some() => {
                    error(column, format!("{name} needs ( and ) after it: {}", form_of(name).unwrap_or_default()))
                }
                _ if self.objective.zones.iter().any(|zone| zone.name == name) => {
                    error(column, format!("{name} is a region; write n({name}) for the number of robots in it"))
                }
                _ => self.variable(column, name),
            };
        }
        let outer = std::mem::replace(&mut self.form, form_of(name));
        if let Some(kind) = reduction(name) {
            let slot = self.reduction(column, name, kind)?;
            self.form = outer;
            return Ok(slot);
        }
        let slot = match name {
            "min" => self.fold(Binary::Min)?,
            "max" => self.fold(Binary::Max)?,
            "abs" => self.unary(Unary::Abs)?,
            "floor" => self.unary(Unary::Floor)?,
            "clamp" => {
                let value = self.expression(0)?;
                self.expect(",")?;
                let low = self.expression(0)?;
                self.expect(",")?;
                let high = self.expression(0)?;
                let raised = self.push(Op::Binary(Binary::Max, value, low))?;
                self.push(Op::Binary(Binary::Min, raised, high))?
            }
            "if" => {
                let condition = self.expression(0)?;
                self.expect(",")?;
                let yes = self.expression(0)?;
                self.expect(",")?;
                let no = self.expression(0)?;
                self.push(Op::Select(condition, yes, no))?
            }
            "ever" => {
                if !self.inside {
                    return error(column, "ever(X) stands inside a reduction such as last(X)");
                }
                let operand = self.expression(0)?;
                let latch = self.objective.latches;
                if usize::from(latch) >= MAX_LATCHES {
                    return error(column, format!("the formula has more than {MAX_LATCHES} times ever(X)"));
                }
                self.objective.latches += 1;
                self.push(Op::Ever(latch, operand))?
            }
            "area" => {
                let zone = self.zone(name)?;
                self.quantity(Quantity::Area { zone })?
            }
            _ if is_quantity(name) && !self.inside => {
                return error(
                    column,
                    format!("{name} changes during a run; put it into a reduction, such as last({name}(...))"),
                );
            }
            "share" => {
                let zone = self.zone(name)?;
                let count = self.quantity(Quantity::Count { zone })?;
                let robots = self.push(Op::Robots)?;
                self.push(Op::Binary(Binary::Divide, count, robots))?
            }
            _ => {
                let quantity = self.measured(column, name)?;
                self.quantity(quantity)?
            }
        };
        self.expect(")")?;
        self.form = outer;
        Ok(slot)
    }

    /// Parses the name of a lot or of a latch.
    fn variable(&mut self, column: usize, name: &str) -> Parsed<Slot> {
        if let Some(index) = self.objective.lots.iter().position(|lot| lot.name == name) {
            return self.push(Op::Lot(index as u16));
        }
        match self.latches.iter().find(|(latch, _)| latch == name) {
            Some((_, slot)) if self.inside => Ok(*slot),
            Some(_) => {
                error(column, format!("{name} changes during a run; put it into a reduction, such as last({name})"))
            }
            None => self.unknown(column, name),
        }
    }

    fn measured(&mut self, column: usize, name: &str) -> Parsed<Quantity> {
        Ok(match name {
            "n" => Quantity::Count { zone: self.zone(name)? },
            "delivered" => {
                let place = self.column();
                let source = self.zone(name)?;
                self.expect(",")?;
                let nest = self.zone(name)?;
                if source == nest {
                    return error(place, "SOURCE and NEST must be two different regions");
                }
                let lost = if self.accept(",") { Some(self.zone(name)?) } else { None };
                Quantity::Delivered { source, nest, lost }
            }
            "cluster" => Quantity::Cluster { range: self.positive("RANGE")? },
            "clusters" => Quantity::Clusters { range: self.positive("RANGE")? },
            "hops" => Quantity::Hops { range: self.positive("RANGE")? },
            "nearest" if matches!(self.peek(), Token::Sign(")")) => Quantity::Nearest,
            "nearest" => Quantity::NearestUpTo { cap: self.positive("CAP")? },
            "alignment" => Quantity::Alignment,
            "discs" => Quantity::Discs { zone: self.zone(name)? },
            "disc_x" => self.disc(DiscValue::X)?,
            "disc_y" => self.disc(DiscValue::Y)?,
            "disc_moved_x" => self.disc(DiscValue::MovedX)?,
            "disc_moved_y" => self.disc(DiscValue::MovedY)?,
            "disc_moved" => self.disc(DiscValue::Moved)?,
            "pairs" => Quantity::Pairs,
            "speed" => Quantity::Speed,
            "visited" => Quantity::Visited { cell: self.cell()? },
            "age" => Quantity::Age { cell: self.cell()? },
            "moving" => Quantity::Moving { speed: self.number("SPEED")? },
            "crossed" => {
                let (from, to) = (self.place()?, {
                    self.expect(",")?;
                    self.place()?
                });
                if (to - from).length() < 0.01 {
                    return error(column, "the line is shorter than 0.01 m");
                }
                Quantity::Crossed { from, to }
            }
            "distance" => {
                let zone = self.zone(name)?;
                self.expect(",")?;
                let cap = self.positive("CAP")?;
                let among = match self.accept(",") {
                    false => Among::All,
                    true if self.accept("-") => Among::Outside(self.zone(name)?),
                    true => Among::Inside(self.zone(name)?),
                };
                Quantity::Distance { zone, among, cap }
            }
            "covered" => {
                let zone = self.zone(name)?;
                self.expect(",")?;
                let radius = self.positive("RADIUS")?;
                let range = if self.accept(",") { Some(self.positive("RANGE")?) } else { None };
                Quantity::Covered { zone, radius, range }
            }
            _ => return self.unknown(column, name),
        })
    }

    fn quantity(&mut self, quantity: Quantity) -> Parsed<Slot> {
        let quantities = &mut self.objective.quantities;
        let index = quantities.iter().position(|other| *other == quantity).unwrap_or_else(|| {
            quantities.push(quantity);
            quantities.len() - 1
        });
        self.push(Op::Quantity(index as u16))
    }

    fn reduction(&mut self, column: usize, name: &str, kind: ReductionKind) -> Parsed<Slot> {
        if self.inside {
            let before = "or close the parenthesis of the reduction before it";
            return error(column, format!("{name} stands inside another reduction; take it out, {before}"));
        }
        if self.objective.reductions.len() >= MAX_REDUCTIONS {
            return error(column, format!("the formula has more than {MAX_REDUCTIONS} reductions"));
        }
        self.inside = true;
        let of = self.expression(0)?;
        self.inside = false;
        let mut window = None;
        if self.accept(",") {
            let place = self.column();
            let from = self.number("FROM")?;
            if !self.accept(",") {
                return error(self.column(), format!("{name} needs both times: {name}(X, FROM, TO)"));
            }
            let to = self.number("TO")?;
            if !(0.0 <= from && from <= to) {
                return error(place, "FROM and TO are times (s): FROM must be at least 0, and at most TO");
            }
            window = Some([from, to]);
        }
        self.expect(")")?;
        self.objective.reductions.push(Reduction { kind, of, window });
        self.push(Op::Reduced((self.objective.reductions.len() - 1) as u16))
    }

    /// Parses the operands of a function of two or more operands.
    fn fold(&mut self, function: Binary) -> Parsed<Slot> {
        let mut slot = self.expression(0)?;
        while self.accept(",") {
            let next = self.expression(0)?;
            slot = self.push(Op::Binary(function, slot, next))?;
        }
        Ok(slot)
    }

    fn unary(&mut self, function: Unary) -> Parsed<Slot> {
        let operand = self.expression(0)?;
        self.push(Op::Unary(function, operand))
    }

    fn zone(&mut self, of: &str) -> Parsed<u16> {
        let column = self.column();
        let Token::Name(name) = self.advance() else {
            return error(column, format!("{of} needs the name of a region; {}", self.regions()));
        };
        match self.objective.zones.iter().position(|zone| zone.name == name) {
            Some(index) => Ok(index as u16),
            None => {
                let near = suggest(&name, self.objective.zones.iter().map(|zone| zone.name.clone()));
                error(column, format!("there is no region {name}{near}; {}", self.regions()))
            }
        }
    }

    fn number(&mut self, what: &str) -> Parsed<f32> {
        let column = self.column();
        let sign = if self.accept("-") { -1.0 } else { 1.0 };
        match self.advance() {
            Token::Number(number) => Ok(sign * number),
            token => error(column, format!("expected a number, {what}, instead of {}", token.text())),
        }
    }

    fn positive(&mut self, what: &str) -> Parsed<f32> {
        let column = self.column();
        let number = self.number(what)?;
        if number > 0.0 { Ok(number) } else { error(column, format!("{what} must be above 0")) }
    }

    fn cell(&mut self) -> Parsed<f32> {
        let column = self.column();
        let cell = self.positive("CELL")?;
        if cell < 0.05 { error(column, "CELL is at least 0.05 m") } else { Ok(cell) }
    }

    /// Parses the number of a disc, from 1.
    fn disc(&mut self, value: DiscValue) -> Parsed<Quantity> {
        let column = self.column();
        let number = self.number("K")?;
        let discs = self.discs;
        match (1..=discs).find(|disc| *disc as f32 == number) {
            Some(disc) => Ok(Quantity::Disc { disc: (disc - 1) as u16, value }),
            None if discs == 0 => error(column, "the world has no disc; add a [[disc]]"),
            None => error(column, format!("there is no disc {number}; K is a whole number, 1 to {discs}")),
        }
    }

    fn place(&mut self) -> Parsed<Vec2> {
        let x = self.number("X")?;
        self.expect(",")?;
        Ok(vec2(x, self.number("Y")?))
    }

    fn regions(&self) -> String {
        let names: Vec<&str> = self.objective.zones.iter().map(|zone| zone.name.as_str()).collect();
        format!("the regions are {}", names.join(", "))
    }

    /// Returns the error of a name that is neither a quantity, a reduction, a function nor a number.
    fn unknown<T>(&self, column: usize, name: &str) -> Parsed<T> {
        let functions = ["min", "max", "abs", "floor", "clamp", "if", "ever", "area", "N", "time"];
        let forms = QUANTITIES.iter().chain(&REDUCTIONS).map(|(form, _)| stem(form));
        let lots = self.objective.lots.iter().map(|lot| lot.name.clone());
        let latches = self.latches.iter().map(|(latch, _)| latch.clone());
        let near = suggest(name, forms.chain(functions).map(String::from).chain(lots).chain(latches));
        if name.contains('-') {
            let minus = "put spaces around a minus sign, because a hyphen is part of a name";
            return error(column, format!("{name} is not a name of the language; {minus}"));
        }
        if near.is_empty() {
            return error(column, format!("{name} is not a name of the language; {}", self.names()));
        }
        error(column, format!("{name} is not a name of the language{near}"))
    }

    fn names(&self) -> String {
        let stems = |list: &[(&'static str, &str)]| {
            let mut stems: Vec<String> = list.iter().map(|(form, _)| stem(form).to_string()).collect();
            stems.dedup();
            stems.join(", ")
        };
        format!(
            "reductions are {}; quantities are {}; functions are min, max, abs, floor, clamp, if, ever, area; numbers \
             are N and time",
            stems(&REDUCTIONS),
            stems(&QUANTITIES)
        )
    }
}

fn reduction(name: &str) -> Option<ReductionKind> {
    Some(match name {
        "last" => ReductionKind::Last,
        "mean" => ReductionKind::Mean,
        "sum" => ReductionKind::Sum,
        "highest" => ReductionKind::Highest,
        "lowest" => ReductionKind::Lowest,
        "first" => ReductionKind::First,
        _ => return None,
    })
}

fn is_quantity(name: &str) -> bool {
    QUANTITIES.iter().any(|(form, _)| stem(form) == name)
}

/// Returns the name in a form such as `n(REGION)`.
fn stem(form: &'static str) -> &'static str {
    form.split('(').next().unwrap_or(form)
}

/// Returns the form of a quantity, reduction or function of the language.
fn form_of(name: &str) -> Option<&'static str> {
    const FUNCTIONS: [&str; 8] = [
        "min(X, Y)",
        "max(X, Y)",
        "abs(X)",
        "floor(X)",
        "clamp(X, LOW, HIGH)",
        "if(CONDITION, X, Y)",
        "ever(X)",
        "area(REGION)",
    ];
    let forms = QUANTITIES.iter().chain(&REDUCTIONS).map(|(form, _)| *form).chain(FUNCTIONS);
    forms.into_iter().find(|form| stem(form) == name)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::task::Region;
    use crate::world::zone::ZoneShape;

    fn zones() -> Vec<Zone> {
        let disc = |name: &str, x| Zone {
            name: name.into(),
            shapes: vec![ZoneShape::Simple(Region::Disc { at: vec2(x, 0.0), radius: 0.3 })],
            without: Vec::new(),
        };
        vec![disc("spot-a", -0.5), disc("spot-b", 0.5)]
    }

    fn parsed(formula: &str) -> Parsed<Objective> {
        parse(formula, &zones(), 0.0, 1.0)
    }

    #[test]
    fn errors_name_the_column_and_the_remedy() {
        for (formula, column, part) in [
            ("last(n(spot))", 8, "the regions are spot-a, spot-b, arena"),
            ("n(spot-a) / N", 1, "put it into a reduction, such as last(n(...))"),
            ("last(sum(n(spot-a)))", 6, "sum stands inside another reduction"),
            ("last(n(spot-a)", 15, "expected ) in last(X) instead of the end"),
            ("last(n(spot-a)) 2", 17, "an operator such as + is missing"),
            ("last(cluster(0))", 14, "RANGE must be above 0"),
            ("last(nothing(spot-a))", 6, "nothing is not a name of the language; reductions are last"),
            ("last(nearst())", 6, "nearst is not a name of the language; did you mean `nearest`?"),
            ("maen(n(spot-a))", 1, "did you mean `mean`?"),
            ("last(spot-a)", 6, "spot-a is a region; write n(spot-a)"),
            ("last(delivered(spot-a))", 22, "expected , in delivered(SOURCE, NEST) instead of )"),
            ("mean(n(spot-a), 20, 10)", 17, "FROM must be at least 0, and at most TO"),
            ("mean(n(spot-a), 20)", 19, "needs both times: mean(X, FROM, TO)"),
            ("last(1e5)", 6, "without an exponent"),
            ("last(9999999999)", 6, "too large"),
            ("mean(N-n(spot-a))", 6, "put spaces around a minus sign"),
            ("last(delivered(spot-a, spot-a))", 16, "two different regions"),
            ("last(n)", 6, "write n(REGION), or N for the number of robots"),
            ("last(speed)", 6, "speed needs ( and ) after it: speed()"),
            ("last(2 $ 3)", 8, "$ is not part of the language"),
            ("1.2.3", 1, "1.2.3 is not a number"),
            ("", 1, "expected a number, a name or ( instead of the end"),
            ("ever(1)", 1, "stands inside a reduction"),
            ("last(disc_x(9))", 13, "there is no disc 9; K is a whole number, 1 to 8"),
            ("last(disc_x(1.5))", 13, "there is no disc 1.5"),
            ("last(disc_y)", 6, "disc_y needs ( and ) after it: disc_y(K)"),
            ("last(nearest(0))", 14, "CAP must be above 0"),
        ] {
            let error = parsed(formula).unwrap_err();
            assert!(error.column == column && error.message.contains(part), "{formula}: {error}");
        }
        assert!(parsed(&"(".repeat(50)).unwrap_err().message.contains("nested too deeply"));
        assert!(parsed(&format!("1{}", " + 1".repeat(100))).unwrap_err().message.contains("128 operations"));
    }

    #[test]
    fn operators_bind_as_in_arithmetic() {
        let value = |formula: &str| {
            let objective = parsed(formula).unwrap();
            let score = super::super::ObjectiveScore::new(objective.into(), (1.0, 1.0), 4, std::iter::empty(), (1, 0));
            score.value(1.0)
        };
        for (formula, expected) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("8 - 3 - 2", 3.0),
            ("-2 * 3 + 1", -5.0),
            ("2 - -3", 5.0),
            ("1 < 2 and not 3 <= 2", 1.0),
            ("0 or 2 >= 3", 0.0),
            ("min(4, 2, 3) + max(1, 5)", 7.0),
            ("clamp(7, 0, 5) + abs(-1) + floor(2.7)", 8.0),
            ("if(N > 3, 10, 20) / 0", 0.0),
            ("if(N > 3, 10, 20)", 10.0),
        ] {
            assert_eq!(value(formula), expected, "{formula}");
        }
    }

    #[test]
    fn names_of_regions_fit_formulas() {
        assert!(check_names(["spot-a", "nest2", "N"].into_iter()).is_ok());
        for name in ["", "2nd", "a b", "a+b", "arena", "and", "a-"] {
            assert!(check_names([name].into_iter()).is_err(), "{name}");
        }
    }
}

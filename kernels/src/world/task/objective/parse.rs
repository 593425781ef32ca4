//! Parser of formulas.

use super::language::{QUANTITIES, REDUCTIONS, form_of, is_quantity, reduction, stem};
use super::program::{Binary, Op, Slot, Unary};
use super::quantity::Quantity;
use super::token::{Parsed, Token, error};
use super::{MAX_LATCHES, MAX_OPS, MAX_REDUCTIONS, Objective, Reduction, ReductionKind};
use crate::tree::suggest;

/// Maximum nesting of parentheses.
const MAX_DEPTH: u32 = 32;

/// Parser of one formula, which adds operations to an objective.
pub(super) struct Parser {
    pub(super) tokens: Vec<(usize, Token)>,
    pub(super) at: usize,
    /// Whether the parser is inside a reduction.
    pub(super) inside: bool,
    pub(super) depth: u32,
    /// Form of the innermost call that is being parsed.
    pub(super) form: Option<&'static str>,
    pub(super) objective: Objective,
    /// Operations of named latches.
    pub(super) latches: Vec<(String, Slot)>,
    /// Number of discs of the world.
    pub(super) discs: usize,
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
    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.at].1
    }

    pub(super) fn column(&self) -> usize {
        self.tokens[self.at].0
    }

    pub(super) fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].1.clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn accept(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(s) if *s == sign);
        if found {
            self.advance();
        }
        found
    }

    /// Accepts a sign. The error contains the form of the call to which the sign belongs.
    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.accept(sign) {
            return Ok(());
        }
        let form = self.form.map_or(String::new(), |form| format!(" in {form}"));
        error(self.column(), format!("expected {sign}{form} instead of {}", self.peek().text()))
    }

    pub(super) fn push(&mut self, op: Op) -> Parsed<Slot> {
        if self.objective.update.len() + self.objective.value.len() >= MAX_OPS {
            return error(self.column(), format!("the formula has more than {MAX_OPS} operations; simplify it"));
        }
        let ops = if self.inside { &mut self.objective.update } else { &mut self.objective.value };
        ops.push(op);
        Ok((ops.len() - 1) as Slot)
    }

    /// Parses an expression whose operators bind at least as tightly as `least`.
    pub(super) fn expression(&mut self, least: u32) -> Parsed<Slot> {
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

    pub(super) fn regions(&self) -> String {
        let names: Vec<&str> = self.objective.zones.iter().map(|zone| zone.name.as_str()).collect();
        format!("the regions are {}", names.join(", "))
    }

    /// Returns the error of a name that is neither a quantity, a reduction, a function nor a number.
    pub(super) fn unknown<T>(&self, column: usize, name: &str) -> Parsed<T> {
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

#[cfg(test)]
mod tests {
    use super::super::{check_names, parse};
    use super::*;
    use crate::math::vec2;
    use crate::world::task::Region;
    use crate::world::zone::Zone;
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

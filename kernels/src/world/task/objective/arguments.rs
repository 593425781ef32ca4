//! Quantities of formulas with their arguments.

use super::bodies::DiscValue;
use super::parse::Parser;
use super::quantity::{Among, Quantity};
use super::token::{Parsed, Token, error};
use crate::math::{Vec2, vec2};
use crate::tree::suggest;

impl Parser {
    /// Parses the arguments of a quantity.
    pub(super) fn measured(&mut self, column: usize, name: &str) -> Parsed<Quantity> {
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

    pub(super) fn zone(&mut self, of: &str) -> Parsed<u16> {
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

    pub(super) fn number(&mut self, what: &str) -> Parsed<f32> {
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
}

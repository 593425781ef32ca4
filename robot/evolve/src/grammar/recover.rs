//! Conversion of a tree to a bit string, so that immigrants, which are sent as trees, can breed.

use super::{Grammar, Production, RANGE_BITS, Source, between, width};
use crate::genotype::{Bits, Branch, Gene};
use crate::operands::{Operands, Values};
use xpuck_kernels::tree::OperandSpec;

/// Maximum number of alternatives to try for one tree.
const MAX_TRIES: usize = 100_000;

impl Grammar {
    /// Returns a string of `length` bits that generates this branch at the same `depth`; `None` if no such string was
    /// found. If several alternatives of a rule match, only the first is tried. A branch that requires another
    /// alternative cannot be converted.
    pub(crate) fn recover(&self, branch: &Branch, depth: usize, length: usize, any: &Operands) -> Option<Bits> {
        let mut writer = Writer { genes: branch.genes(), bits: Vec::new(), tries: 0, grammar: self, any };
        let end = writer.rule(0, depth, 0)?;
        let mut bits = Bits::zero(length);
        if end != branch.genes().len() || writer.bits.len() > bits.length() {
            return None;
        }
        (0..writer.bits.len()).filter(|at| writer.bits[*at]).for_each(|at| bits.flip(at));
        (self.generate(&bits, depth, any).as_ref() == Some(branch)).then_some(bits)
    }
}

struct Writer<'a> {
    genes: &'a [Gene],
    bits: Vec<bool>,
    tries: usize,
    grammar: &'a Grammar,
    any: &'a Operands,
}

impl Writer<'_> {
    fn number(&mut self, number: u32, width: u32) {
        self.bits.extend((0..width).rev().map(|bit| number >> bit & 1 == 1));
    }

    /// Writes the smallest number that selects alternative `index` of `count` alternatives.
    fn choice(&mut self, index: usize, count: usize) {
        let width = width(count);
        self.number((index << width).div_ceil(count) as u32, width);
    }

    /// Writes the choices that lead from a rule to the subtree at gene `at`. Returns the index of the gene after the
    /// subtree; `None` if the rule cannot generate the subtree.
    fn rule(&mut self, rule: u16, left: usize, at: usize) -> Option<usize> {
        let grammar = self.grammar;
        let open = grammar.rules[usize::from(rule)].open(left);
        let (count, written) = (open.clone().count(), self.bits.len());
        for (index, alternative) in open.enumerate() {
            self.tries += 1;
            if self.tries > MAX_TRIES {
                return None;
            }
            self.choice(index, count);
            if let Some(end) = self.production(&alternative.production, left, at) {
                return Some(end);
            }
            self.bits.truncate(written);
        }
        None
    }

    fn production(&mut self, production: &Production, left: usize, at: usize) -> Option<usize> {
        match (production, self.genes.get(at)?) {
            (Production::Rule(other), _) => self.rule(*other, left, at),
            (Production::Subtree(number), Gene::Subtree(found)) if number == found => Some(at + 1),
            (Production::Node { kind, operands, children }, Gene::Node(node))
                if *kind == node.kind && children.len() == usize::from(node.children) =>
            {
                for ((source, spec), value) in operands.iter().zip(kind.spec().operands).zip(node.operands) {
                    self.operand(source, spec, value)?;
                }
                children.iter().try_fold(at + 1, |at, child| self.rule(*child, left.saturating_sub(1), at))
            }
            _ => None,
        }
    }

    fn operand(&mut self, source: &Source, spec: &OperandSpec, value: f32) -> Option<()> {
        let any = self.any;
        match (source, any.values(spec.operand)) {
            (Source::OneOf(values), _) => {
                self.choice(values.iter().position(|v| v.to_bits() == value.to_bits())?, values.len());
            }
            (Source::Any, Values::Cells(cells)) => {
                self.choice(cells.iter().position(|cell| f32::from(*cell) == value)?, cells.len());
            }
            (Source::Any, Values::Steps { low, step, count }) => {
                let index = (value - low) / step;
                let sound = index.fract() == 0.0 && (0.0..count as f32).contains(&index);
                self.choice(sound.then_some(index as usize)?, count as usize);
            }
            (Source::Any, Values::Range { low, high }) => {
                let number = ((value - low) / (high - low) * ((1 << RANGE_BITS) - 1) as f32).round() as u32;
                self.number((between(low, high, number) == value).then_some(number)?, RANGE_BITS);
            }
        }
        Some(())
    }
}

//! Grammars over a primitive set. The words of a grammar are nodes, subtrees and operand values of the set.

use super::PrimitiveSet;
use crate::genotype::Bits;
use crate::grammar::bnf::{ANY, Entry, Symbol, entries};
use crate::grammar::{Grammar, Production, Source};
use std::collections::VecDeque;
use xpuck_kernels::tree::{Group, Kind, Node, OperandSpec, suggest};

impl PrimitiveSet {
    /// Parses a grammar, whose nodes and registers must all be in this set.
    ///
    /// # Errors
    /// Returns one line with the position, the fault and the correction.
    pub(super) fn read_grammar(&self, text: &str) -> Result<Grammar, String> {
        let entries = entries(text)?;
        let first = entries.first().ok_or("the grammar has no rule; write for example `<node> ::= \"successl\"`")?;
        let mut compiler = Compiler {
            entries: &entries,
            primitive_set: self,
            numbers: vec![None; entries.len()],
            waiting: VecDeque::new(),
            count: 0,
        };
        compiler.number(&first.name)?;
        let mut rules = Vec::new();
        while let Some(entry) = compiler.waiting.pop_front() {
            rules.push(compiler.rule(&entries[entry]).map_err(|m| format!("line {}: {m}", entries[entry].line))?);
        }
        let grammar = Grammar::new(rules)?;
        let smallest = grammar.generate(&Bits::zero(8), 0, &self.operands);
        if !smallest.is_some_and(|branch| self.fits(&[branch])) {
            return Err("the smallest tree of the grammar is too large for a robot".into());
        }
        Ok(grammar)
    }
}

/// Compiler that converts the reachable rules to productions, in the order in which the rules are first referenced.
struct Compiler<'a> {
    entries: &'a [Entry],
    primitive_set: &'a PrimitiveSet,
    /// Rule number of each entry; `None` until the entry is referenced.
    numbers: Vec<Option<u16>>,
    waiting: VecDeque<usize>,
    count: u16,
}

impl Compiler<'_> {
    fn entry(&self, name: &str) -> Result<usize, String> {
        let unknown = || format!("unknown rule <{name}>{}", suggest(name, self.entries.iter().map(|e| e.name.clone())));
        self.entries.iter().position(|e| e.name == name).ok_or_else(unknown)
    }

    fn number(&mut self, name: &str) -> Result<u16, String> {
        let entry = self.entry(name)?;
        Ok(*self.numbers[entry].get_or_insert_with(|| {
            self.waiting.push_back(entry);
            self.count += 1;
            self.count - 1
        }))
    }

    fn rule(&mut self, entry: &Entry) -> Result<(String, Vec<Production>), String> {
        let productions = entry.alternatives.iter().map(|symbols| self.production(symbols));
        Ok((entry.name.clone(), productions.collect::<Result<_, _>>()?))
    }

    fn production(&mut self, symbols: &[Symbol]) -> Result<Production, String> {
        match symbols {
            [Symbol::Rule(name)] => Ok(Production::Rule(self.number(name)?)),
            [Symbol::Word(name)] if self.primitive_set.subtree_of_name(name).is_some() => {
                Ok(Production::Subtree(self.primitive_set.subtree_of_name(name).unwrap_or(0)))
            }
            [Symbol::Word(name), rest @ ..] => self.node(name, rest),
            _ => Err("an alternative must be one node with its operands and children, or one other rule".into()),
        }
    }

    fn node(&mut self, name: &str, rest: &[Symbol]) -> Result<Production, String> {
        let (kind, arity) =
            Kind::from_word(name).map_err(|_| format!("unknown node `{name}`{}", self.primitive_set.suggest(name)))?;
        if kind.spec().group.is_network() {
            return Err(format!(
                "`{name}` is not allowed in a grammar; networks evolve with representation = \"network\""
            ));
        }
        let specs = kind.spec().operands;
        if rest.len() < specs.len() {
            let names: Vec<&str> = specs.iter().map(|o| o.name).collect();
            return Err(format!("`{name}` needs operands {}", names.join(" ")));
        }
        let (operands, children) = rest.split_at(specs.len());
        let wanted = match kind.spec().group {
            Group::Composite => arity.map_or(children.len(), usize::from),
            Group::Decorator => 1,
            _ => 0,
        };
        if children.len() != wanted {
            return Err(format!("`{name}` needs {wanted} children, but has {}", children.len()));
        }
        let sources = operands.iter().zip(specs).map(|(symbol, spec)| self.source(symbol, spec));
        let sources = sources.collect::<Result<Vec<Source>, String>>()?;
        self.refuse_forbidden(kind, wanted, &sources)?;
        let mut numbers = Vec::with_capacity(wanted);
        for child in children {
            let Symbol::Rule(rule) = child else {
                return Err(format!("the children of `{name}` must be rules, like <node>"));
            };
            numbers.push(self.number(rule)?);
        }
        Ok(Production::Node { kind, operands: sources, children: numbers })
    }

    fn source(&self, symbol: &Symbol, spec: &OperandSpec) -> Result<Source, String> {
        let read = |word: &str| spec.read(word).map_err(|message| format!("operand {}: {message}", spec.name));
        match symbol {
            Symbol::Word(word) => Ok(Source::OneOf(vec![read(word)?])),
            Symbol::Rule(name) if name == ANY => Ok(Source::Any),
            Symbol::Rule(name) => {
                let word = |symbols: &Vec<Symbol>| match symbols.as_slice() {
                    [Symbol::Word(word)] => read(word),
                    _ => Err(format!("<{name}> stands for an operand, so its alternatives must be single words")),
                };
                self.entries[self.entry(name)?]
                    .alternatives
                    .iter()
                    .map(word)
                    .collect::<Result<_, _>>()
                    .map(Source::OneOf)
            }
        }
    }

    /// Rejects nodes and registers outside the primitive set, so that the set allows every tree of the grammar.
    fn refuse_forbidden(&self, kind: Kind, children: usize, sources: &[Source]) -> Result<(), String> {
        let mut node = Node::new(kind, children as u16, &[]);
        let specs = kind.spec().operands;
        for (value, spec) in node.operands.iter_mut().zip(specs) {
            *value = self.primitive_set.operands.values(spec.operand).first();
        }
        if !self.primitive_set.allows_node(&node) {
            return Err(format!("`{}` with {children} children is not in the primitive set", kind.spec().name));
        }
        for (i, source) in sources.iter().enumerate() {
            let Source::OneOf(values) = source else { continue };
            for value in values {
                let mut one = node;
                one.operands[i] = *value;
                if !self.primitive_set.allows_node(&one) {
                    return Err(format!("a register of operand {} is not in the primitive set", specs[i].name));
                }
            }
        }
        Ok(())
    }
}

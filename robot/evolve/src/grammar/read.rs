//! Grammars as BNF text.

use super::{Alternative, Grammar, Production, Rule, Source};
use crate::genotype::{Bits, fits};
use crate::palette::Palette;
use std::collections::VecDeque;
use xpuck_kernels::tree::{Group, Kind, Node, OperandSpec, suggest};

/// Most rules, and most alternatives of one.
const MAX_RULES: usize = 256;
/// The rule for whatever the palette allows.
const ANY: &str = "any";
/// A depth that no tree has: of rules that are not known to end.
const NEVER: usize = usize::MAX;

#[derive(Clone, Debug, PartialEq)]
enum Symbol {
    Word(String),
    Rule(String),
}

/// A rule as written.
struct Entry {
    name: String,
    line: usize,
    alternatives: Vec<Vec<Symbol>>,
}

impl Grammar {
    /// Reads a grammar, whose nodes and registers are all the palette's.
    ///
    /// # Errors
    /// One line: where the text is wrong, and what would be right.
    pub(crate) fn parse(text: &str, palette: &Palette) -> Result<Grammar, String> {
        let entries = entries(text)?;
        let first = entries.first().ok_or("the grammar has no rule; write for example `<node> ::= \"successl\"`")?;
        let mut compiler = Compiler {
            entries: &entries,
            palette,
            numbers: vec![None; entries.len()],
            waiting: VecDeque::new(),
            count: 0,
        };
        compiler.number(&first.name)?;
        let mut rules = Vec::new();
        while let Some(entry) = compiler.waiting.pop_front() {
            rules.push(compiler.rule(&entries[entry]).map_err(|m| format!("line {}: {m}", entries[entry].line))?);
        }
        let mut grammar = Grammar { rules };
        grammar.find_least_depths()?;
        grammar.refuse_loops()?;
        let smallest = grammar.generate(&Bits::zero(8), 0, palette);
        if !smallest.is_some_and(|branch| fits(&[branch], palette)) {
            return Err("even the flattest tree does not fit a robot".into());
        }
        Ok(grammar)
    }

    fn find_least_depths(&mut self) -> Result<(), String> {
        // Each pass settles at least one more rule, if any can be settled.
        for _ in 0..self.rules.len() {
            let known: Vec<usize> = self.rules.iter().map(|rule| rule.least).collect();
            for rule in &mut self.rules {
                for alternative in &mut rule.alternatives {
                    alternative.least = alternative.production.least(&known);
                }
                rule.least = rule.alternatives.iter().map(|a| a.least).min().unwrap_or(NEVER);
            }
        }
        let endless: Vec<String> =
            self.rules.iter().filter(|r| r.least == NEVER).map(|r| format!("<{}>", r.name)).collect();
        if endless.is_empty() {
            return Ok(());
        }
        Err(format!("no tree of {} ever ends; give one of them an alternative that does", endless.join(", ")))
    }

    /// Refuses rules that lead to themselves without a node between.
    fn refuse_loops(&self) -> Result<(), String> {
        for (start, rule) in self.rules.iter().enumerate() {
            let mut seen = vec![false; self.rules.len()];
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                for alternative in &self.rules[at].alternatives {
                    let Production::Rule(next) = alternative.production else { continue };
                    let next = usize::from(next);
                    if next == start {
                        return Err(format!("<{}> leads to itself without a node between", rule.name));
                    }
                    if !std::mem::replace(&mut seen[next], true) {
                        open.push(next);
                    }
                }
            }
        }
        Ok(())
    }
}

impl Production {
    fn least(&self, rules: &[usize]) -> usize {
        let of = |rule: &u16| rules[usize::from(*rule)];
        match self {
            Production::Rule(rule) => of(rule),
            Production::Subtree(_) => 0,
            Production::Node { children, .. } => {
                children.iter().map(of).max().map_or(0, |deepest| deepest.saturating_add(1))
            }
        }
    }
}

/// Turns the rules that trees are made of into productions, in the order in which they are met.
struct Compiler<'a> {
    entries: &'a [Entry],
    palette: &'a Palette,
    /// Of each entry its number among the rules, once it is met.
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

    fn rule(&mut self, entry: &Entry) -> Result<Rule, String> {
        let alternatives = entry
            .alternatives
            .iter()
            .map(|symbols| Ok(Alternative { production: self.production(symbols)?, least: NEVER }));
        let alternatives = alternatives.collect::<Result<_, String>>()?;
        Ok(Rule { name: entry.name.clone(), alternatives, least: NEVER })
    }

    fn production(&mut self, symbols: &[Symbol]) -> Result<Production, String> {
        match symbols {
            [Symbol::Rule(name)] => Ok(Production::Rule(self.number(name)?)),
            [Symbol::Word(name)] if self.palette.subtree_of_name(name).is_some() => {
                Ok(Production::Subtree(self.palette.subtree_of_name(name).unwrap_or(0)))
            }
            [Symbol::Word(name), rest @ ..] => self.node(name, rest),
            _ => Err("an alternative is one node with its operands and children, or one other rule".into()),
        }
    }

    fn node(&mut self, name: &str, rest: &[Symbol]) -> Result<Production, String> {
        let (kind, arity) =
            Kind::of_word(name).map_err(|_| format!("unknown node `{name}`{}", self.palette.suggest(name)))?;
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
            return Err(format!("`{name}` takes {wanted} children; {} follow", children.len()));
        }
        let sources = operands.iter().zip(specs).map(|(symbol, spec)| self.source(symbol, spec));
        let sources = sources.collect::<Result<Vec<Source>, String>>()?;
        self.refuse_forbidden(kind, wanted, &sources)?;
        let mut numbers = Vec::with_capacity(wanted);
        for child in children {
            let Symbol::Rule(rule) = child else {
                return Err(format!("the children of `{name}` are rules, like <node>"));
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
                    _ => Err(format!("<{name}> stands for an operand, so its alternatives are single words")),
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

    /// Refuses nodes and registers that are not the palette's, so that its check lets through all the grammar makes.
    fn refuse_forbidden(&self, kind: Kind, children: usize, sources: &[Source]) -> Result<(), String> {
        let mut node = Node::new(kind, children as u16, &[]);
        let specs = kind.spec().operands;
        for (value, spec) in node.operands.iter_mut().zip(specs) {
            *value = self.palette.values(spec.operand).first();
        }
        if !self.palette.allows_node(&node) {
            return Err(format!("`{}` with {children} children is not in the palette", kind.spec().name));
        }
        for (i, source) in sources.iter().enumerate() {
            let Source::OneOf(values) = source else { continue };
            for value in values {
                let mut one = node;
                one.operands[i] = *value;
                if !self.palette.allows_node(&one) {
                    return Err(format!("a register of operand {} is not in the palette", specs[i].name));
                }
            }
        }
        Ok(())
    }
}

fn entries(text: &str) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let wrong = |message: String| format!("line {}: {message}", i + 1);
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let alternatives = if let Some((head, body)) = line.split_once("::=") {
            let name = head.trim().strip_prefix('<').and_then(|h| h.strip_suffix('>')).unwrap_or("");
            if name.is_empty() || name == ANY || entries.iter().any(|e| e.name == name) {
                return Err(wrong(format!(
                    "`{}` is no new rule's name; write <name>, not <{ANY}>, each once",
                    head.trim()
                )));
            }
            if entries.len() == MAX_RULES {
                return Err(wrong(format!("more than {MAX_RULES} rules")));
            }
            entries.push(Entry { name: name.into(), line: i + 1, alternatives: Vec::new() });
            body
        } else {
            line.strip_prefix('|').ok_or_else(|| wrong("a line begins with `<name> ::=` or goes on with `|`".into()))?
        };
        let entry = entries.last_mut().ok_or_else(|| wrong("there is no rule yet to go on with".into()))?;
        for alternative in symbols(alternatives).map_err(wrong)?.split(|symbol| symbol.is_none()) {
            if entry.alternatives.len() == MAX_RULES {
                return Err(format!("line {}: more than {MAX_RULES} alternatives", i + 1));
            }
            entry.alternatives.push(alternative.iter().flatten().cloned().collect());
        }
    }
    Ok(entries)
}

/// The symbols of a line; `None` for `|`.
fn symbols(mut rest: &str) -> Result<Vec<Option<Symbol>>, String> {
    let mut symbols = Vec::new();
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next().filter(|c| *c != '#') else { return Ok(symbols) };
        let close = match first {
            '|' => {
                symbols.push(None);
                rest = &rest[1..];
                continue;
            }
            '"' => '"',
            '<' => '>',
            _ => return Err(format!("`{first}`: symbols are \"words\", <rules> and |")),
        };
        let end = rest[1..].find(close).ok_or_else(|| format!("`{first}` without `{close}`"))?;
        let name = rest[1..=end].to_string();
        symbols.push(Some(if close == '"' { Symbol::Word(name) } else { Symbol::Rule(name) }));
        rest = &rest[end + 2..];
    }
}

//! Validation of grammars: every tree must be finite.

use super::{Alternative, Grammar, Production, Rule};

/// Minimum depth of a rule for which no finite tree has been found yet.
const NEVER: usize = usize::MAX;

impl Grammar {
    /// Creates a grammar from rules, each with its name and its alternatives. The first rule is the start of every
    /// tree.
    ///
    /// # Errors
    /// Returns one line that names rules whose trees never end, or a rule that leads to itself without a node in
    /// between.
    pub(crate) fn new(rules: Vec<(String, Vec<Production>)>) -> Result<Grammar, String> {
        let rule = |(name, productions): (String, Vec<Production>)| {
            let alternatives =
                productions.into_iter().map(|production| Alternative { production, least: NEVER }).collect();
            Rule { name, alternatives, least: NEVER }
        };
        let mut grammar = Grammar { rules: rules.into_iter().map(rule).collect() };
        grammar.find_least_depths()?;
        grammar.refuse_loops()?;
        Ok(grammar)
    }

    fn find_least_depths(&mut self) -> Result<(), String> {
        // Each pass finds the minimum depth of at least one more rule, or does not change anything.
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
        Err(format!(
            "trees of {} never end; give one of these rules an alternative without recursion",
            endless.join(", ")
        ))
    }

    /// Rejects rules that lead to themselves without a node in between.
    fn refuse_loops(&self) -> Result<(), String> {
        for (start, rule) in self.rules.iter().enumerate() {
            let mut seen = vec![false; self.rules.len()];
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                for alternative in &self.rules[at].alternatives {
                    let Production::Rule(next) = alternative.production else { continue };
                    let next = usize::from(next);
                    if next == start {
                        return Err(format!("rule <{}> leads to itself without a node in between", rule.name));
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

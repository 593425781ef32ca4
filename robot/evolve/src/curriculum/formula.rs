//! End formulas of curriculum steps, in the prefix form of Petrovic's report and in infix form.
//!
//! Example of the prefix form: `& ] best-fitness 295000 < learning-momentum 50`. Round brackets count as blanks, and
//! `[`, `]`, `!` represent <=, >= and !=. Example of the infix form: `best-fitness >= 295000 and learning-momentum <
//! 50`. In both forms, true is 1 and false is 0.

mod read;
mod unsatisfiable;

/// Variables that formulas can use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Variables {
    /// Number of generations of all steps so far.
    pub generation: u32,
    /// Number of generations of this step so far.
    pub step_generation: u32,
    /// Best fitness of the last generation.
    pub best: f64,
    /// Mean fitness of the last generation.
    pub mean: f64,
    /// Learning momentum: decaying sum of the gains of the best fitness.
    pub momentum: f64,
    /// Number of evaluations of all steps so far.
    pub evaluations: u64,
    /// Number of evaluations of this step so far.
    pub step_evaluations: u64,
    /// Maximum number of generations of all steps together.
    pub total_generations: u32,
    /// Time since the start of the curriculum (s).
    pub seconds: f64,
}

/// Names of variables, in the order of [`Variables`].
const NAMES: [&str; 9] = [
    "gennum",
    "gennum-thisstep",
    "best-fitness",
    "avg-fitness",
    "learning-momentum",
    "num-eval",
    "num-eval-thisstep",
    "total-gennum",
    "real-runtime",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    And,
    Or,
    Xor,
    Equal,
    Unequal,
    Less,
    Greater,
    AtMost,
    AtLeast,
    Add,
    Subtract,
    Multiply,
    Divide,
}

#[derive(Clone, Debug, PartialEq)]
enum Term {
    Number(f64),
    Variable(usize),
    Apply(Operator, Box<[Term; 2]>),
}

/// End formula of a curriculum step.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula(Term);

impl Formula {
    /// Parses a formula in prefix or infix form. An error states the fault and the correction.
    pub fn parse(text: &str) -> Result<Formula, String> {
        read::formula(text).map(Formula)
    }

    /// Returns the reason why the formula can never hold in a curriculum of `total_generations` generations. `None` if
    /// this cannot be proved.
    pub fn never(&self, total_generations: u32) -> Option<String> {
        unsatisfiable::reason(&self.0, total_generations)
    }

    /// Returns whether the formula uses the time, which makes results depend on the speed of the machine.
    pub fn asks_for_time(&self) -> bool {
        self.0.asks_for(NAMES.len() - 1)
    }

    /// Returns the minimum that the formula requires of the best fitness. If several comparisons require a minimum,
    /// returns the greatest one. `None` if no comparison requires a minimum.
    pub fn best_asked_for(&self) -> Option<f64> {
        self.0.least_asked_for(2)
    }

    /// Returns whether the formula holds for these values of the variables.
    pub fn holds(&self, variables: &Variables) -> bool {
        let values = [
            f64::from(variables.generation),
            f64::from(variables.step_generation),
            variables.best,
            variables.mean,
            variables.momentum,
            variables.evaluations as f64,
            variables.step_evaluations as f64,
            f64::from(variables.total_generations),
            variables.seconds,
        ];
        self.0.value(&values) != 0.0
    }
}

impl Term {
    fn asks_for(&self, variable: usize) -> bool {
        match self {
            Term::Number(_) => false,
            Term::Variable(i) => *i == variable,
            Term::Apply(_, terms) => terms.iter().any(|term| term.asks_for(variable)),
        }
    }

    /// Returns the greatest minimum that a comparison requires of a variable. `variable` is the index in [`NAMES`].
    /// `None` if no comparison requires a minimum.
    fn least_asked_for(&self, variable: usize) -> Option<f64> {
        use Operator::{AtLeast, AtMost, Greater, Less};
        let Term::Apply(operator, terms) = self else { return None };
        match (operator, &terms[0], &terms[1]) {
            (AtLeast | Greater, Term::Variable(i), Term::Number(number))
            | (AtMost | Less, Term::Number(number), Term::Variable(i)) => (*i == variable).then_some(*number),
            _ => terms.iter().filter_map(|term| term.least_asked_for(variable)).reduce(f64::max),
        }
    }

    fn value(&self, variables: &[f64; 9]) -> f64 {
        match self {
            Term::Number(number) => *number,
            Term::Variable(i) => variables[*i],
            Term::Apply(operator, terms) => {
                let [a, b] = [terms[0].value(variables), terms[1].value(variables)];
                operator.apply(a, b)
            }
        }
    }
}

impl Operator {
    fn apply(self, a: f64, b: f64) -> f64 {
        let truth = |holds: bool| f64::from(u8::from(holds));
        match self {
            Operator::And => truth(a != 0.0 && b != 0.0),
            Operator::Or => truth(a != 0.0 || b != 0.0),
            Operator::Xor => truth((a != 0.0) != (b != 0.0)),
            Operator::Equal => truth(a == b),
            Operator::Unequal => truth(a != b),
            Operator::Less => truth(a < b),
            Operator::Greater => truth(a > b),
            Operator::AtMost => truth(a <= b),
            Operator::AtLeast => truth(a >= b),
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            Operator::Divide => a / b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_say_the_same() {
        let prefix = Formula::parse("& (] best-fitness 295000) (< learning-momentum 50)").unwrap();
        let infix = Formula::parse("best-fitness >= 295000 and learning-momentum < 50").unwrap();
        assert_eq!(prefix, infix);
        let there = Variables { best: 295_000.0, momentum: 49.0, ..Variables::default() };
        assert!(prefix.holds(&there));
        assert!(!prefix.holds(&Variables { momentum: 50.0, ..there }));
        let arithmetic = Formula::parse("gennum - 2 * 3 = 4 or (num-eval + 1) / 2 != 0.5").unwrap();
        assert!(arithmetic.holds(&Variables { generation: 10, ..Variables::default() }));
        assert!(!arithmetic.holds(&Variables { generation: 11, ..Variables::default() }));
        assert_eq!(Formula::parse("| = - gennum * 2 3 4 ! / + num-eval 1 2 0.5").unwrap(), arithmetic);
    }

    #[test]
    fn numbers_have_signs_and_exponents() {
        for (text, value) in
            [("1e-3", 0.001), ("2.5E+2", 250.0), ("-1e-3", -0.001), ("1e3-1", 999.0), ("-4--2e0", -2.0)]
        {
            let formula = Formula::parse(&format!("gennum < {text}")).unwrap();
            let Term::Apply(Operator::Less, terms) = formula.0 else { panic!("{text}") };
            assert_eq!(terms[1].value(&[0.0; 9]), value, "{text}");
        }
        assert_eq!(Formula::parse("< learning-momentum 1e-3"), Formula::parse("learning-momentum < 0.001"));
        assert!(Formula::parse("gennum < 1e-").unwrap_err().contains("is not a number"));
    }

    #[test]
    fn every_operator_parses_in_prefix_and_infix() {
        for (prefix, infix, [of_5_3, of_3_5, of_5_5]) in [
            ("&", "and", [1.0, 1.0, 1.0]),
            ("|", "or", [1.0, 1.0, 1.0]),
            ("^", "xor", [0.0, 0.0, 0.0]),
            ("=", "=", [0.0, 0.0, 1.0]),
            ("!", "!=", [1.0, 1.0, 0.0]),
            ("<", "<", [0.0, 1.0, 0.0]),
            (">", ">", [1.0, 0.0, 0.0]),
            ("[", "<=", [0.0, 1.0, 1.0]),
            ("]", ">=", [1.0, 0.0, 1.0]),
            ("+", "+", [8.0, 8.0, 10.0]),
            ("-", "-", [2.0, -2.0, 0.0]),
            ("*", "*", [15.0, 15.0, 25.0]),
            ("/", "/", [5.0 / 3.0, 0.6, 1.0]),
        ] {
            for (a, b, value) in [(5, 3, of_5_3), (3, 5, of_3_5), (5, 5, of_5_5)] {
                let prefix = Formula::parse(&format!("({prefix} {a} {b})")).unwrap();
                assert_eq!(prefix, Formula::parse(&format!("{a} {infix} {b}")).unwrap());
                assert_eq!(prefix.0.value(&[0.0; 9]), value, "{infix}");
            }
        }
    }

    #[test]
    fn required_best_fitness_is_found_in_either_form() {
        let asked = |text: &str| Formula::parse(text).unwrap().best_asked_for();
        assert_eq!(asked("& (] best-fitness 295000) (< learning-momentum 50)"), Some(295_000.0));
        assert_eq!(asked("gennum > 9 or best-fitness > 3 and 7 <= best-fitness"), Some(7.0));
        assert_eq!(asked("best-fitness < 5 and gennum >= 3"), None);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |text: &str| Formula::parse(text).unwrap_err();
        assert!(error("best-fitnes > 3").contains("did you mean `best-fitness`?"));
        assert!(error("& < gennum 3").contains("ends"));
        assert!(error("gennum >").contains("ends"));
        assert!(error("< gennum 3 4").contains("after the end of the formula"));
        assert!(error("(gennum > 3").contains("bracket"));
        assert!(error("").contains("empty"));
    }

    #[test]
    fn unsatisfiable_formula_is_detected() {
        let never = |text: &str| Formula::parse(text).unwrap().never(600);
        assert!(never("gennum > 600").is_some());
        assert!(never("1 > 2").is_some());
        assert!(never("best-fitness > 10 and best-fitness < 5").is_some());
        assert!(never("best-fitness > 5 and best-fitness < 5").is_some());
        assert!(never("num-eval < 0 or gennum-thisstep = total-gennum + 1").is_some());
        assert!(never("best-fitness >= 295000 and learning-momentum < 50").is_none());
        assert!(never("gennum >= 600 or best-fitness > 10 and best-fitness < 5").is_none());
    }
}

//! Detection of formulas that can never hold, by interval arithmetic.

use super::{NAMES, Operator, Term};

/// Minimum and maximum possible value of a term.
type Interval = [f64; 2];

/// Returns the reason why a formula can never hold; `None` if this cannot be proved.
pub(super) fn reason(term: &Term, total_generations: u32) -> Option<String> {
    let total = f64::from(total_generations);
    let all = [f64::NEG_INFINITY, f64::INFINITY];
    let counted = [0.0, f64::INFINITY];
    let known = [[1.0, total], [1.0, total], all, all, all, counted, counted, [total, total], counted];
    impossible(term, &known)
}

fn impossible(term: &Term, known: &[Interval; 9]) -> Option<String> {
    match term {
        Term::Apply(Operator::Or, terms) => {
            let first = impossible(&terms[0], known)?;
            impossible(&terms[1], known).map(|second| format!("{first}, and {second}"))
        }
        Term::Apply(Operator::And, _) => {
            let mut narrowed = *known;
            let mut open = vec![];
            let mut terms = vec![term];
            while let Some(term) = terms.pop() {
                match term {
                    Term::Apply(Operator::And, both) => terms.extend(both.iter()),
                    other => open.push(other),
                }
            }
            for &term in &open {
                if let Some(i) = narrow(term, &mut narrowed)
                    && narrowed[i][0] > narrowed[i][1]
                {
                    return Some(format!("the conditions on {} contradict each other", NAMES[i]));
                }
            }
            open.into_iter().find_map(|term| impossible(term, &narrowed))
        }
        other => {
            let [least, greatest] = interval(other, known);
            (least == 0.0 && greatest == 0.0).then(|| "a comparison in it is always false".into())
        }
    }
}

/// Narrows the interval of a variable that the term compares with a number, and returns the variable's index. `None` if
/// the term is not such a comparison.
fn narrow(term: &Term, known: &mut [Interval; 9]) -> Option<usize> {
    let Term::Apply(operator, terms) = term else { return None };
    let (Term::Variable(i), Term::Number(number)) = (&terms[0], &terms[1]) else { return None };
    let [least, greatest] = &mut known[*i];
    match operator {
        Operator::Less => *greatest = greatest.min(number.next_down()),
        Operator::AtMost => *greatest = greatest.min(*number),
        Operator::Greater => *least = least.max(number.next_up()),
        Operator::AtLeast => *least = least.max(*number),
        Operator::Equal => {
            *least = least.max(*number);
            *greatest = greatest.min(*number);
        }
        _ => return None,
    }
    Some(*i)
}

fn interval(term: &Term, known: &[Interval; 9]) -> Interval {
    let Term::Apply(operator, terms) = term else {
        return match term {
            Term::Number(number) => [*number, *number],
            Term::Variable(i) => known[*i],
            Term::Apply(..) => [f64::NEG_INFINITY, f64::INFINITY],
        };
    };
    let [a, b] = [interval(&terms[0], known), interval(&terms[1], known)];
    // Interval of a truth value: [1, 1] if always true, [0, 0] if never true, otherwise [0, 1].
    let truth = |always: bool, never: bool| [f64::from(u8::from(always)), f64::from(u8::from(!never))];
    let zero = |x: Interval| x == [0.0, 0.0];
    let nonzero = |x: Interval| x[0] > 0.0 || x[1] < 0.0;
    match operator {
        Operator::Less => truth(a[1] < b[0], a[0] >= b[1]),
        Operator::Greater => truth(a[0] > b[1], a[1] <= b[0]),
        Operator::AtMost => truth(a[1] <= b[0], a[0] > b[1]),
        Operator::AtLeast => truth(a[0] >= b[1], a[1] < b[0]),
        Operator::Equal => truth(false, a[1] < b[0] || b[1] < a[0]),
        Operator::Unequal => truth(a[1] < b[0] || b[1] < a[0], a[0] == a[1] && a == b),
        Operator::And => truth(nonzero(a) && nonzero(b), zero(a) || zero(b)),
        Operator::Or => truth(nonzero(a) || nonzero(b), zero(a) && zero(b)),
        Operator::Xor => [0.0, 1.0],
        Operator::Add => [a[0] + b[0], a[1] + b[1]],
        Operator::Subtract => [a[0] - b[1], a[1] - b[0]],
        Operator::Multiply | Operator::Divide => {
            let exact = a[0] == a[1] && b[0] == b[1];
            let value = operator.apply(a[0], b[0]);
            if exact { [value, value] } else { [f64::NEG_INFINITY, f64::INFINITY] }
        }
    }
}

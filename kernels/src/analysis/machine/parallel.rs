//! Conversion of `par` to memoryless nodes.
//!
//! A `seq` or `sel` ends at the first running child, but a `par` continues with its next child. Leaves below a `par`
//! therefore never return running. Instead, they fail and set a flag variable, which all nodes between the leaf and
//! the `par` check.

use super::form::Form;
use super::leaf::{Leaf, Role, Variable};

/// Converts `par k`, whose children may return running. `number` is the number of the node's variables.
pub(super) fn par(k: i32, children: Vec<Form<Leaf>>, number: u16) -> Form<Leaf> {
    let variable = |role| Variable { role, node: number };
    let (count, possible, running) = (variable(Role::Count), variable(Role::Possible), variable(Role::Running));
    let mut steps = vec![Form::Leaf(Leaf::Set(count, 0)), Form::Leaf(Leaf::Set(possible, 0))];
    for child in children {
        let counted = Form::Leaf(Leaf::Add(possible, 1));
        steps.push(Form::Leaf(Leaf::Set(running, 0)));
        steps.push(Form::successd(Form::Sel(vec![
            Form::Seq(vec![never_running(child, running), Form::Leaf(Leaf::Add(count, 1)), counted.clone()]),
            Form::Seq(vec![Form::Leaf(Leaf::Is(running, 1)), counted]),
        ])));
    }
    steps.push(Form::Sel(vec![
        Form::Leaf(Leaf::Least(count, k)),
        Form::Seq(vec![Form::Leaf(Leaf::Least(possible, k)), Form::Leaf(Leaf::Running)]),
    ]));
    Form::Seq(steps)
}

/// Converts a tree so that it never returns running. Where the original tree returns running, the new tree fails and
/// sets `flag` to 1. The flag must be 0 before the tick.
fn never_running(form: Form<Leaf>, flag: Variable) -> Form<Leaf> {
    if !may_run(&form) {
        return form;
    }
    let quiet = || Form::Leaf(Leaf::Is(flag, 0));
    let below = |child: Form<Leaf>| never_running(child, flag);
    match form {
        Form::Seq(children) => Form::Seq(children.into_iter().map(below).collect()),
        // A running child now fails like a failed child, so a later child is ticked only while the flag is 0.
        Form::Sel(children) => {
            let guarded = |(i, child)| if i == 0 { below(child) } else { Form::Seq(vec![quiet(), below(child)]) };
            Form::Sel(children.into_iter().enumerate().map(guarded).collect())
        }
        Form::Successd(child) => Form::Sel(vec![below(*child), quiet()]),
        Form::Failed(child) => Form::failed(below(*child)),
        Form::Invert(child) => Form::Seq(vec![Form::invert(below(*child)), quiet()]),
        Form::Leaf(Leaf::Robot(leaf)) => Form::Leaf(Leaf::Flag(flag, leaf)),
        Form::Leaf(Leaf::Running) => Form::failed(Form::Leaf(Leaf::Set(flag, 1))),
        Form::Leaf(leaf) => Form::Leaf(leaf),
    }
}

fn may_run(form: &Form<Leaf>) -> bool {
    match form {
        Form::Leaf(leaf) => leaf.results().running,
        _ => form.children().iter().any(may_run),
    }
}

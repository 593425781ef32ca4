//! Names of the language of formulas: quantities, reductions and functions.

use super::ReductionKind;

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

/// Returns the kind of the reduction with a name.
pub(super) fn reduction(name: &str) -> Option<ReductionKind> {
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

/// Returns true if a quantity has the name.
pub(super) fn is_quantity(name: &str) -> bool {
    QUANTITIES.iter().any(|(form, _)| stem(form) == name)
}

/// Returns the name in a form such as `n(REGION)`.
pub(super) fn stem(form: &'static str) -> &'static str {
    form.split('(').next().unwrap_or(form)
}

/// Returns the form of a quantity, reduction or function of the language.
pub(super) fn form_of(name: &str) -> Option<&'static str> {
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

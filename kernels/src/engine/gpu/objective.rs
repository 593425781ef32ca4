//! Objectives as words: the formula in the table, and the score of each world in its own buffer. `wgsl/objective.wgsl`
//! interprets them.

use super::error::GpuError;
use super::layout::index_of;
use super::region::{NO_CONDITION, append_region, region_iterations};
use crate::engine::Job;
use crate::math::{Vec2, vec2};
use crate::world::task::Task;
use crate::world::task::coverage::Coverage;
use crate::world::task::objective::lots::draw;
use crate::world::task::objective::program::{Binary, Op, Unary};
use crate::world::task::objective::quantity::{Memory, Quantity};
use crate::world::task::objective::{Accumulator, FinalState, Objective, ObjectiveScore, Reduction, ReductionKind};
use crate::world::{InitialState, Pose, WorldSpec};
use std::sync::Arc;

/// Names of the first words of an objective in the table. Names that begin with `FIRST` are indices in the objective;
/// those after `END` are indices in the score of a world.
pub(super) const FORMULA: &[&str] = &[
    "ZONES",
    "QUANTITIES",
    "OPS",
    "REDUCTIONS",
    "CONDITIONS",
    "FIRST_ZONE",
    "FIRST_QUANTITY",
    "FIRST_OP",
    "FIRST_REDUCTION",
    "FIRST_CONDITION",
    // Operation that ends the run, or `NO_CONDITION`.
    "END",
    "LOTS",
    "REDUCED",
    "REGISTERS",
    "VALUES",
    "PARTS",
    "RESULTS",
];
/// Names of the first words of a world's score.
pub(super) const SCORE: &[&str] = &["ACTIVE", "ENDED", "LATCHES", "UPDATES"];
/// Names of the words of each robot in a world's score. One row per name follows [`SCORE`].
pub(super) const ROBOT_ROWS: &[&str] = &["NOW_X", "NOW_Y", "BEFORE_X", "BEFORE_Y", "CARRYING"];
/// Names of the kinds of quantities. Quantities that the kernels do not compute are `NONE`.
pub(super) const KINDS: &[&str] = &[
    "NONE",
    "CONSTANT",
    "COUNT",
    "DELIVERED",
    "CLUSTER",
    "CLUSTERS",
    "NEAREST",
    "PAIRS",
    "VISITED",
    "AGE",
    "MOVING",
    "SPEED",
    "CROSSED",
];
/// Names of the operations.
pub(super) const OPS: &[&str] = &[
    "CONSTANT", "TIME", "QUANTITY", "LOT", "EVER", "NEGATE", "ABS", "NOT", "FLOOR", "SELECT", "ADD", "SUBTRACT",
    "MULTIPLY", "DIVIDE", "MIN", "MAX", "LESS", "AT_MOST", "GREATER", "AT_LEAST", "EQUAL", "UNEQUAL", "AND", "OR",
];
/// Names of the kinds of reductions.
pub(super) const REDUCTIONS: &[&str] = &["LAST", "MEAN", "SUM", "HIGHEST", "LOWEST", "FIRST"];
/// Numbers of words of a region, a quantity, an operation, a reduction, and the state of a reduction.
pub(super) const ZONE_WORDS: usize = 3;
pub(super) const QUANTITY_WORDS: usize = 5;
pub(super) const OP_WORDS: usize = 5;
pub(super) const REDUCTION_WORDS: usize = 4;
pub(super) const REDUCED_WORDS: usize = 5;
/// Maximum number of regions in which robots are counted, and of items that a robot carries: the bits of a word.
const MAX_COUNTED: usize = 32;
/// Maximum number of words of a world's cells.
const MAX_CELL_WORDS: usize = 1 << 16;

/// Objective of a batch: its place in the table, and the layout of the score of a world.
pub(super) struct Formula {
    objective: Arc<Objective>,
    /// Index of the first word in the table.
    pub start: usize,
    half_arena: (f32, f32),
    robots: usize,
    layout: ScoreLayout,
}

/// Indices of the parts of a world's score (words).
#[derive(Clone, Debug, Default)]
struct ScoreLayout {
    lots: usize,
    reduced: usize,
    registers: usize,
    /// First word of the cells of each quantity.
    cells: Vec<usize>,
    /// The following words are not read back.
    values: usize,
    parts: usize,
    results: usize,
    all: usize,
}

impl ScoreLayout {
    fn new(objective: &Objective, robots: usize, half_arena: (f32, f32)) -> ScoreLayout {
        let quantities = objective.quantities.len();
        let lots = SCORE.len() + ROBOT_ROWS.len() * robots;
        let reduced = lots + objective.lots.len();
        let registers = reduced + REDUCED_WORDS * objective.reductions.len();
        let mut next = registers + quantities;
        let mut cells = Vec::new();
        for quantity in &objective.quantities {
            cells.push(next);
            next += match *quantity {
                Quantity::Visited { cell } => cells_of(cell, half_arena).div_ceil(32),
                Quantity::Age { cell } => cells_of(cell, half_arena),
                _ => 0,
            };
        }
        let parts = next + quantities;
        let results = parts + quantities * robots;
        ScoreLayout {
            lots,
            reduced,
            registers,
            cells,
            values: next,
            parts,
            results,
            all: results + objective.update.len(),
        }
    }
}

fn cells_of(cell: f32, half_arena: (f32, f32)) -> usize {
    let [columns, rows] = Coverage::new(cell, half_arena).cells();
    columns * rows
}

/// Checks that the kernels can compute the objective of a world.
///
/// # Errors
/// If the scenery changes during a run, or if a quantity that takes long counts in every update.
pub(super) fn check(spec: &WorldSpec) -> Result<(), GpuError> {
    let Task::Objective(objective) = &spec.task else { return Ok(()) };
    if spec.conditions.change_scenery() {
        return Err(GpuError::Objective("walls, patches or lights change during a run"));
    }
    if objective.relocates {
        return Err(GpuError::Objective("it puts the disc back"));
    }
    let at_end = |quantity: &Quantity| matches!(quantity, Quantity::Age { .. }) || kind(quantity) == "NONE";
    let (_, needed) = objective.needed();
    if objective.quantities.iter().zip(needed).any(|(quantity, needed)| needed && at_end(quantity)) {
        return Err(GpuError::Objective(
            "it uses points, cell ages, hops, discs or headings before the end of the run",
        ));
    }
    if objective.end.is_some() && (objective.reads_discs() || objective.reads_headings()) {
        return Err(GpuError::Objective("it uses discs or headings at an end that is not known before"));
    }
    let layout = ScoreLayout::new(objective, spec.robots, spec.physics.half_arena);
    let carries = |quantity: &&Quantity| matches!(quantity, Quantity::Delivered { .. });
    if objective.quantities.iter().filter(carries).count() > MAX_COUNTED {
        return Err(GpuError::Objective("it has more than 32 different deliveries"));
    }
    if objective.counted_zones().len() > MAX_COUNTED {
        return Err(GpuError::Objective("it counts robots in more than 32 regions"));
    }
    if layout.values - layout.registers > MAX_CELL_WORDS {
        return Err(GpuError::Objective("it has too many cells"));
    }
    Ok(())
}

/// Name of the kind of a quantity in the kernels.
fn kind(quantity: &Quantity) -> &'static str {
    match quantity {
        Quantity::Count { .. } => "COUNT",
        Quantity::Delivered { .. } => "DELIVERED",
        Quantity::Cluster { .. } => "CLUSTER",
        Quantity::Clusters { .. } => "CLUSTERS",
        Quantity::Nearest | Quantity::NearestUpTo { .. } => "NEAREST",
        Quantity::Pairs => "PAIRS",
        Quantity::Visited { .. } => "VISITED",
        Quantity::Age { .. } => "AGE",
        Quantity::Moving { .. } => "MOVING",
        Quantity::Speed => "SPEED",
        Quantity::Crossed { .. } => "CROSSED",
        Quantity::Area { .. } => "CONSTANT",
        _ => "NONE",
    }
}

impl Formula {
    /// Appends an objective to the table.
    pub fn append(objective: &Arc<Objective>, robots: usize, half_arena: (f32, f32), table: &mut Vec<u32>) -> Formula {
        let objective = objective.clone();
        let layout = ScoreLayout::new(&objective, robots, half_arena);
        let mut words = vec![0; FORMULA.len()];
        let (ops, quantities) = objective.needed();
        let counted = objective.counted_zones();
        let first_zone = words.len();
        for (bit, zone) in counted.iter().enumerate() {
            let region = append_region(&objective.zones[usize::from(*zone)], table) as u32;
            let condition = objective.zone_conditions[usize::from(*zone)].map_or(NO_CONDITION, u32::from);
            words.extend([region, condition, bit as u32]);
        }
        let first_quantity = words.len();
        let mut items = 0;
        for (index, quantity) in objective.quantities.iter().enumerate() {
            let parameters = parameters(quantity, &objective, half_arena, layout.cells[index], &mut items);
            // States of quantities change in every update, values only if an operation needs them.
            let is_used = quantities[index] || has_state(quantity);
            words.push(index_of(KINDS, if is_used { kind(quantity) } else { "NONE" }) as u32);
            words.extend(parameters);
        }
        let first_op = words.len();
        let used: Vec<usize> = (0..ops.len()).filter(|op| ops[*op]).collect();
        words.extend(used.iter().flat_map(|op| op_words(*op, &objective.update[*op], robots)));
        let first_reduction = words.len();
        words.extend(objective.reductions.iter().flat_map(reduction_words));
        let first_condition = words.len();
        words.extend(objective.conditions.iter().map(|slot| u32::from(*slot)));
        let mut set = |name: &str, word: usize| words[index_of(FORMULA, name)] = word as u32;
        for (name, word) in [
            ("ZONES", counted.len()),
            ("QUANTITIES", objective.quantities.len()),
            ("OPS", used.len()),
            ("REDUCTIONS", objective.reductions.len()),
            ("CONDITIONS", objective.conditions.len()),
            ("FIRST_ZONE", first_zone),
            ("FIRST_QUANTITY", first_quantity),
            ("FIRST_OP", first_op),
            ("FIRST_REDUCTION", first_reduction),
            ("FIRST_CONDITION", first_condition),
            ("END", objective.end.map_or(NO_CONDITION as usize, usize::from)),
            ("LOTS", layout.lots),
            ("REDUCED", layout.reduced),
            ("REGISTERS", layout.registers),
            ("VALUES", layout.values),
            ("PARTS", layout.parts),
            ("RESULTS", layout.results),
        ] {
            set(name, word);
        }
        let start = table.len();
        table.extend(words);
        Formula { objective, start, half_arena, robots, layout }
    }

    /// Number of words of a world's score.
    pub fn score_words(&self) -> usize {
        self.layout.all
    }

    /// Number of words of a world's score that are read back.
    pub fn outcome_words(&self) -> usize {
        self.layout.values
    }

    /// First rows of the scores of a batch, with one column per world. The last world is repeated to fill all columns.
    pub fn first_rows(&self, worlds: &[InitialState], jobs: &[&Job<'_>], columns: usize) -> Vec<u32> {
        let first = |(world, job): (&InitialState, &&Job<'_>)| {
            let places: Vec<Vec2> = world.bodies.iter().map(|body| body.pose.at).collect();
            self.first_words(&places, (job.seed, job.world))
        };
        let first: Vec<Vec<u32>> = worlds.iter().zip(jobs).map(first).collect();
        let rows = self.layout.reduced;
        let word = |i: usize| first[(i % columns).min(first.len() - 1)][i / columns];
        (0..rows * columns).map(word).collect()
    }

    /// First words of a world's score at its start. `places` contains the robots' centres, and `run` is the seed and
    /// the number of the world.
    fn first_words(&self, places: &[Vec2], run: (u64, u32)) -> Vec<u32> {
        let mut words = vec![0; self.layout.reduced];
        if !self.objective.conditions.is_empty() {
            words[index_of(SCORE, "ACTIVE")] = self.new_score(places, run).active();
        }
        for (robot, at) in places.iter().take(self.robots).enumerate() {
            words[self.robot_word("NOW_X", robot)] = at.x.to_bits();
            words[self.robot_word("NOW_Y", robot)] = at.y.to_bits();
        }
        let lots = draw(&self.objective.lots, run.0, run.1);
        words[self.layout.lots..].iter_mut().zip(lots).for_each(|(word, lot)| *word = lot.to_bits());
        words
    }

    fn new_score(&self, places: &[Vec2], run: (u64, u32)) -> ObjectiveScore {
        let places = places.iter().take(self.robots).copied();
        ObjectiveScore::new(self.objective.clone(), self.half_arena, self.robots, places, run)
    }

    /// True if the score needs the poses of all bodies.
    pub fn needs_poses(&self) -> bool {
        self.objective.reads_discs() || self.objective.reads_headings()
    }

    fn robot_word(&self, row: &str, robot: usize) -> usize {
        SCORE.len() + index_of(ROBOT_ROWS, row) * self.robots + robot
    }

    /// Score of a world after its run. `poses` contains the poses of all bodies at the start and at the end, and `word`
    /// returns a word of the world's score.
    pub fn score(&self, run: (u64, u32), poses: [Vec<Pose>; 2], word: impl Fn(usize) -> u32) -> ObjectiveScore {
        let number = |index: usize| f32::from_bits(word(index));
        let places = |row: [&str; 2]| {
            let [x, y] = row.map(|row| self.robot_word(row, 0));
            (0..self.robots).map(|robot| vec2(number(x + robot), number(y + robot))).collect::<Vec<_>>()
        };
        let reduced = |index: usize| {
            let first = self.layout.reduced + REDUCED_WORDS * index;
            let sum = f64::from(number(first)) + f64::from(number(first + 1));
            Accumulator { sum, count: word(first + 2), value: (word(first + 3) != 0).then(|| number(first + 4)) }
        };
        let mut score = self.new_score(&[], run);
        poses.into_iter().for_each(|poses| score.see(poses.into_iter()));
        score.finish(FinalState {
            updates: word(index_of(SCORE, "UPDATES")),
            ended: word(index_of(SCORE, "ENDED")) != 0,
            active: word(index_of(SCORE, "ACTIVE")),
            latches: word(index_of(SCORE, "LATCHES")),
            now: places(["NOW_X", "NOW_Y"]),
            before: places(["BEFORE_X", "BEFORE_Y"]),
            accumulators: (0..self.objective.reductions.len()).map(reduced).collect(),
            memory: &|index: usize, memory: &mut Memory| {
                let cells = self.layout.cells[index];
                memory.set(word(self.layout.registers + index), |cell| word(cells + cell));
            },
        });
        score
    }
}

fn has_state(quantity: &Quantity) -> bool {
    use Quantity::{Age, Crossed, Delivered, Visited};
    matches!(quantity, Delivered { .. } | Crossed { .. } | Visited { .. } | Age { .. })
}

/// Parameters of a quantity as words. `cells` is the first word of its cells in a world's score, and `items` is the
/// number of quantities before it whose robots carry items.
fn parameters(
    quantity: &Quantity,
    objective: &Objective,
    half_arena: (f32, f32),
    cells: usize,
    items: &mut u32,
) -> [u32; QUANTITY_WORDS - 1] {
    let counted = objective.counted_zones();
    let bit = |zone: u16| counted.iter().position(|other| *other == zone).unwrap_or_default() as u32;
    match *quantity {
        Quantity::Count { zone } => [bit(zone), 0, 0, 0],
        Quantity::Delivered { source, nest, lost } => {
            *items += 1;
            [bit(source), bit(nest), lost.map_or(NO_CONDITION, bit), *items - 1]
        }
        // Kernels compare squared distances.
        Quantity::Cluster { range } | Quantity::Clusters { range } => [(range * range).to_bits(), 0, 0, 0],
        Quantity::Visited { cell } | Quantity::Age { cell } => {
            let [columns, rows] = Coverage::new(cell, half_arena).cells();
            [columns as u32, rows as u32, cells as u32, 0]
        }
        Quantity::Nearest => [f32::MAX.to_bits(), 0, 0, 0],
        Quantity::NearestUpTo { cap } => [cap.to_bits(), 0, 0, 0],
        Quantity::Moving { speed } => [speed.to_bits(), 0, 0, 0],
        Quantity::Crossed { from, to } => [from.x, from.y, to.x, to.y].map(f32::to_bits),
        Quantity::Area { zone } => [objective.zones[usize::from(zone)].area(half_arena).to_bits(), 0, 0, 0],
        _ => [0; 4],
    }
}

/// Words of an operation: its code, the index of its result, and up to three operands.
fn op_words(index: usize, op: &Op, robots: usize) -> [u32; OP_WORDS] {
    let (name, [a, b, c]) = match *op {
        Op::Constant(value) => ("CONSTANT", [value.to_bits(), 0, 0]),
        Op::Robots => ("CONSTANT", [(robots as f32).to_bits(), 0, 0]),
        Op::Time => ("TIME", [0; 3]),
        Op::Quantity(quantity) => ("QUANTITY", [quantity.into(), 0, 0]),
        Op::Lot(lot) => ("LOT", [lot.into(), 0, 0]),
        Op::Reduced(_) => unreachable!("the update program has no reductions"),
        Op::Ever(latch, a) => ("EVER", [a.into(), latch.into(), 0]),
        Op::Unary(function, a) => (unary_name(function), [a.into(), 0, 0]),
        Op::Binary(function, a, b) => (binary_name(function), [a.into(), b.into(), 0]),
        Op::Select(condition, a, b) => ("SELECT", [condition.into(), a.into(), b.into()]),
    };
    [index_of(OPS, name) as u32, index as u32, a, b, c]
}

fn unary_name(function: Unary) -> &'static str {
    match function {
        Unary::Negate => "NEGATE",
        Unary::Abs => "ABS",
        Unary::Not => "NOT",
        Unary::Floor => "FLOOR",
    }
}

fn binary_name(function: Binary) -> &'static str {
    match function {
        Binary::Add => "ADD",
        Binary::Subtract => "SUBTRACT",
        Binary::Multiply => "MULTIPLY",
        Binary::Divide => "DIVIDE",
        Binary::Min => "MIN",
        Binary::Max => "MAX",
        Binary::Less => "LESS",
        Binary::AtMost => "AT_MOST",
        Binary::Greater => "GREATER",
        Binary::AtLeast => "AT_LEAST",
        Binary::Equal => "EQUAL",
        Binary::Unequal => "UNEQUAL",
        Binary::And => "AND",
        Binary::Or => "OR",
    }
}

/// Words of a reduction: its kind, its operation, and the first and the last update that count.
fn reduction_words(reduction: &Reduction) -> [u32; REDUCTION_WORDS] {
    let name = match reduction.kind {
        ReductionKind::Last => "LAST",
        ReductionKind::Mean => "MEAN",
        ReductionKind::Sum => "SUM",
        ReductionKind::Highest => "HIGHEST",
        ReductionKind::Lowest => "LOWEST",
        ReductionKind::First => "FIRST",
    };
    let [first, last] = reduction.updates();
    [index_of(REDUCTIONS, name) as u32, reduction.of.into(), first, last]
}

/// Upper bound on the loop iterations of an invocation for the score of one update. `mine` is the number of robots per
/// invocation, and `words` is that of a bit mask of robots.
pub(super) fn iterations(objective: &Objective, [mine, robots, words]: [u32; 3]) -> u32 {
    let counted = objective.counted_zones();
    let regions: u32 = counted.iter().map(|zone| region_iterations(&objective.zones[usize::from(*zone)])).sum();
    let [quantities, ops, reductions, conditions] =
        [objective.quantities.len(), objective.update.len(), objective.reductions.len(), objective.conditions.len()]
            .map(|n| n as u32 + 1);
    let clusters = mine * (1 + robots) + words + robots * (1 + 2 * words) + 4;
    let each_robot = 1 + counted.len() as u32 + regions + quantities * (2 + robots);
    let is_cluster = |q: &&Quantity| matches!(q, Quantity::Cluster { .. } | Quantity::Clusters { .. });
    let lists = objective.quantities.iter().filter(is_cluster).count() as u32;
    mine * each_robot + quantities * (3 + robots) + lists * clusters + ops + reductions + conditions
}

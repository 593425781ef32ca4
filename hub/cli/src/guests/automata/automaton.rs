//! Finite automata that arbitrate between behaviours. The commands read, draw, explain, compare, convert and test
//! automata.

use crate::files::tree_file::{deliver, print as put, read as read_tree, refuse_over, write};
use crate::terminal::print_json;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use xpuck_automata::automaton::{
    Automaton, Meanings, Module, account, diff, draw, from_tree, parse, print, simplify, to_tree,
};
use xpuck_automata::cargo::{
    Arbiter, Arbitration, COUNTED_SCRIPTS, ControllerAutomata, ScriptTimes, hand_made_automata,
};
use xpuck_hub_automata::curriculum_run::{Plan, Reevaluation, picture};
use xpuck_kernels::tree::{Tree, suggest};
use xpuck_stats::statistics::mean;
use xpuck_wire::file;
use xpuck_wire::output::count;

/// Maximum size of a file of automata (bytes).
const MAX_TEXT: u64 = 1 << 20;

/// File of automata. It contains one automaton for each module of a controller, below a line `module NAME`. A
/// transition is a line such as `1 -> 2: (SENSORS_TARGET_MARK), in:CARGOLOADER_LOAD, out:-`. If the message in
/// brackets arrives in state 1, the module gets the message after `in:`, the other modules get the message after
/// `out:`, and the state becomes 2. docs/curricula.md describes the use of automata.
#[derive(Args)]
pub struct FileArgs {
    /// File of automata.
    file: PathBuf,
}

/// Draw an automaton: its states, and for each transition the trigger and the message that the module gets.
#[derive(Args)]
pub struct DrawArgs {
    /// File of automata.
    file: PathBuf,
    /// Module of the automaton to draw, if the file has several modules.
    #[arg(long)]
    module: Option<String>,
    /// File to write [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Print the differences between two files of automata: removed, new and changed transitions.
///
/// States are matched first, so that a different numbering of the same states is not a difference. All output lines
/// use the state numbers of OLD; higher numbers are states that only NEW has. Equal files print nothing.
#[derive(Args)]
pub struct DiffArgs {
    /// File of automata.
    old: PathBuf,
    /// File of automata to compare with.
    new: PathBuf,
}

/// Print a behaviour tree equivalent to an automaton (thesis 3.1.8), for simulations and robots.
///
/// Messages in an automaton of the module navigate have the following meanings on an e-puck. Triggers:
/// SENSORS_BUMPERS_PRESSED means that an obstacle is near ahead, and SENSORS_BUMPERS_RELEASED that no obstacle is
/// near ahead. SENSORS_LIGHT_ENTER means that the camera sees blue, and SENSORS_LIGHT_LEAVE that it does not. After
/// `in:` there are NAVIGATE_FORWARD 0, NAVIGATE_LEFT 0 and NAVIGATE_RIGHT 0 (turns of 45 degrees),
/// NAVIGATE_AROUNDLEFT 0 and NAVIGATE_AROUNDRIGHT 0 (turns on the spot), and NAVIGATE_STOP. The number 0 is the time;
/// other times are not supported. After `out:` there is BEEP_BEEP n (the node `signal n`). Other messages are
/// rejected by name.
#[derive(Args)]
pub struct ToTreeArgs {
    /// File with the automaton of a module, such as navigate.
    file: PathBuf,
    /// Module of the automaton to convert, if the file has several modules.
    #[arg(long)]
    module: Option<String>,
    /// File to write [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Format to write.
    #[arg(long, hide = true, default_value = "text", value_parser = ["text"])]
    to: String,
}

/// Simulate a controller of automata, or a tree in its place, in the world of a curriculum step. The output has the
/// scores, and the number of executions of each script.
///
/// In the worlds of cargo, script 2 is a load and script 4 a delivery. Without a file, a controller made by hand
/// runs.
#[derive(Args)]
pub struct TryArgs {
    /// File of automata, as `best.txt` of a step, or of a tree, as `best.bt` [default: the controller made by hand].
    file: Option<PathBuf>,
    /// Curriculum that defines the world and the weights.
    #[arg(long, value_name = "FILE")]
    curriculum: PathBuf,
    /// Step of the curriculum [default: the last].
    #[arg(long)]
    step: Option<String>,
    /// Number of runs from each start.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw the world, and the path of the robot from the first start, to this SVG file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs `xpuck tree fmt` for automata.
///
/// # Errors
/// The file is invalid.
pub fn fmt(args: &FileArgs) -> Result<()> {
    put(text(&read(&args.file)?).as_bytes())
}

/// Runs `xpuck tree explain` for automata.
///
/// # Errors
/// The file is invalid.
pub fn explain(args: &FileArgs) -> Result<()> {
    let told: Vec<String> = read(&args.file)?.iter().map(|(module, one)| account(*module, one)).collect();
    put(told.join("\n").as_bytes())
}

/// Runs `xpuck tree reduce` for automata.
///
/// # Errors
/// The file is invalid.
pub fn reduce(args: &FileArgs) -> Result<()> {
    let simpler: Vec<_> = read(&args.file)?.iter().map(|(module, one)| (*module, simplify(one))).collect();
    put(text(&simpler).as_bytes())
}

/// Runs `xpuck tree draw` for automata.
///
/// # Errors
/// The file is invalid, or the picture cannot be written.
pub fn draw_one(args: &DrawArgs) -> Result<()> {
    refuse_over([&args.file], &args.output)?;
    let (_, automaton) = only(&args.file, args.module.as_deref())?;
    deliver(args.output.as_deref(), draw(&automaton).as_bytes())
}

/// Runs `xpuck tree diff` for automata.
///
/// # Errors
/// A file is invalid.
pub fn diff_files(args: &DiffArgs) -> Result<()> {
    put(differences(&read(&args.old)?, &read(&args.new)?).as_bytes())
}

/// Runs `xpuck tree convert` for automata.
///
/// # Errors
/// The file is invalid, or the tree cannot be written.
pub fn to_tree_of(args: &ToTreeArgs) -> Result<()> {
    refuse_over([&args.file], &args.output)?;
    let (_, automaton) = only(&args.file, args.module.as_deref())?;
    let tree = to_tree(&automaton, &Meanings::epuck()).map_err(|error| {
        anyhow!("{}: {error}; see `xpuck tree convert --help` for the supported messages", args.file.display())
    })?;
    deliver(args.output.as_deref(), tree.to_string().as_bytes())
}

/// Converts a tree back to the automaton from which it was made, as text.
///
/// # Errors
/// The tree was not made from an automaton.
pub fn of_tree(tree: &Tree) -> Result<String> {
    Ok(text(&[(Module::Navigate, from_tree(tree, &Meanings::epuck())?)]))
}

type Controller = Vec<(Module, Automaton)>;

/// Reads the automata of a file, each with its module.
fn read(path: &Path) -> Result<Controller> {
    let text = file::text(path, MAX_TEXT)?;
    let name = path.display().to_string();
    // Each part begins with one empty line for every preceding line of the file, so that errors have the file's line
    // numbers.
    let mut parts: Vec<(Module, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        match (&words[..], parts.last_mut()) {
            (["module", module], _) => {
                let Some(known) = Module::of_name(module) else {
                    let near = suggest(module, Module::ALL.iter().map(|module| module.name().into()));
                    bail!("{name}: line {number}: unknown module {module:?}{near}");
                };
                if parts.iter().any(|(one, _)| *one == known) {
                    bail!("{name}: line {number}: module {module} is repeated; leave one out");
                }
                parts.push((known, "\n".repeat(number)));
            }
            (_, Some((_, part))) => *part += &format!("{line}\n"),
            ([], None) => {}
            (_, None) => bail!("{name}: line {number}: expected `module NAME` first, such as `module lnflwer`"),
        }
    }
    if parts.is_empty() {
        bail!("{name}: has no automaton; write `module NAME`, followed by its transitions");
    }
    parts.iter().map(|(module, text)| Ok((*module, parse(&name, *module, text)?))).collect()
}

/// Reads the automaton of a module. Without a module, the file must have a single automaton.
fn only(path: &Path, module: Option<&str>) -> Result<(Module, Automaton)> {
    let mut all = read(path)?;
    let names: Vec<String> = all.iter().map(|(module, _)| module.name().into()).collect();
    let place = match module {
        Some(name) => all.iter().position(|(module, _)| module.name() == name),
        None if all.len() == 1 => Some(0),
        None => bail!("{}: has several automata; choose one with --module: {}", path.display(), names.join(", ")),
    };
    match place {
        Some(place) => Ok(all.swap_remove(place)),
        None => bail!("{}: has no automaton of this module; available: {}", path.display(), names.join(", ")),
    }
}

fn text(controller: &[(Module, Automaton)]) -> String {
    controller.iter().map(|(module, one)| format!("module {}\n{}", module.name(), print(one))).collect()
}

/// Lists the differences between two controllers by module. If only one controller has an automaton for a module, all
/// lines of this automaton are listed as removed or as new.
fn differences(old: &Controller, new: &Controller) -> String {
    let mut text = String::new();
    let of = |controller: &Controller, module| {
        controller.iter().find(|(one, _)| *one == module).map(|(_, automaton)| automaton.clone())
    };
    for module in Module::ALL {
        let lines = match (of(old, module), of(new, module)) {
            (Some(old), Some(new)) => diff(&old, &new),
            (Some(gone), None) => print(&gone).lines().map(|line| format!("- {line}\n")).collect(),
            (None, Some(new)) => print(&new).lines().map(|line| format!("+ {line}\n")).collect(),
            (None, None) => continue,
        };
        if !lines.is_empty() {
            text += &format!("module {}\n{lines}", module.name());
        }
    }
    text
}

/// Reads the automata of a file as a controller for worlds of cargo.
fn post_offices(path: &Path) -> Result<ControllerAutomata> {
    let mut controller = ControllerAutomata::default();
    for (module, automaton) in read(path)? {
        let Some(place) = module.arbitrated() else {
            bail!("{}: module {} has no post-office; choose a file of other modules", path.display(), module.name());
        };
        controller.0[place] = Some(automaton);
    }
    Ok(controller)
}

/// Runs `xpuck simulate` for automata.
///
/// # Errors
/// A file is invalid, or the picture cannot be written.
pub fn try_controller(args: &TryArgs) -> Result<()> {
    refuse_over([&args.curriculum].into_iter().chain(&args.file), &args.svg)?;
    let plan = Plan::read(&args.curriculum, args.seed)?;
    let steps = &plan.scenario.steps;
    let step = match &args.step {
        None => &steps[steps.len() - 1],
        Some(name) => steps.iter().find(|step| step.name == *name).with_context(|| {
            let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
            format!("{}: has no step {name:?}; available: {}", plan.name, names.join(", "))
        })?,
    };
    let (automata, arbiter);
    let controller: Arbitration = match &args.file {
        None => {
            automata = hand_made_automata();
            (&automata).into()
        }
        Some(path) if path.extension().is_some_and(|ending| ending == "bt") => {
            let tree = read_tree(path, None, false)?;
            arbiter = Arbiter::new(tree, &step.driven()).with_context(|| path.display().to_string())?;
            (&arbiter).into()
        }
        Some(path) => {
            automata = post_offices(path)?;
            (&automata).into()
        }
    };
    let outcomes = Reevaluation { step, controller, repeats: args.runs, seed: args.seed }.outcomes();
    let scores = outcomes.scores();
    let fitness = step.combine.fitness(&scores);
    let used = step.world.scene().scripts.len().min(COUNTED_SCRIPTS);
    let scripts: Vec<ScriptTimes> = (0..used).map(|script| outcomes.script_times(script)).collect();
    if let Some(path) = &args.svg {
        write(path, picture(&step.world, &step.weights, controller, step.time).as_bytes())?;
    }
    let runs: usize = scores.iter().map(Vec::len).sum();
    let means: Vec<f64> = scores.iter().map(|scores| mean(scores)).collect();
    if args.json {
        let script = |s: &ScriptTimes| ScriptOutput { times: s.times, without: s.without };
        let scripts = scripts.iter().map(script).collect();
        return print_json(&StepOutput { step: &step.name, runs, fitness, scores: means, scripts });
    }
    let mut text = format!(
        "step {:?}: {} of {} s, fitness {fitness:.0}\n",
        step.name,
        count(runs, "run", "runs"),
        step.time / 1000
    );
    for (place, mean) in means.iter().enumerate() {
        text += &format!("  start {}: mean score {mean:.0}\n", place + 1);
    }
    for (place, ScriptTimes { times, without }) in scripts.iter().enumerate() {
        text += &format!("  script {}: {times:.2} times a run; {without} runs without it\n", place + 1);
    }
    put(text.as_bytes())
}

/// Result of automata in one step of a curriculum, as printed by `xpuck simulate --json`.
#[derive(Serialize, JsonSchema)]
pub struct StepOutput<'a> {
    /// Name of the step.
    step: &'a str,
    /// Number of runs.
    runs: usize,
    /// Fitness, computed from the scores by the step's formula.
    fitness: f64,
    /// Mean score of the runs from each start.
    scores: Vec<f64>,
    /// Executions of each script.
    scripts: Vec<ScriptOutput>,
}

/// Executions of a script in the runs of a step.
#[derive(Serialize, JsonSchema)]
struct ScriptOutput {
    /// Mean number of executions per run.
    times: f64,
    /// Number of runs in which the script was not executed.
    without: usize,
}

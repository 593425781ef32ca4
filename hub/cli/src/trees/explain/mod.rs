//! `xpuck tree explain`: explanation of a tree in plain English, and the value of its parts in simulation.

pub mod json;
mod tables;

use crate::analysis::simulate::{ScenarioArg, check, check_robot};
use crate::engines::engine::{EngineArgs, report};
use crate::files::tree_file::{deliver, read, refuse_over};
use crate::terminal::progress::Progress;
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use xpuck_experiment::world_file;
use xpuck_kernels::analysis::explain::{Account, Part, explain, to_markdown, to_text};
use xpuck_kernels::engine::EngineKind;
use xpuck_kernels::tree::Program;
use xpuck_kernels::tree::exchange::{Direction, to_svg, to_svg_with_usage};
use xpuck_lab::ablation::{Ablation, MAX_VARIANTS, ablate};
use xpuck_lab::measure::Plan;
use xpuck_wire::output;

/// Explain a tree in plain English: the condition of each branch, and the resulting motion.
///
/// The tree is reduced first, and the reduced tree is explained. Formulas express v_goal as a function of the senses.
/// Each formula is followed by its values in typical situations. With --simulate, the explanation shows the share of
/// updates in which each node is reached, and two more tables. They show the loss of fitness without each branch,
/// and the change of fitness with slightly different constants. All variants of the tree are simulated in the same
/// worlds.
#[derive(Args)]
#[command(after_help = format!(
    "An ablation runs at most {MAX_VARIANTS} variants of a tree, removals first. Numbers given as a +- b are a \
     mean and its standard error: an effect below twice its error may be chance."
))]
pub struct ExplainArgs {
    /// Tree file: .bt, .xml, .json or .bin.
    file: PathBuf,
    /// Format of the explanation.
    #[arg(long, value_enum, default_value_t = Form::Text)]
    to: Form,
    /// Print one JSON object with all results.
    #[arg(long, conflicts_with = "to")]
    json: bool,
    /// Output file [default: standard output].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Draw the root of the SVG tree at the left instead of the top.
    #[arg(long)]
    left: bool,
    /// Simulate the tree and its variants, to measure the use of each node and the value of each branch and constant.
    #[arg(long)]
    simulate: bool,
    /// Number of runs for each variant.
    #[arg(long, default_value_t = 100, requires = "simulate")]
    runs: u32,
    /// Length of each run (s of simulated time).
    #[arg(long, default_value_t = 60.0, requires = "simulate")]
    seconds: f32,
    /// Number of robots, 1 to 256.
    #[arg(long = "count", alias = "robots", default_value_t = 9, requires = "simulate")]
    robots: usize,
    /// Benchmark scenario that defines the start poses.
    #[arg(long, value_enum, default_value_t = ScenarioArg::Mix, requires = "simulate")]
    scenario: ScenarioArg,
    /// World file (docs/worlds.md). The explanation uses the task of the world, and --simulate uses the world.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenario", "robots"])]
    world: Option<PathBuf>,
    /// Random seed.
    #[arg(long, default_value_t = 1, requires = "simulate")]
    seed: u64,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Formats of an explanation.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Form {
    /// Text for a terminal.
    Text,
    /// Markdown for a document.
    Markdown,
    /// Drawing of the reduced tree. With --simulate, the width of a line shows the use of its node.
    Svg,
}

/// Results of the simulations of a tree's variants, and the plan of the simulations.
struct Ablated<'a> {
    ablation: Ablation,
    plan: Plan<'a>,
}

/// Runs the command.
pub fn run(args: &ExplainArgs) -> Result<()> {
    let spec = match &args.world {
        Some(file) => world_file::read(file)?,
        None => args.scenario.spec(args.robots),
    };
    let plan = Plan { spec: &spec, seconds: args.seconds, runs: args.runs, seed: args.seed };
    check(&plan)?;
    refuse_over([&args.file].into_iter().chain(&args.world), &args.output)?;
    let tree = read(&args.file, None, false)?;
    let name = args.file.display().to_string();
    let program = Program::compile(&tree).with_context(|| name.clone())?;
    check_robot(&spec, &program, &args.file)?;
    let account = explain(&tree).for_world(&spec);
    let ablated = args.simulate.then(|| simulate(args, &account, plan)).transpose().context(name)?;
    let ablated = ablated.as_ref();
    let text = if args.json { json::object(&account, ablated)? } else { form(args, &account, ablated) };
    deliver(args.output.as_deref(), text.as_bytes())
}

fn simulate<'a>(args: &ExplainArgs, account: &Account, plan: Plan<'a>) -> Result<Ablated<'a>> {
    let engine = args.engine.open(EngineKind::Simd, &[plan.spec])?;
    let progress = Progress::steps("variant", 1, args.json);
    let ablation = ablate(&engine, &account.tree, &plan, |done, total| progress.set(done as u64, total as u64))?;
    drop(progress);
    report(&engine);
    Ok(Ablated { ablation, plan })
}

fn form(args: &ExplainArgs, account: &Account, ablated: Option<&Ablated<'_>>) -> String {
    let note = |node: usize| Some(tables::share(&ablated?.ablation, node));
    match args.to {
        Form::Text => {
            let colours = args.output.is_none() && output::has_colours();
            let mut text =
                to_text(account, note, |part, words| if colours { paint(part, words) } else { words.into() });
            if let Some(ablated) = ablated {
                text.push_str(&tables::text(account, ablated));
            }
            text
        }
        Form::Markdown => {
            let mut text = to_markdown(account, note);
            if let Some(ablated) = ablated {
                text.push_str(&tables::markdown(account, ablated));
            }
            text
        }
        Form::Svg => {
            let direction = if args.left { Direction::Right } else { Direction::Down };
            match ablated {
                Some(Ablated { ablation, .. }) => {
                    let shares: Vec<f32> = (0..ablation.counts.len()).map(|node| ablation.share(node) as f32).collect();
                    to_svg_with_usage(&account.tree, direction, &shares)
                }
                None => to_svg(&account.tree, direction),
            }
        }
    }
}

/// Adds ANSI codes to a part of the explanation: numbers are bold, and formulas are cyan.
fn paint(part: Part, words: &str) -> String {
    let code = match part {
        Part::Number => 1,
        Part::Formula => 36,
    };
    format!("\x1b[{code}m{words}\x1b[0m")
}

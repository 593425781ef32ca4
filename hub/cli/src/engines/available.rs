//! `xpuck dev engines`: lists the simulation engines of this machine.

use crate::engines::bench::{EXPLORE, program, times};
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use xpuck_kernels::engine::{AdapterChoice, Engine, Gpu, Reference, Simd};
use xpuck_stats::statistics::median;
use xpuck_wire::{gpu_nodes, output};

/// Number of worlds per measurement, as in `xpuck dev bench`.
const WORLDS: u32 = 256;
/// Number of repetitions of a measurement, of which the median is reported.
const REPEAT: usize = 3;

/// List the engines of this machine, and the GPU adapters with the index or name that selects each in files and
/// commands.
///
/// `engine = "gpu"` uses the most capable adapter, unless `adapter` names another one. `auto` tries only hardware
/// adapters.
#[derive(Args)]
pub struct EnginesArgs {
    /// Also measure each engine: robot-seconds simulated per second, with the workload of `xpuck dev bench`.
    #[arg(long)]
    measure: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Row of the list: an engine, or an adapter of the engine `gpu`.
#[derive(Serialize, JsonSchema)]
pub struct Row {
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    driver: Option<String>,
    /// Reason why the engine or adapter cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r_acc: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    threads: usize,
    /// Whether the kernel has a device file for a GPU. Only in this case does `auto` load the drivers and try the GPU.
    gpu_node: bool,
    engines: Vec<Row>,
}

/// Runs `xpuck dev engines`.
pub fn run(args: &EnginesArgs) -> Result<()> {
    let progress = Progress::waiting("measuring", args.json || !args.measure);
    let speed = |engine: &dyn Engine| {
        progress.note(engine.device().unwrap_or_else(|| engine.name().into()));
        args.measure.then(|| 1e6 / median(&times(engine, &program(EXPLORE), 16, WORLDS, REPEAT)))
    };
    let row = |engine: &dyn Engine| Row {
        engine: engine.name(),
        index: None,
        name: None,
        kind: None,
        driver: None,
        refused: None,
        r_acc: speed(engine),
    };
    let mut engines = vec![row(&Reference::default()), row(&Simd::default())];
    for adapter in Gpu::adapters() {
        let choice = AdapterChoice::Index(adapter.index);
        let (mut refused, mut r_acc) = (Gpu::check_adapter(&choice).err(), None);
        if args.measure && refused.is_none() {
            match Gpu::open_adapter(&choice) {
                Ok(gpu) => {
                    r_acc = speed(&gpu);
                    // A notice means that simd ran in place of the adapter. The measured speed is then not the
                    // adapter's.
                    if let Some(notice) = gpu.notice() {
                        (r_acc, refused) = (None, None);
                        output::print_error(format_args!("xpuck: {notice}"));
                    }
                }
                Err(error) => refused = Some(error),
            }
        }
        engines.push(Row {
            engine: "gpu",
            index: Some(adapter.index),
            name: Some(adapter.name),
            kind: Some(adapter.kind.to_string()),
            driver: Some(adapter.driver),
            refused: refused.map(|error| error.to_string()),
            r_acc,
        });
    }
    drop(progress);
    let found = Output { threads: rayon::current_num_threads(), gpu_node: gpu_nodes::any(), engines };
    match args.json {
        true => print_json(&found)?,
        false => print(&found)?,
    }
    Ok(())
}

fn print(found: &Output) -> Result<()> {
    output::line("engine     index  kind        r_acc      name, driver")?;
    for row in &found.engines {
        let dash = || "-".to_string();
        let name = match (&row.name, &row.driver) {
            (Some(name), Some(driver)) => format!("{name}, {driver}"),
            _ => format!("this processor, {} threads", found.threads),
        };
        output::line(format_args!(
            "{:<10} {:>5}  {:<10}  {:<9}  {name}",
            row.engine,
            row.index.map_or_else(dash, |index| index.to_string()),
            row.kind.clone().unwrap_or_else(dash),
            row.r_acc.map_or_else(dash, |r_acc| format!("{r_acc:.0}")),
        ))?;
        if let Some(why) = &row.refused {
            output::line(format_args!("           cannot be used: {why}"))?;
        }
    }
    if found.engines.iter().all(|row| row.engine != "gpu") {
        output::line("gpu: no Vulkan adapter; a driver may be missing (Debian: mesa-vulkan-drivers)")?;
    }
    Ok(())
}

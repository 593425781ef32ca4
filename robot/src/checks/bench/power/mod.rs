//! `xpuckd bench power`: measures simulation speed, power and efficiency at each clock of the board, and selects the
//! operating points (thesis 5.1.3, Fig. 5.2).

mod choose;
mod clocks;
mod figure;
mod kept;
mod load;
mod sweep;
mod table;

use super::{BenchError, can_draw, draw};
use crate::device::hwmon::{self, Hwmon};
use crate::device::{DeviceError, PowerMonitor};
use clap::Args;
use clocks::Clock;
use kept::SavedLimits;
use load::Load;
use serde::Serialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use sweep::{Measurement, Sweep, SweepParams};
use xpuck_kernels::engine::{AdapterChoice, Engine, Gpu, Simd};
use xpuck_registers::ina231::SUPPLY_ADDRESS;
use xpuck_wire::{gpu_nodes, output};

/// Number of worlds that each thread simulates in parallel, in vector registers.
const BLOCK: u32 = 16;
/// Number of worlds per batch on a GPU, as in the thesis's Table 5.3.
const GPU_WORLDS: u32 = 256;

/// Arguments of `xpuckd bench power`.
#[derive(Debug, Args)]
pub struct PowerArgs {
    /// Measuring time per combination of clocks (s, 0.2..=600).
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Maximum number of measurements in a sweep (1..=1000). If there are more combinations of clocks, steps are
    /// omitted evenly.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    points: u16,
    /// Also find the fastest operating point within this power limit (W, > 0, <= 1000).
    #[arg(long, value_name = "WATTS")]
    watt_limit: Option<f64>,
    /// Number of simulation threads (1..=256; default: number of processors).
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// Adapter of the GPU: its index or a part of its name [default: a GPU is measured if the kernel lists one].
    #[arg(long, value_name = "ADAPTER")]
    adapter: Option<AdapterChoice>,
    /// I2C bus of the INA231 (address 0x41), such as /dev/i2c-1, or a socket of a virtual arena. Required only if the
    /// chip has no kernel driver.
    #[arg(long, value_name = "DEVICE")]
    i2c: Option<PathBuf>,
    /// Processor temperature above which the current measurement is aborted (degrees C, 30..=110).
    #[arg(long, value_name = "DEGREES", default_value_t = 90.0)]
    max_temperature: f32,
    /// Directory of the kernel's sysfs files.
    #[arg(long, value_name = "DIR", default_value = "/sys")]
    sysfs: PathBuf,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// File for the figure (SVG).
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Results of all sweeps, as printed in JSON.
#[derive(Serialize)]
struct Report {
    threads: usize,
    seconds: f64,
    watt_limit: Option<f64>,
    sweeps: Vec<Sweep>,
    /// Messages about measurements that could not be made.
    missing: Vec<String>,
}

/// Runs the benchmark, and prints the results.
pub(super) fn run(args: &PowerArgs) -> Result<(), BenchError> {
    check(args)?;
    let (kept, left) = SavedLimits::open(&args.sysfs).map_err(BenchError::Unmeasured)?;
    let (clocks, gpu_clocks) = (clocks::of_processors(&args.sysfs), clocks::of_gpu(&args.sysfs));
    let all: Vec<&Clock> = clocks.iter().chain(&gpu_clocks).collect();
    for line in clocks::restore_limits(&all, &left) {
        output::print_error(format_args!("xpuckd: {line}"));
    }
    let stop = stop_flag().map_err(|error| BenchError::Unmeasured(format!("signals: {error}")))?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(processors, usize::from);
    let mut meter = Measurement {
        monitor: None,
        temperature: args.sysfs.join("class/thermal/thermal_zone0/temp"),
        max_temperature: args.max_temperature,
        stop: &stop,
        kept: &kept,
        missing: Vec::new(),
    };
    match monitor(args) {
        Ok(monitor) => meter.monitor = Some(monitor),
        Err(line) => meter.report_missing(line),
    }
    let course = SweepParams {
        time: Duration::from_secs_f64(args.seconds),
        most: args.points.into(),
        watt_limit: args.watt_limit,
    };
    if clocks.is_empty() {
        meter.report_missing(no_clocks("cpu", &args.sysfs.join("devices/system/cpu/cpufreq")));
    }
    let worlds = BLOCK * threads as u32;
    let mut sweeps =
        vec![sweep(&mut meter, ("cpu", Box::new(Simd::default())), [worlds, threads as u32], &clocks, course)?];
    if let Some(gpu) = open_gpu(args, &mut meter) {
        if gpu_clocks.is_empty() {
            meter.report_missing(no_clocks("gpu", &args.sysfs.join("class/devfreq")));
        }
        sweeps.push(sweep(&mut meter, ("gpu", gpu), [GPU_WORLDS, threads as u32], &gpu_clocks, course)?);
    }
    let Measurement { missing, .. } = meter;
    let report = Report { threads, seconds: args.seconds, watt_limit: args.watt_limit, sweeps, missing };
    match args.json {
        true => {
            output::line(serde_json::to_string(&report).map_err(|error| BenchError::Unmeasured(error.to_string()))?)?
        }
        false => {
            let tables: Vec<String> =
                report.sweeps.iter().map(|sweep| table::table(sweep, report.watt_limit)).collect();
            output::text(tables.join("\n"))?;
        }
    }
    for line in clocks.iter().filter_map(Clock::limits_warning) {
        output::print_error(format_args!("xpuckd: {line}"));
    }
    match &args.svg {
        Some(path) => draw(path, &figure::svg(&report.sweeps)),
        None => Ok(()),
    }
}

fn check(args: &PowerArgs) -> Result<(), BenchError> {
    if !(0.2..=600.0).contains(&args.seconds) {
        return Err(BenchError::Argument("seconds must be 0.2 to 600"));
    }
    if !(30.0..=110.0).contains(&args.max_temperature) {
        return Err(BenchError::Argument("max-temperature must be 30 to 110 degrees C"));
    }
    if args.watt_limit.is_some_and(|watts| !(watts > 0.0 && watts <= 1000.0)) {
        return Err(BenchError::Argument("watt-limit must be above 0 and at most 1000 W"));
    }
    can_draw(args.svg.as_deref())
}

/// Returns a flag that is set by SIGINT, SIGTERM and SIGHUP (end of the terminal session).
fn stop_flag() -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, stop.clone())?;
    }
    Ok(stop)
}

/// Opens the power monitor on the 5 V side, through its kernel driver or directly on the I2C bus. The error is a line
/// for the report.
fn monitor(args: &PowerArgs) -> Result<Box<dyn PowerMonitor>, String> {
    let root = args.sysfs.join("class/hwmon");
    let told = |error: DeviceError| format!("watts: {error}; only r_acc is measured");
    match &args.i2c {
        Some(i2c) => hwmon::open(i2c, &root, SUPPLY_ADDRESS).map_err(told),
        None => match Hwmon::find(&root, SUPPLY_ADDRESS).map_err(told)? {
            Some(monitor) => Ok(Box::new(monitor)),
            None => Err(format!(
                "watts: no INA231 at {SUPPLY_ADDRESS:#04x} found below {}; name its bus, such as --i2c /dev/i2c-1; \
                 only r_acc is measured",
                root.display()
            )),
        },
    }
}

fn no_clocks(what: &str, folder: &Path) -> String {
    format!(
        "{what} clocks: no clock found in {}; check that the kernel's clock driver is loaded; measuring at the current clock",
        folder.display()
    )
}

/// Opens the GPU if the kernel lists one, or if an adapter is named. Returns `None` otherwise, or if the GPU cannot be
/// opened.
fn open_gpu(args: &PowerArgs, meter: &mut Measurement<'_>) -> Option<Box<dyn Engine + Send>> {
    if args.adapter.is_none() && !gpu_nodes::any() {
        return None;
    }
    match Gpu::open_adapter(args.adapter.as_ref().unwrap_or(&AdapterChoice::Best)) {
        Ok(gpu) => Some(Box::new(gpu)),
        Err(error) => {
            meter.report_missing(format!("gpu: {error}; only the processor is measured"));
            None
        }
    }
}

/// Runs the sweep over `clocks` with one engine and the given numbers of worlds and threads.
fn sweep(
    meter: &mut Measurement<'_>,
    (what, engine): (&'static str, Box<dyn Engine + Send>),
    [worlds, threads]: [u32; 2],
    clocks: &[Clock],
    course: SweepParams,
) -> Result<Sweep, BenchError> {
    let name = engine.device().map_or_else(
        || format!("engine {}, {}", engine.name(), output::count(threads as usize, "thread", "threads")),
        |adapter| format!("engine {} on {adapter}", engine.name()),
    );
    let load = Load::start(engine, worlds, threads as usize)
        .map_err(|error| BenchError::Unmeasured(format!("cannot create the simulation threads: {error}")))?;
    meter.sweep((what, name), &load, clocks, course)
}

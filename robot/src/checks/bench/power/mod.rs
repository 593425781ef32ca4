//! `xpuckd bench power`: speed of simulation, power and speed per watt at each clock of the board, and the operating point that
//! follows (thesis 5.1.3, Fig. 5.2).

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
use kept::Kept;
use load::Load;
use serde::Serialize;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use sweep::{Course, Meter, Sweep};
use xpuck_kernels::engine::{AdapterChoice, Engine, Gpu, Simd};
use xpuck_registers::ina231::SUPPLY_ADDRESS;
use xpuck_wire::{gpu_nodes, output};

/// Worlds side by side in vector registers, a thread.
const BLOCK: u32 = 16;
/// Worlds at once on a GPU, as in the thesis's Table 5.3.
const GPU_WORLDS: u32 = 256;

/// `xpuckd bench power`.
#[derive(Debug, Args)]
pub struct PowerArgs {
    /// How long to measure at each clock, s, 0.2 to 600.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Most measurements of a sweep, 1 to 1000; with more combinations of clocks, steps are left out evenly.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..=1000))]
    points: u16,
    /// Also find the fastest point that draws at most so much, W.
    #[arg(long, value_name = "WATTS")]
    watt_limit: Option<f64>,
    /// Threads that simulate, 1 to 256; as many as there are processors without it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// The GPU's adapter: its index, or a part of its name. A GPU is swept if the kernel shows one, or if it is named here.
    #[arg(long, value_name = "ADAPTER")]
    adapter: Option<AdapterChoice>,
    /// The I2C bus of the INA231 at 0x41, where the kernel does not own it: /dev/i2c-1, or a virtual arena's socket.
    #[arg(long, value_name = "DEVICE")]
    i2c: Option<PathBuf>,
    /// A clock at which the processor gets hotter is given up, degrees C, 30 to 110.
    #[arg(long, value_name = "DEGREES", default_value_t = 90.0)]
    max_temperature: f32,
    /// Where the kernel's files are.
    #[arg(long, value_name = "DIR", default_value = "/sys")]
    sysfs: PathBuf,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// Draw the figure into this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// All that was measured.
#[derive(Serialize)]
struct Report {
    threads: usize,
    seconds: f64,
    watt_limit: Option<f64>,
    sweeps: Vec<Sweep>,
    /// What could not be measured, and what to do.
    missing: Vec<String>,
}

/// Measures and prints.
pub(super) fn run(args: &PowerArgs) -> Result<(), BenchError> {
    check(args)?;
    let (kept, left) = Kept::open(&args.sysfs).map_err(BenchError::Unmeasured)?;
    let (clocks, gpu_clocks) = (clocks::of_processors(&args.sysfs), clocks::of_gpu(&args.sysfs));
    let all: Vec<&Clock> = clocks.iter().chain(&gpu_clocks).collect();
    for line in clocks::put_back(&all, &left) {
        output::note(format_args!("xpuckd: {line}"));
    }
    let stop = stop_flag().map_err(|error| BenchError::Unmeasured(format!("signals: {error}")))?;
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(processors, usize::from);
    let mut meter = Meter {
        monitor: None,
        temperature: args.sysfs.join("class/thermal/thermal_zone0/temp"),
        max_temperature: args.max_temperature,
        stop: &stop,
        kept: &kept,
        missing: Vec::new(),
    };
    match monitor(args) {
        Ok(monitor) => meter.monitor = Some(monitor),
        Err(line) => meter.miss(line),
    }
    let course =
        Course { time: Duration::from_secs_f64(args.seconds), most: args.points.into(), watt_limit: args.watt_limit };
    if clocks.is_empty() {
        meter.miss(no_clocks("cpu", &args.sysfs.join("devices/system/cpu/cpufreq")));
    }
    let worlds = BLOCK * threads as u32;
    let mut sweeps =
        vec![sweep(&mut meter, ("cpu", Box::new(Simd::default())), [worlds, threads as u32], &clocks, course)?];
    if let Some(gpu) = open_gpu(args, &mut meter) {
        if gpu_clocks.is_empty() {
            meter.miss(no_clocks("gpu", &args.sysfs.join("class/devfreq")));
        }
        sweeps.push(sweep(&mut meter, ("gpu", gpu), [GPU_WORLDS, threads as u32], &gpu_clocks, course)?);
    }
    let Meter { missing, .. } = meter;
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
    for line in clocks.iter().filter_map(Clock::narrowed) {
        output::note(format_args!("xpuckd: {line}"));
    }
    match &args.svg {
        Some(path) => draw(path, &figure::svg(&report.sweeps)),
        None => Ok(()),
    }
}

fn check(args: &PowerArgs) -> Result<(), BenchError> {
    if !(0.2..=600.0).contains(&args.seconds) {
        return Err(BenchError::Argument("seconds is 0.2 to 600"));
    }
    if !(30.0..=110.0).contains(&args.max_temperature) {
        return Err(BenchError::Argument("max-temperature is 30 to 110 degrees C"));
    }
    if args.watt_limit.is_some_and(|watts| !(watts > 0.0 && watts <= 1000.0)) {
        return Err(BenchError::Argument("watt-limit is above 0 and at most 1000 W"));
    }
    can_draw(args.svg.as_deref())
}

/// A flag that signals set; the end of the session over which it was started is one of them.
fn stop_flag() -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, stop.clone())?;
    }
    Ok(stop)
}

/// The monitor on the 5 V side, the kernel's or on a bus; or a line that says what is missing.
fn monitor(args: &PowerArgs) -> Result<Box<dyn PowerMonitor>, String> {
    let root = args.sysfs.join("class/hwmon");
    let told = |error: DeviceError| format!("watts: {error}; r_acc alone is measured");
    match &args.i2c {
        Some(i2c) => hwmon::open(i2c, &root, SUPPLY_ADDRESS).map_err(told),
        None => match Hwmon::find(&root, SUPPLY_ADDRESS).map_err(told)? {
            Some(monitor) => Ok(Box::new(monitor)),
            None => Err(format!(
                "watts: no INA231 at {SUPPLY_ADDRESS:#04x} is below {}; name its bus with --i2c, such as --i2c /dev/i2c-1; r_acc \
                 alone is measured",
                root.display()
            )),
        },
    }
}

fn no_clocks(what: &str, folder: &Path) -> String {
    format!(
        "{what} clocks: {} has none; is the kernel's driver of clocks loaded? It is measured at the clock that it has",
        folder.display()
    )
}

/// The GPU, if the kernel shows one or it is named.
fn open_gpu(args: &PowerArgs, meter: &mut Meter<'_>) -> Option<Box<dyn Engine + Send>> {
    if args.adapter.is_none() && !gpu_nodes::any() {
        return None;
    }
    match Gpu::open_adapter(args.adapter.as_ref().unwrap_or(&AdapterChoice::Best)) {
        Ok(gpu) => Some(Box::new(gpu)),
        Err(error) => {
            meter.miss(format!("gpu: {error}; the processor alone is measured"));
            None
        }
    }
}

/// Sweeps one engine over clocks, with so many worlds on so many threads.
fn sweep(
    meter: &mut Meter<'_>,
    (what, engine): (&'static str, Box<dyn Engine + Send>),
    [worlds, threads]: [u32; 2],
    clocks: &[Clock],
    course: Course,
) -> Result<Sweep, BenchError> {
    let name = engine.device().map_or_else(
        || format!("engine {}, {}", engine.name(), output::count(threads as usize, "thread", "threads")),
        |adapter| format!("engine {} on {adapter}", engine.name()),
    );
    let load = Load::start(engine, worlds, threads as usize)
        .map_err(|error| BenchError::Unmeasured(format!("no threads to simulate with: {error}")))?;
    meter.sweep((what, name), &load, clocks, course)
}

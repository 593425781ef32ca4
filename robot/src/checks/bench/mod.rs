//! `xpuckd bench`: benchmarks of a robot's SPI link, simulation speed and tag detector.

mod load;
#[cfg(feature = "apriltag")]
mod markers;
mod noise;
mod panel;
mod power;

use crate::body::link::{BodyLink, BodyLinkError};
use crate::device::body::{Body, Drive};
use crate::device::epuck::Epuck;
use crate::device::lamps::Lamps;
use crate::device::spidev::KernelSpi;
use crate::device::virtual_bus::{VirtualSpi, is_virtual};
use crate::device::{DeviceError, SpiBus};
use clap::{Args, Subcommand};
use load::Load;
use noise::{CorruptionChecker, NoisyBus, Tally};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use xpuck_registers::spi::Pixel;
use xpuck_registers::stepper::StepsPerSecond;
use xpuck_wire::atomic;
use xpuck_wire::output::{self, OutputError};

/// Interval between new commands, equal to the control period.
const COMMAND_PERIOD: Duration = Duration::from_millis(100);
/// Limit for the 99.9 % quantile of the lateness of an exchange.
const LATENESS_LIMIT: Duration = Duration::from_millis(5);

/// Benchmark of `xpuckd bench`.
#[derive(Subcommand)]
pub enum Bench {
    /// Measure the SPI link to the e-puck: lateness of the exchanges, and whether corrupted words are accepted.
    ///
    /// The wheels do not move unless --speed is given. Fails if a corrupted word was accepted, or if the 99.9 %
    /// quantile of the lateness exceeds 5 ms.
    Spi(SpiArgs),
    /// Measure simulation speed and power at each clock of the processors and the GPU, and find the operating points
    /// (thesis 5.1.3): the highest r_acc per watt, and the highest r_acc within a power limit.
    ///
    /// r_acc is the number of robot-seconds simulated per second. Power is measured by the INA231 on the 5 V side.
    /// Setting clocks requires root; the previous limits are restored afterwards. Stop the robot's program first.
    Power(power::PowerArgs),
    /// Measure the AprilTag detector (thesis 5.4): errors of range, bearing and normal with and without lens
    /// calibration, detection rate while the robot turns, and computation time.
    ///
    /// Pictures are rendered like camera frames; the detector is the robot's own.
    #[cfg(feature = "apriltag")]
    Markers(markers::MarkersArgs),
}

/// Arguments of `xpuckd bench spi`.
#[derive(Args)]
pub struct SpiArgs {
    /// Kernel device, such as /dev/spidev0.0, or socket of a virtual arena, such as runs/xp01.spi.
    #[arg(long)]
    device: PathBuf,
    /// Duration (minutes, > 0, <= 10000).
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Fraction of the words in either direction that are corrupted at random (0..=1).
    #[arg(long, default_value_t = 0.01)]
    corrupt: f64,
    /// Number of idle-priority threads that simulate worlds during the measurement, as evolution does (0..=256).
    #[arg(long, default_value_t = 2)]
    load: usize,
    /// Real-time priority of the thread that exchanges with the e-puck (1..=99; 0: none).
    #[arg(long, default_value_t = 50)]
    realtime: u8,
    /// Speed of both wheels (steps/s). The sign alternates between commands.
    #[arg(long, default_value_t = 0)]
    speed: i16,
}

/// Reasons for a failed benchmark.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// An argument is invalid.
    #[error("--{0}")]
    Argument(&'static str),
    /// The robot's body cannot be opened, or its thread cannot be created.
    #[error(transparent)]
    Body(#[from] BodyLinkError),
    /// The threads of the load cannot be created.
    #[error("cannot create the load threads: {0}")]
    Load(#[from] rayon::ThreadPoolBuildError),
    /// The results cannot be printed.
    #[error("{0}")]
    Output(#[from] OutputError),
    /// The measurement is impossible, or the result cannot be written.
    #[error("{0}")]
    Unmeasured(String),
    /// The result is outside its limit.
    #[error("the benchmark failed: {0}")]
    Missed(String),
}

/// Runs a benchmark and prints the results.
pub fn run(bench: &Bench) -> Result<(), BenchError> {
    match bench {
        Bench::Spi(args) => spi(args),
        Bench::Power(args) => power::run(args),
        #[cfg(feature = "apriltag")]
        Bench::Markers(args) => markers::run(args),
    }
}

/// Verifies that the figure can be written. Called before a long measurement.
fn can_draw(svg: Option<&Path>) -> Result<(), BenchError> {
    svg.map_or(Ok(()), |path| atomic::can_output(path).map_err(|error| no_figure(path, &error)))
}

/// Writes a figure.
fn draw(path: &Path, svg: &str) -> Result<(), BenchError> {
    atomic::output(path, svg.as_bytes()).map_err(|error| no_figure(path, &error))
}

fn no_figure(path: &Path, error: &std::io::Error) -> BenchError {
    BenchError::Unmeasured(format!("--svg {}: {error}; choose a file in a writable folder", path.display()))
}

fn open(path: &Path) -> Result<Box<dyn SpiBus>, DeviceError> {
    Ok(if is_virtual(path).unwrap_or(false) {
        Box::new(VirtualSpi::open(path)?)
    } else {
        Box::new(KernelSpi::open(path)?)
    })
}

fn spi(args: &SpiArgs) -> Result<(), BenchError> {
    if !(args.minutes > 0.0 && args.minutes <= 10_000.0) {
        return Err(BenchError::Argument("minutes must be above 0 and at most 10000"));
    }
    if !(0.0..=1.0).contains(&args.corrupt) {
        return Err(BenchError::Argument("corrupt must be 0 to 1"));
    }
    if args.load > 256 {
        return Err(BenchError::Argument("load must be at most 256 threads"));
    }
    let tally = Arc::new(Tally::default());
    let (device, corrupt, theirs) = (args.device.clone(), args.corrupt, tally.clone());
    let body = move || {
        let bus = NoisyBus::new(open(&device)?, corrupt, theirs.clone());
        Ok(Box::new(CorruptionChecker::new(Epuck::new(bus), theirs.clone())) as Box<dyn Body>)
    };
    let load = Load::start(args.load)?;
    let body_link = BodyLink::start(Box::new(body), (args.realtime > 0).then_some(args.realtime))?;
    let end = Instant::now() + Duration::from_secs_f64(args.minutes * 60.0);
    let mut turn = 0u32;
    while Instant::now() < end {
        turn = turn.wrapping_add(1);
        // The lamps change with each command, so that the words of consecutive commands differ.
        let [red, green, blue, _] = turn.wrapping_mul(0x9e37_79b9).to_be_bytes().map(|level| level / 16);
        let speed = StepsPerSecond::new(if turn.is_multiple_of(2) { args.speed } else { -args.speed });
        body_link.command(Drive { speeds: [speed; 2], lamps: Lamps::all(Pixel { red, green, blue }) });
        std::thread::sleep(COMMAND_PERIOD);
    }
    let health = body_link.health();
    drop(body_link);
    let worlds = load.stop();
    let get = |count: &std::sync::atomic::AtomicU64| count.load(Ordering::Relaxed);
    let us = |part: f64| health.lateness.quantile(part).as_micros();
    let (commands, reports) = (get(&tally.wrong_commands), get(&tally.wrong_reports));
    output::line(format_args!("exchanges            {}", health.counts.exchanges))?;
    output::line(format_args!("real-time priority   {}", if health.realtime { "yes" } else { "no" }))?;
    output::line(format_args!("worlds simulated     {worlds}"))?;
    output::line(format_args!(
        "late, us             p50 {}, p99 {}, p99.9 {}, max {}",
        us(0.5),
        us(0.99),
        us(0.999),
        us(1.0)
    ))?;
    output::line(format_args!("longest gap, us      {}", health.longest_gap_us))?;
    output::line(format_args!("missed periods       {}", health.missed_periods))?;
    output::line(format_args!("words corrupted      {}", get(&tally.words)))?;
    output::line(format_args!("commands corrupted   {}, accepted {commands}", get(&tally.commands)))?;
    output::line(format_args!("reports corrupted    {}, accepted {reports}", get(&tally.reports)))?;
    output::line(format_args!("bus errors           {}, reopened {}", health.counts.bus_errors, health.reopened))?;
    if let Some(error) = &health.last_error {
        output::line(format_args!("last error           {error}"))?;
    }
    if commands + reports > 0 {
        return Err(BenchError::Missed(format!("{} corrupted messages were accepted", commands + reports)));
    }
    let late = health.lateness.quantile(0.999);
    if late > LATENESS_LIMIT {
        return Err(BenchError::Missed(format!(
            "one exchange in 1000 began at least {late:.1?} late; the limit is {LATENESS_LIMIT:?}"
        )));
    }
    Ok(())
}

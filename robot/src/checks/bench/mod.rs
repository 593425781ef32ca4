//! `xpuckd bench`: figures of a robot's devices, against a virtual arena or on the robot itself.

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
use noise::{Judge, NoisyBus, Tally};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use xpuck_registers::spi::Pixel;
use xpuck_registers::stepper::StepsPerSecond;
use xpuck_wire::atomic;
use xpuck_wire::output::{self, OutputError};

/// Time between two commands, as of the control loop.
const COMMAND_PERIOD: Duration = Duration::from_millis(100);
/// What an exchange may be late at most, in all but one of 1000.
const BAR: Duration = Duration::from_millis(5);

/// What is measured.
#[derive(Subcommand)]
pub enum Bench {
    /// The link to the e-puck over SPI: how late the exchanges begin, and whether a corrupted word is ever believed.
    ///
    /// The wheels stand unless --speed is given. Fails if a wrong word was accepted, or if one exchange of 1000 began
    /// more than 5 ms late.
    Spi(SpiArgs),
    /// How fast the board simulates at each clock of its processors and its GPU, what it draws meanwhile, and the operating
    /// point that follows (thesis 5.1.3): the most r_acc per watt, and the fastest within a limit.
    ///
    /// r_acc is robot-seconds simulated in a second. Watts are those of the INA231 on the 5 V side. Setting clocks takes root;
    /// they are put back afterwards. End the robot's program first.
    Power(power::PowerArgs),
    /// AprilTags in the camera's pictures (thesis 5.4): errors of range, bearing and face, with the lens measured and
    /// without; tags found while the robot turns; and the time that it takes.
    ///
    /// Pictures are made as the camera makes them; the code that looks at them is the robot's own.
    #[cfg(feature = "apriltag")]
    Markers(markers::MarkersArgs),
}

/// `xpuckd bench spi`.
#[derive(Args)]
pub struct SpiArgs {
    /// The kernel's device, like /dev/spidev0.0, or a virtual arena's socket, like runs/xp01.spi.
    #[arg(long)]
    device: PathBuf,
    /// How long, minutes.
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Part of the words, either way, that are changed at random.
    #[arg(long, default_value_t = 0.01)]
    corrupt: f64,
    /// Threads at idle priority that simulate worlds meanwhile, as evolution does.
    #[arg(long, default_value_t = 2)]
    load: usize,
    /// Real-time priority of the thread that talks to the e-puck, 1 to 99; 0 for none.
    #[arg(long, default_value_t = 50)]
    realtime: u8,
    /// Speed of both wheels, steps/s; the sign changes with each command.
    #[arg(long, default_value_t = 0)]
    speed: i16,
}

/// Why a figure was not reached, or not even measured.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// An argument makes no sense.
    #[error("--{0}")]
    Argument(&'static str),
    /// The robot's body.
    #[error(transparent)]
    Body(#[from] BodyLinkError),
    /// The load's threads.
    #[error("no threads for the load: {0}")]
    Load(#[from] rayon::ThreadPoolBuildError),
    /// The figures cannot be printed.
    #[error("{0}")]
    Output(#[from] OutputError),
    /// It cannot be measured, or what was measured cannot be told.
    #[error("{0}")]
    Unmeasured(String),
    /// It was measured, and is worse than it should be.
    #[error("the figure is not reached: {0}")]
    Missed(String),
}

/// Measures and prints.
pub fn run(bench: &Bench) -> Result<(), BenchError> {
    match bench {
        Bench::Spi(args) => spi(args),
        Bench::Power(args) => power::run(args),
        #[cfg(feature = "apriltag")]
        Bench::Markers(args) => markers::run(args),
    }
}

/// Tells before minutes of measuring whether a figure can be written.
fn can_draw(svg: Option<&Path>) -> Result<(), BenchError> {
    svg.map_or(Ok(()), |path| atomic::can_output(path).map_err(|error| no_figure(path, &error)))
}

/// Writes a figure.
fn draw(path: &Path, svg: &str) -> Result<(), BenchError> {
    atomic::output(path, svg.as_bytes()).map_err(|error| no_figure(path, &error))
}

fn no_figure(path: &Path, error: &std::io::Error) -> BenchError {
    BenchError::Unmeasured(format!("--svg {}: {error}; name a file in a folder that you may write", path.display()))
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
        return Err(BenchError::Argument("minutes is above 0 and at most 10000"));
    }
    if !(0.0..=1.0).contains(&args.corrupt) {
        return Err(BenchError::Argument("corrupt is a part, 0 to 1"));
    }
    if args.load > 256 {
        return Err(BenchError::Argument("load is at most 256 threads"));
    }
    let tally = Arc::new(Tally::default());
    let (device, corrupt, theirs) = (args.device.clone(), args.corrupt, tally.clone());
    let body = move || {
        let bus = NoisyBus::new(open(&device)?, corrupt, theirs.clone());
        Ok(Box::new(Judge::new(Epuck::new(bus), theirs.clone())) as Box<dyn Body>)
    };
    let load = Load::start(args.load)?;
    let body_link = BodyLink::start(Box::new(body), (args.realtime > 0).then_some(args.realtime))?;
    let end = Instant::now() + Duration::from_secs_f64(args.minutes * 60.0);
    let mut turn = 0u32;
    while Instant::now() < end {
        turn = turn.wrapping_add(1);
        // Lamps of ever new colours, so that the words differ from command to command.
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
    output::line(format_args!("bus errors           {}, opened again {}", health.counts.bus_errors, health.reopened))?;
    if let Some(error) = &health.last_error {
        output::line(format_args!("last error           {error}"))?;
    }
    if commands + reports > 0 {
        return Err(BenchError::Missed(format!("{} corrupted messages were accepted", commands + reports)));
    }
    let late = health.lateness.quantile(0.999);
    if late > BAR {
        return Err(BenchError::Missed(format!("one exchange of 1000 began {late:.1?} late; the bar is {BAR:?}")));
    }
    Ok(())
}

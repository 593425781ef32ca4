//! `xpuck swarm trials`: repeated runs of one tree on the real swarm, compared with simulations.

pub mod table;

use crate::analysis::simulate::{ScenarioArg, read_tree};
use crate::engines::engine::EngineArgs;
use crate::link::hub_address::{HubAddress, have, status};
use crate::swarm::park::{FRISBEE, frisbee_position, spec, wait, walls};
use crate::terminal::print_json;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use table::{Report, text};
use toml::{Table, Value};
use xpuck_experiment::{Experiment, Plan};
use xpuck_kernels::engine::EngineKind;
use xpuck_kernels::math::{Vec2, vec2, wrap_angle};
use xpuck_kernels::tree::{Program, RegisterMap};
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::measure::{self, fitness_of_runs};
use xpuck_lab::trials::{self, Discard, Settings, Trial, Trials, Watch, compare, draw, frisbee_is_placed, starts};
use xpuck_stats::statistics::Spread;
use xpuck_wire::keys::Secret;
use xpuck_wire::message::Request;
use xpuck_wire::output;
use xpuck_wire::park::{ParkOrder, ParkReport};
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::OperatorLink;
use xpuck_wire::{Phase, Status, escape, file};

/// Interval between two status requests.
const EVERY: Duration = Duration::from_millis(50);
/// Displacement of the frisbee between two status requests below which it counts as at rest (m).
const STILL: f32 = 0.002;
/// Maximum number of status requests while a body is missing in motion capture.
const SEE_ATTEMPTS: u32 = 40;
/// Maximum number of attempts to park the robots.
const PARK_ATTEMPTS: u32 = 3;
/// Scored fraction of a trial's length from which the trial counts as complete.
const MIN_SCORED_FRACTION: f64 = 0.98;
/// Maximum deviation of a robot from its start pose: distance (m) and heading (degrees).
const MAX_START_ERROR: [f32; 2] = [0.02, 10.0];
/// Prefix of the names of experiments that this command starts.
const NAME: &str = "trial ";

/// Run one tree repeatedly on the real swarm, and compare its fitness with simulation (thesis 7.4.4, Table 7.8).
///
/// Before each trial, the robots are parked at start poses of the world. The seed and the trial's number determine
/// the poses. When the frisbee is at rest at its start position, all robots run the tree for --seconds, and the hub
/// scores and records the run. A trial is discarded if a robot was lost, a battery was low, a body was touched, the
/// frisbee left the arena, or motion capture lost bodies. Trials are saved in --output. After an interruption, the
/// same command continues. With a larger --runs, it adds trials.
#[derive(Args)]
pub struct TrialsArgs {
    /// Tree file (.bt, .xml, .json or .bin). All robots run this tree without changes.
    tree: PathBuf,
    /// Number of trials, including discarded ones.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Length of a trial (s of arena time), 3 to 3600.
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// Folder for the trials and their results.
    #[arg(short, long = "output", alias = "out", value_name = "DIR", default_value = "trials")]
    out: PathBuf,
    /// World file, which defines the start poses, the start position of the frisbee, and the task.
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
    /// Benchmark scenario that defines the start poses.
    #[arg(long, value_enum, default_value_t = ScenarioArg::A, conflicts_with = "world")]
    scenario: ScenarioArg,
    /// Seed of the start poses and the simulations.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of simulations for the comparison.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    simulations: u32,
    /// Battery voltage below which a trial is discarded (V).
    #[arg(long, default_value_t = 3.4)]
    least_battery: f32,
    /// Maximum wait until the user has put the frisbee at its start position (s of wall time).
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    patience: u64,
    /// Name of the frisbee as a subject of motion capture.
    #[arg(long, default_value = FRISBEE)]
    frisbee: String,
    #[command(flatten)]
    engine: EngineArgs,
    /// Print one JSON object with all trials and the comparison.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Connection to the hub, and settings that are the same for all trials.
struct TrialSession<'a> {
    args: &'a TrialsArgs,
    link: OperatorLink,
    secret: Option<Secret>,
    spec: WorldSpec,
    settings: Settings,
}

/// Runs the command.
///
/// # Errors
/// The hub refuses or is silent, robots cannot be parked, the frisbee is not placed in time, or the folder holds other
/// trials.
pub fn run(args: &TrialsArgs) -> Result<()> {
    if !(3.0..=3600.0).contains(&args.seconds) {
        bail!("--seconds {}: must be 3 to 3600", args.seconds);
    }
    if args.out.exists() && !args.out.is_dir() {
        bail!("--output {}: is not a folder; choose a new folder or the folder of these trials", args.out.display());
    }
    let tree = read_tree(&args.tree, RegisterMap::Full, false)?;
    let program = Program::compile(&tree).with_context(|| format!("tree {}", args.tree.display()))?;
    let (link, secret) = args.address.open()?;
    let robots = status(&link)?.robots.len();
    let spec = spec(args.world.as_deref(), args.scenario, robots)?;
    let settings = Settings {
        tree: tree.to_string(),
        world: match (&args.world, args.scenario) {
            (Some(path), _) => file::text(path, file::MAX_TOML)?,
            (None, ScenarioArg::A) => "scenario a".into(),
            (None, ScenarioArg::B) => "scenario b".into(),
            (None, ScenarioArg::Mix) => "scenario mix".into(),
        },
        robots,
        seconds: args.seconds,
        runs: args.runs,
        seed: args.seed,
        simulations: args.simulations,
    };
    let mut kept = trials::open(&args.out, &settings)?;
    let session = TrialSession { args, link, secret, spec, settings };
    while (kept.trials.len() as u32) < args.runs {
        let number = kept.trials.len() as u32 + 1;
        let trial = session.trial(number)?;
        session.say(&format!("trial {number} of {}: {}", args.runs, table::outcome(&trial)));
        kept.add(trial)?;
    }
    session.report(&kept, &program)
}

impl TrialSession<'_> {
    fn say(&self, text: &str) {
        output::print_error(format_args!("xpuck: {}", escape(text)));
    }

    /// Runs one trial: parks the robots, waits for the frisbee, runs the tree, and returns the score.
    fn trial(&self, number: u32) -> Result<Trial> {
        self.ensure_idle()?;
        let (world, report) = self.park(number)?;
        self.place_frisbee()?;
        let off = self.off(&report)?;
        let experiment = self.experiment(number)?;
        have(&self.link, &Request::Start { signed: experiment, seed: self.args.seed.wrapping_add(number.into()) })?;
        let (status, watch, mut discard) = self.watch()?;
        let seconds: f64 = status.segments.iter().map(|segment| segment.seconds).sum();
        let scored: f64 = status.segments.iter().map(|segment| segment.seconds * segment.fitness).sum();
        if discard.is_none() && seconds < MIN_SCORED_FRACTION * self.args.seconds {
            discard = Some(Discard::CutShort(status.events.last().cloned().unwrap_or_default()));
        }
        Ok(Trial {
            number,
            world,
            starts: report.robots.iter().map(|row| row.goal).collect(),
            off,
            parked_s: report.seconds,
            frisbee_x: watch.frisbee_x.map(|(first, last)| [first, last]),
            seconds,
            fitness: if seconds > 0.0 { scored / seconds } else { 0.0 },
            record: status.record,
            discard,
        })
    }

    /// Checks that no run of another command is in progress. Stops parking, and any trial that an earlier call of this
    /// command started.
    fn ensure_idle(&self) -> Result<()> {
        let now = status(&self.link)?;
        match now.phase {
            Phase::Idle | Phase::Finished => Ok(()),
            Phase::Parking => have(&self.link, &Request::Stop),
            _ if now.experiment.starts_with(NAME) => have(&self.link, &Request::Stop),
            _ => bail!("a run is in progress: {}; `xpuck stop` ends it", escape(&now.experiment)),
        }
    }

    fn park(&self, number: u32) -> Result<(u32, ParkReport)> {
        let mut why = String::new();
        for _ in 0..PARK_ATTEMPTS {
            let now = status(&self.link)?;
            if let Some(robot) = now.robots.iter().find(|robot| !robot.alive || robot.held) {
                let what = if robot.held {
                    "is held: release it with `xpuck robot release`"
                } else {
                    "is absent: switch it on"
                };
                bail!("robot {} {what}; then run the same command again to continue", escape(&robot.id));
            }
            let there = !self.spec.discs.is_empty();
            let at = there.then(|| self.body_pose(&self.args.frisbee)).transpose()?.map(|[x, y, _]| vec2(x, y));
            let (world, poses) = starts(&self.spec, self.args.seed, number, at)
                .context("the frisbee blocks every start of this world; move it")?;
            let poses = poses.iter().map(|pose| [pose.at.x, pose.at.y, pose.heading]).collect();
            let order = ParkOrder { poses, walls: walls(&self.spec), without_frisbee: !there, ..ParkOrder::default() };
            have(&self.link, &Request::Park(order))?;
            let report = wait(&self.link)?;
            if report.parked {
                return Ok((world, report));
            }
            why = report.said;
        }
        bail!("{}; run the same command again to continue", escape(&why))
    }

    /// Waits until the frisbee is at rest at its start position, for at most [`TrialsArgs::patience`] seconds.
    fn place_frisbee(&self) -> Result<()> {
        let Some(disc) = self.spec.discs.first() else { return Ok(()) };
        let until = Instant::now() + Duration::from_secs(self.args.patience);
        let (mut last, mut told) = (None::<Vec2>, false);
        let mut still = 0;
        loop {
            let at = frisbee_position(&status(&self.link)?, &self.args.frisbee);
            let rests = at.zip(last).is_some_and(|(at, last)| (at - last).length() < STILL);
            let placed = at.is_some_and(|at| frisbee_is_placed(&self.spec, at));
            still = if rests && placed { still + 1 } else { 0 };
            if still >= 4 {
                return Ok(());
            }
            let (low, high) = (disc.start.low, disc.start.high);
            let place = format!("x {:.2} to {:.2}, y {:.2} to {:.2} m", low.x, high.x, low.y, high.y);
            if !placed && !told {
                told = true;
                self.say(&format!("put the frisbee at its start position: {place}"));
            }
            if Instant::now() > until {
                bail!(
                    "the frisbee was not put at its start position ({place}) within {} s; run the same command again \
                     to continue",
                    self.args.patience
                );
            }
            last = at;
            std::thread::sleep(EVERY);
        }
    }

    /// Returns the largest distance (m) and the largest difference of heading (degrees) of a robot from its start
    /// pose. Returns an error if a value is above its limit in [`MAX_START_ERROR`].
    fn off(&self, report: &ParkReport) -> Result<[f32; 2]> {
        let mut off = [0.0f32; 2];
        for row in &report.robots {
            let ([x, y, heading], [a, b, is]) = (row.goal, self.body_pose(&row.robot)?);
            let here = [(vec2(a, b) - vec2(x, y)).length(), wrap_angle(is - heading).abs().to_degrees()];
            if here[0] > MAX_START_ERROR[0] || here[1] > MAX_START_ERROR[1] {
                bail!(
                    "{} is {:.0} mm and {:.0} degrees from its start: was it touched? Run the same command again to \
                     continue",
                    escape(&row.robot),
                    here[0] * 1e3,
                    here[1]
                );
            }
            off = [off[0].max(here[0]), off[1].max(here[1])];
        }
        Ok(off)
    }

    /// Returns the pose of a body from motion capture: x and y (m), and heading (rad). Retries while motion capture
    /// does not see the body.
    fn body_pose(&self, name: &str) -> Result<[f32; 3]> {
        for _ in 0..SEE_ATTEMPTS {
            if let Some(body) = status(&self.link)?.bodies.iter().find(|body| body.name == name) {
                return Ok(body.pose);
            }
            std::thread::sleep(EVERY);
        }
        bail!(
            "motion capture does not see {}: check its markers, then run the same command again to continue",
            escape(name)
        )
    }

    fn experiment(&self, number: u32) -> Result<Signed> {
        let minutes = Value::Float(self.args.seconds / 60.0);
        let mut table = Table::new();
        let name = self.args.tree.file_stem().and_then(|name| name.to_str()).unwrap_or("tree");
        let name: String = format!("{NAME}{number} of {name}").chars().take(60).collect();
        table.insert("name".into(), Value::String(name));
        table.insert("minutes".into(), minutes.clone());
        table.insert("segment_minutes".into(), minutes);
        table.insert("controller".into(), Value::String(self.settings.tree.clone()));
        let mut files = BTreeMap::new();
        if self.args.world.is_some() {
            table.insert("world".into(), Value::String("world.toml".into()));
            files.insert("world.toml".into(), self.settings.world.clone());
        } else {
            table.insert("task".into(), Value::String("transport".into()));
        }
        let text = toml::to_string(&table)?;
        let experiment = Experiment::parse("experiment", &text)?;
        Plan::new(&experiment, &files, Some(self.settings.robots))?;
        Ok(Signed::new(text, files, self.secret.as_ref())?)
    }

    /// Waits for the end of the run. Returns the last status, the measurements, and the reason if the trial is
    /// discarded.
    fn watch(&self) -> Result<(Status, Watch, Option<Discard>)> {
        let mut watch = Watch::new(&self.args.frisbee, self.args.least_battery);
        let mut discard = None;
        loop {
            let now = status(&self.link)?;
            match now.phase {
                Phase::Preparing => {}
                Phase::Finished => return Ok((now, watch, discard)),
                Phase::Idle | Phase::Parking => {
                    bail!("the trial did not begin: {}", escape(now.events.last().map_or("", String::as_str)))
                }
                _ if discard.is_none() => {
                    discard = watch.see(&now);
                    if discard.is_some() {
                        have(&self.link, &Request::Stop)?;
                    }
                }
                _ => {}
            }
            std::thread::sleep(EVERY);
        }
    }

    /// Simulates the tree, compares the trials with the simulations, and reports the results.
    fn report(&self, kept: &Trials, program: &Program) -> Result<()> {
        let Settings { seconds, simulations, seed, .. } = kept.settings;
        let engine = self.args.engine.open(EngineKind::Simd, &[&self.spec])?;
        let plan = measure::Plan { spec: &self.spec, seconds: seconds as f32, runs: simulations, seed };
        let simulated = fitness_of_runs(&engine, program, &plan);
        let real = kept.fitness();
        let compared = compare(&real, &simulated);
        let picture = draw(&real, &simulated, compared.as_ref());
        let picture = picture.map(|svg| kept.write_beside("trials.svg", svg.as_bytes())).transpose()?;
        let report = Report {
            trials: &kept.trials,
            settings: &kept.settings,
            real: Spread::from_sample(&real),
            simulated: Spread::from_sample(&simulated),
            compared,
            picture: picture.as_deref(),
        };
        let table = text(&report);
        kept.write_beside("trials.txt", table.as_bytes())?;
        if self.args.json {
            return print_json(&report);
        }
        Ok(output::text(table)?)
    }
}

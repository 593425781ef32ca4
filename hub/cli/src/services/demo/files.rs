//! Files of a demo: one directory for configuration, logs and the record.

use super::{DemoArgs, groot};
use crate::analysis::simulate::read_tree;
use crate::arena::{self, ArenaFile, BodyFile, UnkindFile};
use crate::files::experiment::{self, ExperimentFiles};
use crate::files::swarm_files::{
    self, Devices, RobotText, TRANSPORT, arena_text, hub_text, swarm_text, write_new as write,
};
use crate::link::running::PREFIX;
use anyhow::{Context, Result, anyhow, bail};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use xpuck_arena::fitted::Fitted;
use xpuck_evolve::PrimitiveSet;
use xpuck_experiment::{Calibration, Experiment, Plan, sent_name, world_file};
use xpuck_hub_core::config::{Batteries, Console, Foxglove, HubFile, Overhead, Stream};
use xpuck_kernels::tree::{Program, RegisterMap};
use xpuck_wire::file;
use xpuck_wire::keyring::{self, Role};
use xpuck_wire::keys::Secret;
use xpuck_wire::signed::Signed;
use xpuck_wire::{Addresses, Security, Swarm};

/// Default length of a run of the demo (min of arena time).
const USUAL_MINUTES: f64 = 16.0;
/// Number of segments of a run: one without evolved trees, then the seven segments of Table 8.3 in the thesis.
const SEGMENTS: f64 = 8.0;

/// Paths and settings of a demo.
pub struct Layout {
    /// The demo's directory.
    pub root: PathBuf,
    /// Swarm file that all processes share.
    pub swarm: Swarm,
    /// Path of the hub's file.
    pub hub: PathBuf,
    /// Path of the arena's file.
    pub arena: PathBuf,
    /// Paths of the robots' files, in the swarm's order.
    pub robots: Vec<PathBuf>,
    /// Temporary folder of the device sockets, kept until the demo ends. The path of the folder is short, because the
    /// path of a socket has at most 107 bytes.
    devices: tempfile::TempDir,
    /// Signed experiment.
    pub experiment: Signed,
    /// Plan of the experiment.
    pub plan: Plan,
    /// Options with which `xpuck simulate` uses the world and the robots of the first phase.
    pub simulated: String,
    /// Path of the operator key with which the demo controls its hub.
    pub key: PathBuf,
}

impl Layout {
    /// Creates the demo's directory and writes all files. If an error occurs, the directory is removed again.
    pub fn write(args: &DemoArgs) -> Result<Layout> {
        let stamp = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis());
        let root = std::path::absolute(&args.out)?.join(format!("demo-{stamp}"));
        let made = !args.out.exists();
        Layout::fill(args, root.clone()).inspect_err(|_| {
            // Errors are ignored, because the demo's directory may not exist. `remove_dir` fails if the output folder
            // contains other files, which must be kept.
            let _ = std::fs::remove_dir_all(&root);
            let _ = made.then(|| std::fs::remove_dir(&args.out));
        })
    }

    fn fill(args: &DemoArgs, root: PathBuf) -> Result<Layout> {
        let unkind = args.unkind.as_deref().map(UnkindFile::named).transpose()?.unwrap_or_default();
        let config = root.join("config");
        for dir in [config.join("robots"), root.join("logs")] {
            std::fs::create_dir_all(&dir)
                .with_context(|| format!("--output {}: cannot create {}", args.out.display(), dir.display()))?;
        }
        let devices = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let port = |i: u16| args.ports + i;
        let mocap = format!("127.0.0.1:{}", port(3));
        let overhead = args.overhead.map(|port| SocketAddr::from(([127, 0, 0, 1], port)));
        let swarm = Swarm {
            speed: args.speed,
            // Peer sockets are in the device folder, so that a demo needs no port for each robot.
            peers: swarm_files::ids(args.robots)
                .iter()
                .map(|id| format!("ipc://{}", devices.path().join(format!("{id}.peer")).display()))
                .collect(),
            robots: swarm_files::ids(args.robots),
            hub: Addresses {
                robots: format!("tcp://127.0.0.1:{}", port(1)),
                operator: format!("tcp://127.0.0.1:{}", port(2)),
                console: (!args.no_console).then(|| format!("127.0.0.1:{}", port(0))),
            },
            security: Security { keys: "../keys".into(), dev_mode: false },
        };
        let DemoExperiment { text, files, plan, world, calibration } = asked(args)?;
        let keys = root.join("keys");
        keyring::create_missing_pairs(&keys, &swarm.robots)?;
        let key = keyring::path(&keys, Role::Operator, keyring::OPERATOR, "key");
        // The folder of the hub's file holds the experiments that the console page offers.
        write(&config.join("experiment.toml"), &text)?;
        let experiment = Signed::new(text, files.clone(), Some(&Secret::read(&key)?))?;
        let kind = |robot: usize| args.kinds[robot % args.kinds.len()];
        // Robots without the sensor reject trees that read the floor.
        let ground = (0..args.robots).any(|robot| plan.ground_read(robot));
        let bodies = swarm.robots.iter().zip(0..).map(|(id, robot)| (id.clone(), kind(robot)));
        let mut arena = ArenaFile {
            bodies: bodies.filter(|(_, body)| *body != BodyFile::default()).collect(),
            seed: args.seed,
            fpga: args.fpga,
            world: world.as_ref().map(PathBuf::from),
            overhead,
            fitted: if ground { vec![Fitted::Ground] } else { Vec::new() },
            ..swarm_files::arena(devices.path(), &mocap)?
        };
        unkind.apply(&mut arena);
        let (half_length, half_width) = plan.phase(0).world.physics.half_arena;
        let radius = plan.phase(0).world.discs.first().map(|disc| disc.shape.radius);
        let hub = HubFile {
            arena: swarm_files::size((half_length, half_width), radius),
            console: Console { key: Some(key.clone()), runs: root.parent().map(PathBuf::from), ..Console::default() },
            stream: args.stream.map(|port| Stream { address: format!("tcp://127.0.0.1:{port}"), plain: true }),
            foxglove: args.foxglove.map(|port| Foxglove::at(format!("127.0.0.1:{port}"))),
            overhead: overhead.map(|address| Overhead::at(format!("http://{address}/"))),
            // 0 disables the battery limit, because the virtual batteries of a demo cannot be charged.
            batteries: Batteries { reserve_minutes: 0.0, ..Batteries::default() },
            ..swarm_files::hub(&root, &mocap)
        };
        write(&config.join("swarm.toml"), &swarm_text(&swarm)?)?;
        let primitive_set = args.primitive_set.as_ref().map(|_| PRIMITIVE_SET.to_string());
        for name in world.iter().chain(&calibration).chain(&primitive_set) {
            write(&config.join(name), &files[name])?;
        }
        let beside = |option: &str, name: &String| format!("{option} {}", config.join(name).display());
        let usual = format!("--scenario mix --count {}", args.robots);
        let mut simulated = world.as_ref().map_or(usual, |name| beside("--world", name));
        if let Some(name) = &calibration {
            simulated += &beside(" --calibration", name);
        }
        write(&config.join("arena.toml"), &arena_text(&arena)?)?;
        // Validates the ranges and robot names of the disturbances before any process starts.
        let file = config.join("arena.toml");
        arena::settings(&file).map_err(|error| match &args.unkind {
            // The error names the preset or file that the user gave, not the generated file.
            Some(unkind) => anyhow!("{}", format!("{error:#}").replace(&file.display().to_string(), unkind)),
            None => error,
        })?;
        write(&config.join("hub.toml"), &hub_text(&hub)?)?;
        let robots: Vec<PathBuf> =
            swarm.robots.iter().map(|id| config.join("robots").join(format!("{id}.toml"))).collect();
        if let Some(file) = &args.calibration {
            // The file is validated before it is copied, so that errors name the user's file.
            arena::known("--calibration", Some(file), &Calibration::read(file)?, &swarm.robots)?;
            write(&config.join(CALIBRATION), &file::text(file, file::MAX_TOML)?)?;
        }
        for (i, (id, path)) in swarm.robots.iter().zip(&robots).enumerate() {
            let robot = RobotText {
                id,
                devices: Devices::Virtual(devices.path().into(), kind(i)),
                groot: groot::port(args, i),
                threads: 1,
                evolution: args.engine.toml(),
                calibration: args.calibration.as_ref().map(|_| CALIBRATION),
                socket: Some(devices.path().join(format!("{id}.sock"))),
                ground,
            };
            write(path, &robot.text())?;
        }
        Ok(Layout {
            swarm,
            hub: config.join("hub.toml"),
            arena: config.join("arena.toml"),
            robots,
            devices,
            experiment,
            plan,
            simulated,
            key,
            root,
        })
    }

    /// Returns the folder of the device sockets.
    pub fn devices(&self) -> &Path {
        self.devices.path()
    }

    /// Returns the path of the log of the process `name`.
    pub fn log(&self, name: &str) -> PathBuf {
        self.root.join("logs").join(format!("{name}.log"))
    }
}

/// Name of the copy of the primitive set of `--primitive-set`.
const PRIMITIVE_SET: &str = "primitive-set.toml";
/// Name of the robots' calibration file in the demo's folder `config`.
const CALIBRATION: &str = "calibration.toml";

/// Experiment that a demo runs, with the changes from the demo's options.
struct DemoExperiment {
    /// Text of the experiment file (TOML).
    text: String,
    /// Text of each file that the experiment names, by file name.
    files: BTreeMap<String, String>,
    /// Plan of the experiment.
    plan: Plan,
    /// Name of the world file of the first phase.
    world: Option<String>,
    /// Name of the experiment's calibration file.
    calibration: Option<String>,
}

fn asked(args: &DemoArgs) -> Result<DemoExperiment> {
    let (mut experiment, mut files) = match &args.experiment {
        Some(path) => {
            let ExperimentFiles { experiment, files, .. } = experiment::read(path, BTreeMap::new())?;
            (experiment, files)
        }
        None => (Experiment::parse("experiments/transport.toml", TRANSPORT)?, BTreeMap::new()),
    };
    let minutes = args.minutes.or_else(|| args.experiment.is_none().then_some(USUAL_MINUTES));
    if let Some(minutes) = minutes {
        if !experiment.phases.is_empty() {
            bail!("--minutes {minutes}: the experiment's phases define its length; leave out --minutes");
        }
        experiment.minutes = Some(minutes);
        experiment.segment_minutes = Some(minutes / SEGMENTS);
    }
    if let Some(path) = &args.world {
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .with_context(|| format!("{}: is not a file", path.display()))?;
        // The file is validated here, so that errors name the user's file.
        if world_file::read(path)?.changes() {
            // The virtual arena changes its scenery itself, with the lots of the first segment. In this segment, no robot
            // has an evolved tree.
            if args.tree.is_none() {
                bail!(
                    "{}: the world changes, so the demo is one segment, in which no robot drives an evolved tree; add \
                     --tree FILE (`xpuck evolve --world` finds one)",
                    path.display()
                );
            }
            experiment.arena_changes_confirmed = true;
            experiment.segment_minutes = experiment.minutes;
        }
        files.insert(name.into(), file::text(path, file::MAX_TOML)?);
        (experiment.task, experiment.world) = (None, Some(name.into()));
        experiment.name = path.file_stem().and_then(|name| name.to_str()).unwrap_or(name).into();
    }
    if let Some(path) = &args.primitive_set {
        let text = file::text(path, file::MAX_TOML)?;
        PrimitiveSet::parse(&path.display().to_string(), &text)?;
        files.insert(PRIMITIVE_SET.into(), text);
        experiment.primitive_set = PRIMITIVE_SET.into();
    }
    if let Some(population) = args.population {
        experiment.evolution.population = population;
    }
    if let Some(file) = &args.tree {
        let tree = read_tree(file, RegisterMap::Full, false)?;
        Program::compile(&tree).with_context(|| format!("tree {}", file.display()))?;
        experiment.controller = Some(tree.to_string());
    }
    let text = toml::to_string(&experiment)?;
    // The text is parsed again, because keys set by options may conflict with keys of the file. For example, --tree
    // sets one controller for all robots, but the file may define several.
    let experiment = Experiment::parse("experiment", &text)?;
    let name = || args.experiment.as_ref().map_or("experiment".into(), |path| path.display().to_string());
    let plan = Plan::new(&experiment, &files, Some(args.robots)).with_context(name)?;
    let world = experiment.phases.first().and_then(|phase| phase.world.clone()).or(experiment.world);
    let calibration = experiment.calibration.map(|path| sent_name(&path).into());
    Ok(DemoExperiment { text, files, plan, world: world.map(|path| sent_name(&path).into()), calibration })
}

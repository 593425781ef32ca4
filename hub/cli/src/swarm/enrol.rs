//! `xpuck robot enrol` adds a robot; `xpuck robot replace` replaces a robot's board ([fleet](../../../docs/fleet.md)).

mod files;

use crate::files::keys;
use crate::link::hub_address::HubAddress;
use crate::terminal::print_json;
use anyhow::{Context, Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fs::File;
use std::path::{Path, PathBuf};
use xpuck_wire::keyring::{self, Role};
use xpuck_wire::keys::Public;
use xpuck_wire::message::{Order, Reply, Request};
use xpuck_wire::{Swarm, atomic, output, quote_input};

/// Add a robot to the swarm: its key, its file, its entry in swarm.toml, and its registration at the running hub.
///
/// The hub accepts the robot immediately. If the robot is added during a run, its island starts from scratch. Run the
/// command in the folder of the hub's swarm.toml. Existing files are kept, so the command can be repeated.
#[derive(Args)]
pub struct EnrolArgs {
    /// Id of the new robot: 1 to 32 characters of a-z, 0-9, - and _.
    robot: String,
    /// Public key NAME.pub that was made on the robot's board [default: make a key pair on this machine].
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    /// Robot whose file is the template [default: the last robot in swarm.toml that has a file].
    #[arg(long, value_name = "ROBOT")]
    like: Option<String>,
    /// Address at which the robot listens to the other robots, such as tcp://192.168.1.110:7606. Allowed only if
    /// swarm.toml has `peers`.
    #[arg(long, value_name = "ADDRESS")]
    peer: Option<String>,
    #[command(flatten)]
    common: Common,
}

/// Replace a robot's board: revoke the old key and enrol a key for the new board.
///
/// The robot keeps its name and island. The island starts from scratch unless the folder `evolution.state` is copied
/// from the old board to the new board.
#[derive(Args)]
pub struct ReplaceArgs {
    /// Id of the robot.
    robot: String,
    /// Public key NAME.pub that was made on the new board [default: make a key pair on this machine].
    #[arg(long, value_name = "FILE")]
    public: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Common {
    /// Swarm file of the hub.
    #[arg(long, default_value = "swarm.toml")]
    swarm: PathBuf,
    /// Print the changes as one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Result of `xpuck robot enrol` or `replace`, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Done {
    /// Id of the robot.
    robot: String,
    /// Number of the robot's island, from 1.
    island: u16,
    /// Paths of the files that must be copied to the robot's board.
    board: Vec<PathBuf>,
    /// Changes that the command made, one line of text each.
    said: Vec<String>,
    /// Whether the running hub has accepted the change.
    hub: bool,
}

/// Adds a robot to the swarm's files, and registers the robot at the running hub.
///
/// # Errors
/// The robot cannot be added, or the hub refuses the robot.
pub fn enrol(args: &EnrolArgs) -> Result<()> {
    let path = &args.common.swarm;
    let folder = atomic::folder(path);
    let _locked = lock(folder)?;
    let swarm = Swarm::read(path)?;
    let robot = args.robot.as_str();
    let grown = match swarm.island(robot) {
        Some(island) => {
            files::check_peer(&swarm, island, args.peer.as_deref(), path)?;
            None
        }
        None => Some(files::with(&swarm, robot, args.peer.as_deref(), path)?),
    };
    // The file is derived before anything is written, so that an error leaves all files unchanged.
    let file = files::robot_file(folder, &swarm, robot, args.like.as_deref())?;
    let mut said = Vec::new();
    if !swarm.security.dev_mode {
        said.extend(key(&swarm.security.keys, robot, args.public.as_deref())?);
    }
    said.extend(file.write()?);
    let swarm = match grown {
        Some((swarm, text)) => {
            atomic::output(path, text.as_bytes())?;
            said.push(format!("added to {}", path.display()));
            swarm
        }
        None => swarm,
    };
    let request = Request::Enrol { robots: swarm.robots.clone(), peers: swarm.peers.clone() };
    notify_hub(&args.common, &swarm, robot, said, &request, "the hub has added it; it is absent until its program runs")
}

/// Locks the folder, so that concurrent commands do not overwrite each other's changes of the swarm file.
fn lock(folder: &Path) -> Result<File> {
    let locked = File::open(folder).with_context(|| folder.display().to_string())?;
    locked.lock().with_context(|| format!("{}: cannot be locked", folder.display()))?;
    Ok(locked)
}

/// Replaces the key of a robot, and notifies the running hub that the robot has a new board.
///
/// # Errors
/// The key cannot be replaced, or the hub refuses the change.
pub fn replace(args: &ReplaceArgs) -> Result<()> {
    let _locked = lock(atomic::folder(&args.common.swarm))?;
    let swarm = Swarm::read(&args.common.swarm)?;
    let robot = args.robot.as_str();
    if swarm.island(robot).is_none() {
        bail!(
            "{}: does not list robot `{}`; add it with `xpuck robot enrol`",
            args.common.swarm.display(),
            quote_input(robot)
        );
    }
    let mut said = Vec::new();
    if !swarm.security.dev_mode {
        let dir = &swarm.security.keys;
        if let Some(file) = &args.public {
            keys::readable(file, Some(robot), dir)?;
        }
        if keyring::path(dir, Role::Robot, robot, "pub").exists() {
            let aside = keyring::revoke(dir, Role::Robot, robot)?;
            said.push("revoked its previous key".to_string());
            said.extend(aside.map(|aside| format!("moved its previous secret key to {}", aside.display())));
        }
        said.extend(key(dir, robot, args.public.as_deref())?);
    }
    let request = Request::Order { robot: robot.into(), order: Order::Replace };
    notify_hub(&args.common, &swarm, robot, said, &request, "the hub waits for the new board")
}

/// Ensures that a robot has a key. Copies the file `public`, or makes a key pair if `public` is `None`. Returns a
/// description of the change; `None` if the robot already had the key.
fn key(dir: &Path, robot: &str, public: Option<&Path>) -> Result<Option<String>> {
    let Some(file) = public else {
        let made = keyring::create_pair(dir, Some(Role::Robot), robot)?;
        return Ok(made.then(|| format!("made {}", keyring::path(dir, Role::Robot, robot, "key").display())));
    };
    let there = keyring::path(dir, Role::Robot, robot, "pub");
    if there.exists() && Public::read(&there)?.curve == Public::read(file)?.curve {
        return Ok(None);
    }
    keys::readable(file, Some(robot), dir)?;
    keys::let_in(file, Role::Robot, dir)?;
    Ok(Some(format!("enrolled the key {}", file.display())))
}

/// Sends `request` to the hub, and prints the changes. `done` is the line that is printed if the hub accepts.
fn notify_hub(
    common: &Common,
    swarm: &Swarm,
    robot: &str,
    mut said: Vec<String>,
    request: &Request,
    done: &str,
) -> Result<()> {
    let answer = common.address.open_of(swarm).and_then(|(link, _)| Ok(link.ask(request)?));
    let (hub, refused) = match answer {
        Ok(Reply::Refused(why)) => (false, Some(why)),
        Ok(_) => (true, None),
        Err(error) => {
            said.push(format!("no hub was notified: {error:#}; the hub reads the files at its next start"));
            (false, None)
        }
    };
    said.extend(hub.then(|| done.to_string()));
    let board = files::board_files(&common.swarm, swarm, robot);
    let done = Done { robot: robot.into(), island: swarm.island(robot).unwrap_or(0), board, said, hub };
    if common.json {
        print_json(&done)?;
    } else {
        done.said.iter().try_for_each(|line| output::line(format_args!("{robot}: {line}")))?;
        let files: Vec<String> = done.board.iter().map(|path| path.display().to_string()).collect();
        output::line(format_args!("{robot}: island {}; its board needs {}", done.island, files.join(" ")))?;
    }
    match refused {
        Some(why) => bail!("the files are correct, but the hub refuses the request: {why}"),
        None => Ok(()),
    }
}

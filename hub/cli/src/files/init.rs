//! `xpuck init`: creates a folder with all files of a swarm.

use crate::arena::BodyFile;
use crate::files::swarm_files::{
    self, Devices, RobotText, SWARM, TRANSPORT, arena_text, commented, hub_text, swarm_text, write_new,
};
use crate::terminal::wrong_argument;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::net::{IpAddr, Ipv4Addr, UdpSocket};
use std::path::{Path, PathBuf};
use xpuck_image::Board;
use xpuck_wire::keyring;
use xpuck_wire::{Addresses, MAX_ROBOTS, Security, Swarm, output};

/// Make a folder with the files of a swarm: swarm, hub, robots, arena, keys and an experiment.
///
/// Each file states its purpose and its most important settings. The files work unchanged for robots in a virtual
/// arena on this machine; for real robots, addresses and devices have to be adapted. Existing files are not
/// overwritten.
#[derive(Args)]
#[command(after_help = "Next, `xpuck check DIR` lists everything that is missing or wrong; docs/set-up.md continues \
                        from there.")]
pub struct InitArgs {
    /// Folder; it is created if it is missing.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Make files for robots in a virtual arena on this machine; the same as --kind virtual, which is the default.
    #[arg(long = "virtual", conflicts_with = "kind")]
    in_arena: bool,
    /// Kind of the robots.
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Boards of the robots, such as pi5: their files name its devices, and cards.toml is made for `xpuck card flash`
    /// (`xpuck card build --boards` lists the boards).
    #[arg(long, conflicts_with = "in_arena")]
    board: Option<String>,
    /// Number of robots, 1 to 200.
    #[arg(long = "count", alias = "robots", default_value_t = 2)]
    robots: usize,
    /// First of four ports: console, robots, operators, motion capture.
    #[arg(long, default_value_t = 7600, value_parser = clap::value_parser!(u16).range(1..=65_532))]
    ports: u16,
    /// Address of the hub for real robots [default: this machine's].
    #[arg(long, value_name = "IP")]
    address: Option<IpAddr>,
}

impl InitArgs {
    /// Returns the kind of the robots. A board without a kind implies the thesis's robot.
    fn kind(&self) -> Kind {
        match (self.kind, &self.board) {
            (Some(kind), _) => kind,
            (None, Some(_)) => Kind::Xpuck,
            (None, None) => Kind::Virtual,
        }
    }
}

/// Kinds of robot.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Robots in a virtual arena on this machine.
    Virtual,
    /// Robot of the thesis: an e-puck with a Linux board on the shim's SPI.
    Xpuck,
    /// E-puck1 with a Pi-puck board.
    #[value(name = "e-puck1")]
    Epuck1,
    /// E-puck2 with a Pi-puck board.
    #[value(name = "e-puck2")]
    Epuck2,
}

/// Name of the experiment file in the folder.
const EXPERIMENT: &str = "transport.toml";
/// Example address of a real swarm's motion capture, which the user has to change.
const TRACKER: &str = "192.168.1.3:801";

/// Runs the command.
pub fn run(args: &InitArgs) -> Result<()> {
    if !(1..=MAX_ROBOTS).contains(&args.robots) {
        wrong_argument!("--count {}: must be 1 to {MAX_ROBOTS}", args.robots);
    }
    let (swarm, files) = files(args)?;
    let there: Vec<&str> = files
        .iter()
        .filter(|(name, _)| args.folder.join(name).symlink_metadata().is_ok())
        .map(|f| f.0.as_str())
        .collect();
    if !there.is_empty() {
        bail!(
            "{}: already contains {}, and existing files are not overwritten; choose another folder",
            args.folder.display(),
            there.join(", ")
        );
    }
    match args.folder.symlink_metadata() {
        Ok(_) if !args.folder.is_dir() => {
            bail!("{}: exists, but is not a folder; choose another name", args.folder.display())
        }
        Ok(_) => fill(&args.folder, &swarm, &files)?,
        Err(_) => make(&args.folder, &swarm, &files)?,
    }
    output::text(next(args, &swarm))?;
    Ok(())
}

/// Makes the folder under a temporary name and renames it when it is complete, so that a failure leaves no folder.
fn make(folder: &Path, swarm: &Swarm, files: &[(String, String)]) -> Result<()> {
    let name = folder
        .file_name()
        .with_context(|| format!("{}: is not a valid folder name; choose another name", folder.display()))?;
    let unfinished = folder.with_file_name(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
    let made = fill(&unfinished, swarm, files).and_then(|()| {
        std::fs::rename(&unfinished, folder).with_context(|| format!("{}: cannot be created", folder.display()))
    });
    if made.is_err() {
        // The incomplete folder is removed. An error of the removal is ignored, because the caller needs the first
        // error.
        let _ = std::fs::remove_dir_all(&unfinished);
    }
    made
}

/// Writes the keys and the files of a swarm to a folder, which is created if it is missing.
fn fill(folder: &Path, swarm: &Swarm, files: &[(String, String)]) -> Result<()> {
    let robots = folder.join("robots");
    std::fs::create_dir_all(&robots).with_context(|| format!("{}: cannot be created", robots.display()))?;
    keyring::create_missing_pairs(&folder.join("keys"), &swarm.robots)?;
    files.iter().try_for_each(|(name, text)| write_new(&folder.join(name), text))
}

/// Returns the swarm, and the texts of all files by their names in the folder.
fn files(args: &InitArgs) -> Result<(Swarm, Vec<(String, String)>)> {
    let kind = args.kind();
    let simulated = kind == Kind::Virtual;
    let board = args.board.as_deref().map(Board::named).transpose()?;
    if board.is_some() && simulated {
        bail!("--board is for real robots, not for a virtual arena; leave it out");
    }
    let device = |of: fn(&Board) -> &Option<String>, usual: &str| match &board {
        None => Ok(usual.to_string()),
        Some(board) => of(board).clone().with_context(|| {
            format!("--board {}: has no bus for this kind of body; use pi5, pi4, rk3588 or xu4", board.name)
        }),
    };
    let local = |i: u16| format!("127.0.0.1:{}", args.ports + i);
    let address = args.address.unwrap_or_else(own_address);
    let swarm = Swarm {
        speed: 1.0,
        peers: peers(args, simulated),
        robots: swarm_files::ids(args.robots),
        hub: Addresses {
            robots: match (simulated, address) {
                (true, _) => format!("tcp://{}", local(1)),
                (false, IpAddr::V4(ip)) => format!("tcp://{ip}:{}", args.ports + 1),
                (false, IpAddr::V6(ip)) => format!("tcp://[{ip}]:{}", args.ports + 1),
            },
            operator: format!("tcp://{}", local(2)),
            console: Some(local(0)),
        },
        security: Security::default(),
    };
    let mocap = if simulated { local(3) } else { TRACKER.into() };
    let hub = swarm_files::hub(Path::new("runs"), &mocap);
    let mut files = vec![
        (SWARM.to_string(), swarm_text(&swarm)?),
        ("hub.toml".into(), hub_text(&hub)?),
        (EXPERIMENT.into(), experiment()),
    ];
    if let Some(board) = &board {
        files.push(("cards.toml".into(), cards_text(&board.name)));
    }
    if simulated {
        files.push(("arena.toml".into(), arena_text(&swarm_files::arena(Path::new("devices"), &mocap)?)?));
    }
    for id in &swarm.robots {
        let state = format!("state = \"../state/{id}\"\n");
        let robot = RobotText {
            id,
            devices: match kind {
                Kind::Virtual => Devices::Virtual("../devices".into(), BodyFile::default()),
                Kind::Xpuck => Devices::Xpuck(device(|b| &b.spi, "/dev/spidev1.0")?, device(|b| &b.i2c, "/dev/i2c-1")?),
                Kind::Epuck1 => Devices::Epuck1(device(|b| &b.epuck_i2c, "/dev/i2c-12")?),
                Kind::Epuck2 => Devices::Epuck2(device(|b| &b.epuck_i2c, "/dev/i2c-12")?),
            },
            groot: None,
            socket: None,
            threads: if simulated { 1 } else { 2 },
            evolution: if simulated { state } else { format!("max_temperature_c = 80.0\n{state}") },
            calibration: None,
            ground: false,
        };
        files.push((format!("robots/{id}.toml"), robot.text()));
    }
    Ok((swarm, files))
}

/// Returns the peer address of each robot. Virtual robots have one port each on this machine. Real robots have the
/// same port on each board, addressed by the board's host name. Empty if there are not enough ports.
fn peers(args: &InitArgs, simulated: bool) -> Vec<String> {
    let address = |(i, id): (u16, &String)| match simulated {
        true => Some(format!("tcp://127.0.0.1:{}", args.ports.checked_add(10 + i)?)),
        false => Some(format!("tcp://{id}.local:{}", args.ports.checked_add(6)?)),
    };
    (0..).zip(&swarm_files::ids(args.robots)).map(address).collect::<Option<_>>().unwrap_or_default()
}

/// Returns the text of cards.toml with common settings of the cards, which the user has to complete.
fn cards_text(board: &str) -> String {
    format!(
        "# Common settings of this lab's cards, for `xpuck card flash` (docs/flash.md).\n\
         # It will hold a passphrase: chmod 600 cards.toml\n\n\
         board = \"{board}\"\n\n\
         # Change this first: the arena's Wi-Fi. Without it, robots use a network cable.\n\
         # [wifi]\n\
         # name = \"arena\"\n\
         # passphrase = \"at least eight characters\"\n\
         # country = \"GB\"\n\n\
         # Fixed addresses: first robot; the others follow. Without them, the network assigns the addresses.\n\
         # [network]\n\
         # first = \"192.168.1.101/24\"\n\
         # gateway = \"192.168.1.1\"\n"
    )
}

/// Returns the thesis's experiment, with comments on its most important settings.
fn experiment() -> String {
    let notes = [
        ("minutes", "Change this first: length of the run [min of arena time]."),
        (
            "task",
            "Task that is scored. In its place, `world = \"FILE\"` names a world file with its own task \
             (docs/worlds.md).",
        ),
        (
            "[evolution]",
            "Evolution of trees on the robots. In its place, `controller_file = \"TREE.bt\"` makes them run one tree \
             as written.",
        ),
        ("evolution.population", "Number of trees on each robot; fewer are faster, but find worse solutions."),
    ];
    commented(
        TRANSPORT,
        "An experiment, started by `xpuck start transport.toml`. All keys: docs/experiments.md.",
        &notes,
    )
}

/// Returns the address at which other machines can reach this machine. If this machine has no route, returns an
/// example address. No packet is sent: the kernel only selects the source address of a route.
fn own_address() -> IpAddr {
    let ask = || -> std::io::Result<IpAddr> {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        // The address is from a block that is reserved for documentation, so no host has it.
        socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9))?;
        Ok(socket.local_addr()?.ip())
    };
    ask().unwrap_or(IpAddr::V4(Ipv4Addr::new(192, 168, 1, 2)))
}

/// Returns a text with the commands to type next.
fn next(args: &InitArgs, swarm: &Swarm) -> String {
    let folder = args.folder.display();
    let mut text = format!(
        "made {folder}, for {}, with keys\n\n  cd {folder}\n  xpuck check .\n",
        match swarm.robots.len() {
            1 => "one robot".into(),
            many => format!("{many} robots"),
        }
    );
    if args.kind() == Kind::Virtual {
        text += "\n\
                 each in its own terminal, in this folder:\n  \
                 xpuck serve arena --config arena.toml\n  \
                 xpuck serve hub --config hub.toml\n";
        for id in &swarm.robots {
            text += &format!("  xpuckd --config robots/{id}.toml\n");
        }
    } else {
        let cards = if args.board.is_some() { "Wi-Fi and addresses in cards.toml, " } else { "" };
        text += &format!(
            "\n\
             then set the values of your lab: {cards}`mocap` in hub.toml, hub.robots in swarm.toml ({}), and \
             `devices` of each robot\n\n",
            swarm.hub.robots
        );
        text += &match &args.board {
            Some(board) => format!(
                "a card for each robot (docs/flash.md):\n  sudo xpuck card build --board {board} --blobs FOLDER --output {board}.xpb\n  \
                 sudo xpuck card flash --all --image {board}.xpb --device /dev/sdX\n"
            ),
            None => "copy to each robot, into one folder with the same names: swarm.toml, robots/ID.toml, \
                     keys/hub.pub, keys/robots/ID.key, keys/robots/*.pub, keys/operators/operator.pub\n\n\
                     on each robot:\n  \
                     xpuckd --config robots/ID.toml --check\n  \
                     xpuckd --config robots/ID.toml\n"
                .into(),
        };
        text += "\non this machine:\n  xpuck serve hub --config hub.toml\n";
    }
    text += &format!("\nthen, in another terminal:\n  xpuck robot list\n  xpuck start {EXPERIMENT}\n");
    if let Some(console) = &swarm.hub.console {
        text += &format!("and open http://{console}\n");
    }
    text
}

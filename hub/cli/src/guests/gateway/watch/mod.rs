//! `xpuck dev watch`: shows the scene of any SimSpark or RSMP server from above.

mod drawing;
mod svg;

use crate::files::tree_file::write;
use crate::guests::gateway::address::{Place, addresses};
use crate::terminal::in_place::InPlace;
use crate::terminal::print_json;
use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Display;
use std::io::{ErrorKind, Read};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_gateway::client::{Client, Protocol};
use xpuck_gateway::frame::{Frames, LONGEST};
use xpuck_gateway::scene::Subject;
use xpuck_gateway::scene::top_view::Placed;
use xpuck_wire::{output, shutdown};

/// Time limit for connecting to one address of the server.
const CONNECT: Duration = Duration::from_secs(5);
/// Time without data from the server after which the command fails.
const SILENCE: Duration = Duration::from_secs(10);
/// Interval for checking for a stop request.
const LOOK: Duration = Duration::from_millis(100);
/// Minimum interval between two drawings on a terminal (`FRAME`), and between two lines of text output (`LINE`).
const FRAME: Duration = Duration::from_millis(100);
const LINE: Duration = Duration::from_secs(1);

/// Watch any SimSpark or RSMP server: draw its scene from above, or print it.
///
/// On a terminal, the field is redrawn continuously. Each robot has its number and an arrow in its heading, and the
/// ball is an O. In a pipe, one line per second is printed. Suitable servers are xpuck's own (`xpuck serve monitors`,
/// an arena's viewers), rcssserver3d and rcssservermj.
#[derive(Args)]
pub struct WatchArgs {
    /// Address of the server: rcssserver3d is at port 3200, rcssservermj at 60001.
    #[arg(value_name = "HOST:PORT")]
    server: Place,
    /// Protocol of the server [default: detected by the first message].
    #[arg(long)]
    protocol: Option<Spoken>,
    /// Draw one picture to this SVG file and end: the first scene, or the last scene after --seconds.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print each message as a JSON object, one on each line: time, play mode, score, robots, ball.
    #[arg(long)]
    json: bool,
    /// Duration after which the command ends (s), 0.1 to 86400.
    #[arg(long, value_parser = seconds)]
    seconds: Option<f64>,
}

/// Protocol of a server.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Spoken {
    /// SimSpark's monitor protocol.
    Simspark,
    /// RSMP 1.0.
    Rsmp,
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (0.1..=86_400.0).contains(number));
    number.ok_or_else(|| "must be 0.1 to 86400 seconds".into())
}

/// Runs the command.
///
/// # Errors
/// The server cannot be reached, sends nothing, or sends data that is not a scene.
pub fn run(args: &WatchArgs) -> Result<()> {
    let stop = shutdown::service_flag(Default::default())?;
    let mut stream = connect(&args.server)?;
    let protocol = args.protocol.map(|protocol| match protocol {
        Spoken::Simspark => Protocol::SimSpark,
        Spoken::Rsmp => Protocol::Rsmp,
    });
    let mut watched = Watched { client: Client::new(protocol), screen: Screen::from_args(args), last: None };
    let (mut frames, mut buffer) = (Frames::new(LONGEST), vec![0; 64 << 10]);
    let (began, mut heard) = (Instant::now(), Instant::now());
    let over = || args.seconds.is_some_and(|seconds| began.elapsed().as_secs_f64() >= seconds);
    'watch: while !stop.load(Ordering::Relaxed) && !output::reader_closed() && !over() {
        match stream.read(&mut buffer) {
            Ok(0) => bail!("{}: the server closed the connection", args.server),
            Ok(count) => frames.push(&buffer[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if heard.elapsed() > SILENCE {
                    bail!("{}: no data for {} s; is it a port for monitors?", args.server, SILENCE.as_secs());
                }
                continue;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error).with_context(|| args.server.to_string()),
        }
        heard = Instant::now();
        let odd = |error: &dyn Display| {
            anyhow!("{}: {error}; check that the port is for monitors and that --protocol is correct", args.server)
        };
        while let Some(message) = frames.next_message().map_err(|error| odd(&error))? {
            watched.client.apply(message).map_err(|error| odd(&error))?;
            if args.svg.is_some() && args.seconds.is_none() && watched.client.above().is_some() {
                break 'watch;
            }
            watched.show(&stop)?;
        }
    }
    if over() && watched.client.above().is_none() {
        bail!("{}: no scene was received before the end; increase --seconds", args.server);
    }
    let Some(path) = &args.svg else { return Ok(()) };
    let Some(picture) = svg::draw(&watched.client) else { bail!("{}: no scene was received", args.server) };
    write(path, picture.as_bytes())
}

fn connect(server: &Place) -> Result<TcpStream> {
    let mut last = anyhow!("{server}: the host name has no address");
    for address in addresses(server)? {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(stream) => {
                stream.set_read_timeout(Some(LOOK))?;
                return Ok(stream);
            }
            Err(error) => last = anyhow!("{server}: {error}; is the server running? `xpuck serve monitors` starts one"),
        }
    }
    Err(last)
}

/// Output of the received scenes.
enum Screen {
    /// Each scene as a JSON object.
    Json,
    /// Drawing on a terminal.
    Terminal(InPlace),
    /// One line of text per scene, at most one line per interval `LINE`.
    Lines,
    /// No text; the command writes an SVG file at its end.
    Dark,
}

impl Screen {
    fn from_args(args: &WatchArgs) -> Screen {
        match args {
            WatchArgs { json: true, .. } => Screen::Json,
            WatchArgs { svg: Some(_), .. } => Screen::Dark,
            _ if output::is_terminal() => Screen::Terminal(InPlace::default()),
            _ => Screen::Lines,
        }
    }
}

struct Watched {
    client: Client,
    screen: Screen,
    /// Time of the last output; `None` before the first output.
    last: Option<Instant>,
}

impl Watched {
    fn show(&mut self, stop: &AtomicBool) -> Result<()> {
        let every = match self.screen {
            Screen::Json => Duration::ZERO,
            Screen::Terminal(_) => FRAME,
            Screen::Lines => LINE,
            Screen::Dark => return Ok(()),
        };
        if stop.load(Ordering::Relaxed) || self.last.is_some_and(|last| last.elapsed() < every) {
            return Ok(());
        }
        self.last = Some(Instant::now());
        match &mut self.screen {
            Screen::Json => print_json(&Scene::from_client(&self.client))?,
            Screen::Terminal(place) => place.show(&drawing::lines(&self.client))?,
            Screen::Lines => output::line(drawing::head(&self.client))?,
            Screen::Dark => {}
        }
        Ok(())
    }
}

/// Scene after the last message, as printed by `--json`.
#[derive(Serialize, JsonSchema)]
pub struct Scene {
    /// Protocol of the server: `simspark` or `rsmp`; `null` if it is unknown.
    protocol: Option<String>,
    /// Time of the scene (s).
    time: f64,
    /// Play mode of the football game; `null` if the server sends none.
    play_mode: Option<String>,
    /// Score of the left and the right team.
    score: [u32; 2],
    /// Length and width of the field (m).
    field: [f64; 2],
    /// Robots of the scene.
    robots: Vec<SceneRobot>,
    /// Position of the ball: x, y and z (m); `null` if the scene has no ball.
    ball: Option<[f64; 3]>,
}

/// Robot of a scene.
#[derive(Serialize, JsonSchema)]
struct SceneRobot {
    /// Team of the robot.
    team: String,
    /// Number of the robot in its team.
    number: u32,
    /// Position along x (m).
    x: f64,
    /// Position along y (m).
    y: f64,
    /// Heading, counter-clockwise from x (rad).
    heading: f64,
    /// Whether the server marks the robot as visible.
    visible: bool,
}

impl Scene {
    fn from_client(client: &Client) -> Self {
        let above = client.above().unwrap_or_default();
        let robot = |one: &Placed| match &one.who {
            Subject::Ball => None,
            Subject::Agent(team, number) => Some(SceneRobot {
                team: team.clone(),
                number: *number,
                x: one.at[0],
                y: one.at[1],
                heading: one.heading,
                visible: one.visible,
            }),
        };
        let ball = above.placed.iter().find(|one| one.who == Subject::Ball);
        Scene {
            protocol: client.protocol().map(|protocol| protocol.name().to_lowercase()),
            time: client.time(),
            play_mode: client.play_mode().map(String::from),
            score: client.score(),
            field: client.field(),
            robots: above.placed.iter().filter_map(robot).collect(),
            ball: ball.map(|one| one.at),
        }
    }
}

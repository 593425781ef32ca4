//! `xpuck dev bench hub`: measures the delay between poses and the robots' senses.

use crate::engines::loads::hub::{LONGEST_S, RobotsLoad};
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use crate::terminal::wrong_argument;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use xpuck_wire::Security;
use xpuck_wire::keyring::{self, Role};
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::output;
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::Sockets;

/// Number of clock ticks per second in the processor times of `/proc/PID/stat`.
const TICKS: f64 = 100.0;
/// Time limit for the hub to bring all robots to RUN.
const PATIENCE: Duration = Duration::from_secs(20);
/// Waiting time between RUN and the start of the measurement.
const SETTLE: Duration = Duration::from_secs(1);
/// File of the experiment that runs during the measurement.
const EXPERIMENT: &str = "name = \"bench\"\nminutes = 60.0\nsegment_minutes = 10.0\ntask = \"transport\"\n";

/// Measure a hub: the delay between poses and the senses of many robots, and the cost of each robot.
///
/// A real hub process runs an experiment and records it. The hub reads 50 frames per second from a simulated Vicon
/// server, and sends senses without the usual added latency. Simulated robots answer the hub's pings and send telemetry
/// as real robots do. The send time is taken from the hub's metrics. All other times count from the moment at which the
/// Vicon server gets a frame until a robot has decoded its message.
#[derive(Args)]
pub struct HubBenchArgs {
    /// Number of robots, 1 to 200; several numbers are separated by commas.
    #[arg(long = "count", alias = "robots", value_delimiter = ',', default_values_t = [10, 50, 100, 200])]
    robots: Vec<usize>,
    /// Spacing of the robots in a square grid (m), 0.08 to 1.
    #[arg(long, default_value_t = 0.25)]
    spacing: f32,
    /// Duration of the measurement (s).
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// Number of open consoles that read all data sent to them, 0 to 100; several numbers are separated by commas. A
    /// console corresponds to a page in a browser.
    #[arg(long, value_delimiter = ',', default_values_t = [0])]
    consoles: Vec<usize>,
    /// Number of additional consoles that never read, 0 to 100.
    #[arg(long, default_value_t = 0)]
    stuck: usize,
    /// Measure without keys: sockets without CURVE, and an unsigned experiment.
    #[arg(long)]
    plain: bool,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct Measurement {
    robots: usize,
    consoles: usize,
    /// Data rate to a console (bytes/s).
    console_bytes: f64,
    neighbours: f64,
    messages: usize,
    lost: u64,
    hertz: f64,
    /// Time between a frame's arrival at the hub and the sending of the robots' senses: upper edge of the histogram bin
    /// with the 99th percentile (ms).
    send_p99_ms: f64,
    p50_ms: f64,
    p99_ms: f64,
    max_ms: f64,
    /// Processor use of the hub (% of one processor).
    cpu_percent: f64,
    /// Processor use of the hub, divided by the number of robots (% of one processor).
    cpu_percent_a_robot: f64,
}

/// Runs `xpuck dev bench hub`.
pub fn run(args: &HubBenchArgs) -> Result<()> {
    if !args.robots.iter().all(|n| (1..=200).contains(n)) {
        wrong_argument!("--count must be 1 to 200");
    }
    if !(0.08..=1.0).contains(&args.spacing) {
        wrong_argument!("--spacing must be 0.08 to 1");
    }
    // The time that the robots need to get ready reduces the maximum duration of the measurement.
    let longest = LONGEST_S - PATIENCE.as_secs_f64() - SETTLE.as_secs_f64();
    if !(1.0..=longest).contains(&args.seconds) {
        wrong_argument!("--seconds must be 1 to {longest}");
    }
    ensure!(args.consoles.iter().chain([&args.stuck]).all(|n| *n <= 100), "--consoles and --stuck must be 0 to 100");
    let cases = args.robots.iter().flat_map(|robots| args.consoles.iter().map(move |consoles| (*robots, *consoles)));
    for (i, (robots, consoles)) in cases.enumerate() {
        let progress = Progress::waiting("measuring", args.json);
        let measured = measure(robots, consoles, args, &progress)?;
        drop(progress);
        if args.json {
            print_json(&measured)?;
        } else {
            print(&measured, i == 0)?;
        }
    }
    Ok(())
}

fn print(m: &Measurement, first: bool) -> Result<()> {
    if first {
        output::line(
            "robots  consoles  neighbours  messages   lost     Hz  sent p99 ms  p50 ms  p99 ms  max ms    CPU  a robot",
        )?;
    }
    output::line(format_args!(
        "{:6} {:9} {:11.1} {:9} {:6} {:6.1} {:12.2} {:7.2} {:7.2} {:7.2} {:4.1} % {:6.2} %",
        m.robots,
        m.consoles,
        m.neighbours,
        m.messages,
        m.lost,
        m.hertz,
        m.send_p99_ms,
        m.p50_ms,
        m.p99_ms,
        m.max_ms,
        m.cpu_percent,
        m.cpu_percent_a_robot
    ))?;
    Ok(())
}

fn measure(robots: usize, consoles: usize, args: &HubBenchArgs, progress: &Progress) -> Result<Measurement> {
    let dir = tempfile::tempdir()?;
    let ids: Vec<String> = (1..=robots).map(|i| format!("xp{i:03}")).collect();
    let [robots_endpoint, operator, console] = free_endpoints()?;
    // The address allows the user to open the console, and to see how it performs with this number of robots.
    progress.note(format!("{robots} robots, {consoles} consoles, the page at http://{console}"));
    let load = RobotsLoad::new(ids.clone(), args.spacing)?;
    let security = Security { keys: dir.path().join("keys"), dev_mode: args.plain };
    if !args.plain {
        keyring::create_missing_pairs(&security.keys, &ids)?;
    }
    write(dir.path(), &ids, [&robots_endpoint, &operator, &console], &load.mocap().to_string(), args.plain)?;
    let hub = Hub::start(dir.path())?;
    let (mut cpu, mut send_p99_ms, mut console_bytes) = (0.0, 0.0, 0.0);
    let sockets = |id: &str| -> Result<Sockets> { Ok(Sockets::for_robot(&security, id)?) };
    let delays = load.run(&robots_endpoint, sockets, |measure| -> Result<[usize; 2]> {
        let (sockets, secret) = match args.plain {
            true => (Sockets::new(), None),
            false => {
                let key = keyring::path(&security.keys, Role::Operator, keyring::OPERATOR, "key");
                let (sockets, secret) = Sockets::for_operator(&key)?;
                (sockets, Some(secret))
            }
        };
        let link = sockets.operator(&operator, 5000)?;
        let signed = Signed::new(EXPERIMENT.into(), BTreeMap::new(), secret.as_ref())?;
        match link.ask(&Request::Start { signed, seed: 1 })? {
            Reply::Done => {}
            other => bail!("the hub did not start the run: {other:?}"),
        }
        let asked = Instant::now();
        while load.running() < robots {
            ensure!(asked.elapsed() < PATIENCE, "only {} of {robots} robots acknowledged RUN", load.running());
            std::thread::sleep(Duration::from_millis(20));
        }
        let watching = Consoles::open(&console, consoles, args.stuck)?;
        std::thread::sleep(SETTLE);
        let told = sent_within(&console)?;
        let (before, read, began) = (hub.cpu_seconds()?, watching.bytes(), Instant::now());
        let window = measure(Duration::from_secs_f64(args.seconds));
        send_p99_ms = quantile(&told, &sent_within(&console)?, 0.99);
        let seconds = began.elapsed().as_secs_f64();
        cpu = (hub.cpu_seconds()? - before) / seconds;
        console_bytes = (watching.bytes() - read) as f64 / seconds / consoles.max(1) as f64;
        let open = watching.open_still();
        ensure!(open == consoles, "only {open} of {consoles} consoles received events until the end");
        Ok(window)
    })?;
    ensure!(!delays.ms.is_empty(), "the hub sent no sensor values");
    let at = |part: f64| delays.ms[((delays.ms.len() - 1) as f64 * part).round() as usize];
    Ok(Measurement {
        robots,
        consoles,
        console_bytes,
        neighbours: delays.neighbours,
        messages: delays.ms.len(),
        lost: delays.lost,
        hertz: delays.hertz,
        send_p99_ms,
        p50_ms: at(0.5),
        p99_ms: at(0.99),
        max_ms: at(1.0),
        cpu_percent: 100.0 * cpu,
        cpu_percent_a_robot: 100.0 * cpu / robots as f64,
    })
}

/// Returns free local addresses for robots, operators and the console.
fn free_endpoints() -> Result<[String; 3]> {
    let bind = || TcpListener::bind("127.0.0.1:0");
    let listeners = [bind()?, bind()?, bind()?];
    let [a, b, c] = listeners.each_ref().map(TcpListener::local_addr);
    Ok([format!("tcp://{}", a?), format!("tcp://{}", b?), c?.to_string()])
}

fn write(
    dir: &Path,
    ids: &[String],
    [robots, operator, console]: [&str; 3],
    mocap: &str,
    dev_mode: bool,
) -> Result<()> {
    let swarm = format!(
        "robots = {ids:?}\n[hub]\nrobots = {robots:?}\noperator = {operator:?}\nconsole = {console:?}\n[security]\ndev_mode = {dev_mode}\n"
    );
    let hub = format!(
        "swarm = \"swarm.toml\"\n[mocap]\naddress = {mocap:?}\nfrisbee = \"frisbee\"\n[messages]\nlatency_s = 0.0\n\
         [record]\ndirectory = \"runs\"\n"
    );
    std::fs::write(dir.join("swarm.toml"), swarm)?;
    std::fs::write(dir.join("hub.toml"), hub)?;
    Ok(())
}

/// Reads the histogram of send times from the hub's metrics. Returns, for each upper edge (s), the number of messages
/// with senses sent within this time.
fn sent_within(console: &str) -> Result<Vec<(f64, f64)>> {
    let mut socket = TcpStream::connect(console)?;
    write!(socket, "GET /metrics HTTP/1.1\r\nHost: {console}\r\nConnection: close\r\n\r\n")?;
    let mut text = String::new();
    socket.read_to_string(&mut text)?;
    let bins = text.lines().filter_map(|line| line.strip_prefix("xpuck_senses_delay_seconds_bucket{le=\""));
    let bins = bins.filter_map(|line| line.split_once("\"} "));
    let bin = |(edge, count): (&str, &str)| {
        let edge = if edge == "+Inf" { f64::INFINITY } else { edge.parse()? };
        Ok((edge, count.trim().parse()?))
    };
    bins.map(bin).collect()
}

/// Returns the quantile `part` (0 to 1) of the send times between two readings of the hub's metrics. The result is the
/// upper edge of the histogram bin that contains the quantile (ms).
fn quantile(before: &[(f64, f64)], after: &[(f64, f64)], part: f64) -> f64 {
    let sent: Vec<(f64, f64)> = before.iter().zip(after).map(|(b, a)| (a.0, a.1 - b.1)).collect();
    let all = sent.last().map_or(0.0, |(_, count)| *count);
    let bin = sent.iter().find(|(_, count)| *count >= part * all);
    bin.map_or(f64::NAN, |(edge, _)| edge * 1000.0)
}

/// Simulated consoles: connections that receive events as the page in a browser does.
struct Consoles {
    told: Arc<AtomicU64>,
    ended: Arc<AtomicUsize>,
    readers: usize,
    sockets: Vec<TcpStream>,
}

impl Consoles {
    fn open(address: &str, readers: usize, stuck: usize) -> Result<Consoles> {
        let mut consoles = Consoles { told: Arc::default(), ended: Arc::default(), readers, sockets: Vec::new() };
        for number in 0..readers + stuck {
            let mut socket = TcpStream::connect(address)?;
            write!(socket, "GET /events?robot=xp001 HTTP/1.1\r\nHost: {address}\r\n\r\n")?;
            consoles.sockets.push(socket.try_clone()?);
            if number < readers {
                let (told, ended) = (consoles.told.clone(), consoles.ended.clone());
                std::thread::spawn(move || {
                    let mut piece = [0; 16384];
                    while let Ok(length @ 1..) = socket.read(&mut piece) {
                        told.fetch_add(length as u64, Ordering::Relaxed);
                    }
                    ended.fetch_add(1, Ordering::Relaxed);
                });
            }
        }
        Ok(consoles)
    }

    /// Returns the number of bytes that all consoles have received so far.
    fn bytes(&self) -> u64 {
        self.told.load(Ordering::Relaxed)
    }

    /// Returns the number of reading consoles whose connection is still open.
    fn open_still(&self) -> usize {
        self.readers - self.ended.load(Ordering::Relaxed)
    }
}

impl Drop for Consoles {
    fn drop(&mut self) {
        for socket in &self.sockets {
            // The hub may have closed the socket already.
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

/// Hub process, which is killed on drop.
struct Hub(Child);

impl Hub {
    fn start(dir: &Path) -> Result<Hub> {
        let mut hub = Hub(Command::new(std::env::current_exe()?)
            .args(["serve", "hub", "--end-with-stdin", "--config"])
            .arg(dir.join("hub.toml"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?);
        let mut line = String::new();
        BufReader::new(hub.0.stdout.take().context("the hub has no standard output")?).read_line(&mut line)?;
        ensure!(line == "ready\n", "the hub did not start");
        Ok(hub)
    }

    /// Returns the processor time that the hub has used so far (s).
    fn cpu_seconds(&self) -> Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.0.id()))?;
        // The program's name is enclosed in brackets and may contain spaces. Fields are therefore counted from the last
        // bracket.
        let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|f| f.parse().ok()).collect();
        ensure!(ticks.len() == 2, "/proc/{}/stat: has no processor times", self.0.id());
        Ok((ticks[0] + ticks[1]) / TICKS)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

//! `xpuck dev bench geneserver`: measures the answer times of a geneserver with many islands.

use crate::engines::loads::geneserver::Load;
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use crate::terminal::wrong_argument;
use anyhow::{Context, Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use xpuck_hub_service::admission::descriptors;
use xpuck_wire::keys::Secret;
use xpuck_wire::output;

/// Number of open files that a process needs besides the islands' sockets.
const OTHER_FILES: usize = 100;
/// Number of open files per connecting socket. ZeroMQ opens one file for the connection, and one for internal signals.
const FILES_A_SOCKET: usize = 2;

/// Measure a geneserver: its answer times with thousands of islands, and its memory.
///
/// A real server process is started, which saves its genes every few seconds. First, the server is filled as in a long
/// run: each island sends twice as many emigrants as the server keeps. Then each island sends once per period, with its
/// own phase. Answer times count from the moment at which an emigrant was due. They therefore include the delay of a
/// server that falls behind.
#[derive(Args)]
pub struct GeneserverBenchArgs {
    /// Number of islands, 1 to 10000.
    #[arg(long, default_value_t = 10_000)]
    islands: u16,
    /// Interval between two messages of an island (s).
    #[arg(long, default_value_t = 10.0)]
    period: f64,
    /// Duration of the measurement, after the server is full (s).
    #[arg(long, default_value_t = 30.0)]
    seconds: f64,
    /// Use sockets without encryption, for comparison.
    #[arg(long)]
    plain: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize, JsonSchema)]
pub struct Measurement {
    islands: u16,
    /// Number of sockets for all islands. Each island has its own socket, if the limit of open files is high enough.
    sockets: usize,
    seconds: f64,
    messages: usize,
    lost: u64,
    refused: u64,
    nodes_a_tree: f64,
    p50_ms: f64,
    p99_ms: f64,
    max_ms: f64,
    /// Memory of the server when filled, at the end of the load, and at its peak (MiB).
    server_mib: [f64; 3],
}

/// Runs `xpuck dev bench geneserver`.
pub fn run(args: &GeneserverBenchArgs) -> Result<()> {
    let fits = |value: f64, low: f64| (low..=3600.0).contains(&value);
    if !(1..=10_000).contains(&args.islands) || !fits(args.period, 0.1) || !fits(args.seconds, 0.5) {
        wrong_argument!("--islands must be 1 to 10000, --period 0.1 to 3600, and --seconds 0.5 to 3600");
    }
    let limit = descriptors::raise_limit();
    let files = (limit as usize).saturating_sub(OTHER_FILES) / FILES_A_SOCKET;
    let sockets = usize::from(args.islands).min(files.max(1)).min(descriptors::workers(limit).established);
    let server = Server::start(args.plain)?;
    let mut memory = [0.0; 3];
    let (period, length) = (Duration::from_secs_f64(args.period), Duration::from_secs_f64(args.seconds));
    let load = Load { islands: args.islands, sockets, key: server.key.clone(), period, length };
    let progress = Progress::waiting("measuring", args.json);
    let answers = load.run(&server.endpoint, || memory[0] = server.mib("VmRSS"))?;
    drop(progress);
    (memory[1], memory[2]) = (server.mib("VmRSS"), server.mib("VmHWM"));
    if answers.ms.is_empty() {
        bail!("no answer from the server at {}", server.endpoint);
    }
    let at = |part: f64| answers.ms[((answers.ms.len() - 1) as f64 * part).round() as usize];
    let messages = answers.ms.len();
    let measured = Measurement {
        islands: args.islands,
        sockets,
        seconds: args.seconds,
        messages,
        lost: answers.lost,
        refused: answers.refused,
        nodes_a_tree: answers.nodes as f64 / messages as f64,
        p50_ms: at(0.5),
        p99_ms: at(0.99),
        max_ms: at(1.0),
        server_mib: memory,
    };
    if args.json {
        print_json(&measured)?;
    } else {
        print(&measured)?;
    }
    Ok(())
}

fn print(m: &Measurement) -> Result<()> {
    output::line(format_args!(
        "{} islands through {} sockets; trees of {:.0} nodes on average",
        m.islands, m.sockets, m.nodes_a_tree
    ))?;
    output::line(format_args!(
        "{} messages in {:.0} s; {} lost, {} refused",
        m.messages, m.seconds, m.lost, m.refused
    ))?;
    output::line(format_args!(
        "answer after {:.2} ms (median), {:.2} ms (p99), {:.2} ms (longest)",
        m.p50_ms, m.p99_ms, m.max_ms
    ))?;
    let [full, end, most] = m.server_mib;
    output::line(format_args!(
        "the server's memory: {full:.0} MiB when full, {end:.0} MiB at the end, {most:.0} MiB at most"
    ))?;
    Ok(())
}

/// Server process, which is killed on drop.
struct Server {
    child: Child,
    endpoint: String,
    key: Option<Secret>,
    /// Folder to which the server saves its genes, as in normal operation.
    _dir: tempfile::TempDir,
}

impl Server {
    fn start(plain: bool) -> Result<Server> {
        let dir = tempfile::tempdir()?;
        let key = if plain { None } else { Some(Secret::generate("geneserver")?) };
        let file = dir.path().join("geneserver.key");
        let with_key = match &key {
            Some(key) => {
                key.write(&file)?;
                vec!["--key".as_ref(), file.as_os_str()]
            }
            None => Vec::new(),
        };
        let mut child = Command::new(std::env::current_exe()?)
            .args(["serve", "geneserver", "--listen", "tcp://127.0.0.1:*", "--json", "--end-with-stdin", "--dir"])
            .arg(dir.path())
            .args(with_key)
            .env_remove("XPUCK_GENESERVER_KEY")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut lines = BufReader::new(child.stdout.take().context("the server has no standard output")?).lines();
        let mut server = Server { child, endpoint: String::new(), key, _dir: dir };
        let first = lines.next().context("the server ended immediately")??;
        let json: serde_json::Value = serde_json::from_str(&first)?;
        server.endpoint = json["listening"].as_str().context("the server did not report its address")?.into();
        // The server's reports are read and dropped, because a full pipe would block the server.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(server)
    }

    /// Returns the value of the row `row` in the server's `/proc/PID/status` (MiB), or 0 if it cannot be read.
    fn mib(&self, row: &str) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix(row)).unwrap_or_default();
        line.trim_start_matches(':').split_whitespace().next().and_then(|kib| kib.parse().ok()).unwrap_or(0.0) / 1024.0
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! `xpuck study scale`.

use crate::files::tree_file::{print, write};
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::{Result, bail, ensure};
use clap::{Args, ValueEnum};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use xpuck_lab::scale::figure::draw;
use xpuck_lab::scale::law::Law;
use xpuck_lab::scale::network::Network;
use xpuck_lab::scale::topology::Topology;
use xpuck_lab::scale::traffic::Traffic;
use xpuck_lab::scale::{Plan, ScaleStudy, duration, steps, study};
use xpuck_stats::figure::Figure;
use xpuck_wire::output::count;
use xpuck_wire::shutdown::service_flag;

/// Scale: model up to millions of islands around one geneserver, below a tree of geneservers, or as peers.
///
/// No tree is evolved: the fitness of an island increases by a law fitted to measured runs. Islands exchange genes once
/// per period over a network with delays, where volunteers join and leave. For each topology, the table has the time
/// until a new best gene is on half, on nine of ten and on all islands (takeover). It also has the messages per second,
/// the load of the busiest server, and the fitness of the champions at the end. JSON adds the mean age of genes on
/// arrival. The last row has the same islands without exchange. docs/cluster/scale.md lists the simplifications of the
/// model.
#[derive(Args)]
pub struct ScaleArgs {
    /// Number of islands.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(2..=16_000_000))]
    islands: u32,
    /// Topologies, separated by commas: star, tree:FAN-OUT, ring, regular:DEGREE, complete.
    #[arg(
        long,
        value_name = "NAME,...",
        value_delimiter = ',',
        default_value = "star,tree:10,tree:32,tree:100,regular:4,ring"
    )]
    topologies: Vec<Topology>,
    /// Network between islands.
    #[arg(long, value_enum, default_value_t = NetworkArg::Volunteers)]
    network: NetworkArg,
    /// Law by which islands improve.
    #[arg(long, value_enum, default_value_t = LawArg::Steps)]
    law: LawArg,
    /// Duration of an island's generation, after which it exchanges genes (s), 0.1 to 86400.
    #[arg(long, default_value_t = 10.0)]
    period: f64,
    /// Number of generations.
    #[arg(long, default_value_t = 180, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    generations: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also write the figure as SVG to this file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object; hide the progress.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum NetworkArg {
    /// One cluster: a delay of 0.1 ms, and no island leaves.
    Cluster,
    /// A local network: a delay of 0.2 ms, and no island leaves.
    Lan,
    /// Volunteers over the internet: a median delay of 40 ms with a long tail; four hours online, two offline.
    Volunteers,
}

#[derive(Clone, Copy, ValueEnum)]
enum LawArg {
    /// Each success builds on the island's own champion.
    Steps,
    /// Each generation is a draw that does not depend on the champion.
    Draws,
}

/// Runs `xpuck study scale`.
pub fn run(args: &ScaleArgs) -> Result<()> {
    if !(0.1..=86_400.0).contains(&args.period) {
        bail!("--period {}: must be 0.1 to 86400 s", args.period);
    }
    let mut topologies: Vec<Topology> = Vec::new();
    for topology in &args.topologies {
        if let Topology::Regular(degree) = topology {
            ensure!(
                *degree < args.islands as usize,
                "--topologies regular:{degree}: the degree is too high; {} have at most {} neighbours each",
                count(args.islands as usize, "island", "islands"),
                args.islands - 1
            );
        }
        if !topologies.contains(topology) {
            topologies.push(*topology);
        }
    }
    let network = match args.network {
        NetworkArg::Cluster => Network::Cluster,
        NetworkArg::Lan => Network::Lan,
        NetworkArg::Volunteers => Network::Volunteers,
    };
    let law = match args.law {
        LawArg::Steps => Law::Steps,
        LawArg::Draws => Law::Draws,
    };
    let (islands, period, generations, seed) = (args.islands as usize, args.period, args.generations, args.seed);
    let plan = Plan { islands, network, period, generations, law, seed };
    let stop = service_flag(Default::default())?;
    let progress = Progress::steps("generation", steps(&plan, topologies.len()), args.json);
    let found = study(&plan, &topologies, &|| {
        progress.inc();
        stop.load(Ordering::Relaxed)
    });
    drop(progress);
    let Some(found) = found else { bail!("stopped; nothing was written") };
    if let Some(path) = &args.svg {
        write(path, draw(&found).as_bytes())?;
    }
    match args.json {
        true => print_json(&found),
        false => print(text(&found).as_bytes()),
    }
}

fn text(found: &ScaleStudy) -> String {
    let mut text = String::from(
        "topology    geneservers  50 % have gene         90 %        100 %  messages/s   bytes/s    load    best    \
         mean  median\n",
    );
    for row in &found.rows {
        let time = |value: Option<f64>| value.map_or(String::new(), duration);
        let traffic = |of: fn(&Traffic) -> String| row.traffic.as_ref().map_or(String::new(), of);
        let load = match row.servers {
            0 => "-".into(),
            _ => traffic(|t| format!("{:.1} %", 100.0 * t.load)),
        };
        let last = row.course.last();
        let _ = writeln!(
            text,
            "{:<10}  {:>11}  {:>14}  {:>11}  {:>11}  {:>10}  {:>8}  {load:>6}  {:>6.4}  {:>6.4}  {:>6.4}",
            row.topology,
            grouped(row.servers as u64),
            time(row.takeover.map(|t| t.half)),
            time(row.takeover.map(|t| t.most)),
            time(row.takeover.map(|t| t.all)),
            traffic(|t| grouped(t.messages.round() as u64)),
            traffic(|t| format!("{:.0} MB", t.bytes / 1e6)),
            Figure(last.map_or(0.0, |s| s.best)),
            Figure(last.map_or(0.0, |s| s.mean)),
            Figure(last.map_or(0.0, |s| s.median))
        );
    }
    let _ = writeln!(text, "\n{}.", found.sentence());
    text
}

/// Formats an integer with spaces between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let pieces = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    pieces.collect::<Vec<_>>().join(" ")
}

//! `xpuck serve geneserver`: a geneserver for islands in separate processes.

use crate::files::tree_file::refuse_over;
use crate::terminal::report_json;
use anyhow::{Context, Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;
use toml::{Table, Value};
use xpuck_hub_core::geneserver::{Broker, Gate, Status};
use xpuck_hub_service::geneserver::{self, AboveOptions, Options, ServerOutput};
use xpuck_lab::evolution_run::file as evolution_file;
use xpuck_wire::event_at;
use xpuck_wire::keys::Secret;
use xpuck_wire::log::{self, Line};
use xpuck_wire::output::count;
use xpuck_wire::shutdown;
use xpuck_wire::shutdown::TRY_AGAIN;

/// Exchange genes between islands on any number of machines. Start the islands with `xpuck serve island`.
///
/// The server stores the latest emigrants of each island. It answers an island with emigrants of other islands, as
/// --policy defines. Islands may connect, leave and return at any time, and continue alone while the server is down.
/// With --dir, the server keeps its state over a restart. Without --dir, it recovers the state from the islands
/// within a few generations.
///
/// With --above, the server acts as an island of another geneserver, the upper server. An upper server may have an
/// upper server itself. Once a second, the server sends the best tree of its islands to the upper server, and
/// distributes the trees that it receives from there. While the upper server is down, the server continues alone.
/// Island numbers identify genes, so each lower server needs its own range of numbers (--numbers). The upper server
/// knows the lower server as an island with the first number of the range.
///
/// Exit codes: 0 when the number of islands in --islands is done, or no message has arrived for the time in --idle;
/// 75 ("try again") when SIGTERM ended the server before.
#[derive(Args)]
pub struct GeneserverArgs {
    /// Evolution file (.toml) of the islands: its algorithm, seed and `[migration]` define the exchange of genes.
    file: Option<PathBuf>,
    /// ZeroMQ endpoint to listen on. Port `*` selects a free port, which is printed.
    #[arg(long, default_value = "tcp://127.0.0.1:7610")]
    listen: String,
    /// Write the address to this file at the start, for `xpuck serve island --address-file`. If the server listens on
    /// all addresses, the file contains the machine's name.
    #[arg(long, value_name = "FILE")]
    address_file: Option<PathBuf>,
    /// End when this number of islands is done.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    islands: Option<u16>,
    /// With --islands: end also if no message arrives for this time (s).
    #[arg(long, default_value_t = 3600, value_name = "SECONDS")]
    idle: u64,
    /// Exchange policy: full, ring, near, random or none.
    #[arg(long)]
    policy: Option<String>,
    /// Override a key of the evolution file, as in `--set migration.keep=4`; can be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Key file that the geneserver and its islands share, made by `xpuck keys make`.
    #[arg(long, value_name = "FILE", env = "XPUCK_GENESERVER_KEY")]
    key: Option<PathBuf>,
    /// Endpoint of the upper geneserver.
    #[arg(long, value_name = "ADDR", requires = "numbers")]
    above: Option<String>,
    /// Key file that the upper geneserver shares with its lower servers [default: that of --key].
    #[arg(long, value_name = "FILE", requires = "above")]
    above_key: Option<PathBuf>,
    /// Range of island numbers that this server accepts [default: 0-65534].
    #[arg(long, value_name = "FIRST-LAST", value_parser = numbers)]
    numbers: Option<RangeInclusive<u16>>,
    /// Folder for the server's state, saved every few seconds.
    #[arg(long)]
    dir: Option<PathBuf>,
    /// Print one JSON object per line: the endpoint, the status every ten seconds, and the final status.
    #[arg(long)]
    json: bool,
    /// End when standard input is closed.
    #[arg(long, hide = true, alias = "lifeline")]
    end_with_stdin: bool,
}

/// Runs the command.
pub fn run(args: &GeneserverArgs) -> Result<ExitCode> {
    refuse_over(&args.file, &args.address_file)?;
    if let Some(above) = &args.above {
        check_above(above, &args.listen)?;
    }
    let mut overrides = evolution_file::keys(&args.set)?;
    if let Some(policy) = &args.policy {
        let migration = Table::from_iter([("policy".to_string(), Value::String(policy.clone()))]);
        evolution_file::merge(&mut overrides, Table::from_iter([("migration".to_string(), Value::Table(migration))]));
    }
    let config = evolution_file::load(args.file.as_deref(), overrides)?;
    let configuration = config.fingerprint();
    let mut broker = Broker::new(config.geneserver(), Gate::new(config.primitive_set.clone()));
    let number = args.numbers.as_ref().map_or(0, |numbers| *numbers.start());
    if let Some(numbers) = args.numbers.clone() {
        broker = broker.of_numbers(numbers);
    }
    let (listen, dir, idle) = (args.listen.clone(), args.dir.clone(), Duration::from_secs(args.idle));
    let key = args.key.as_deref().map(Secret::read).transpose()?;
    let above_key = args.above_key.as_deref().map(Secret::read).transpose()?.or_else(|| key.clone());
    let primitive_set = config.primitive_set;
    let above = args.above.clone().map(|endpoint| AboveOptions { endpoint, key: above_key, number, primitive_set });
    let address_file = args.address_file.clone();
    let options =
        Options { listen, address_file, key, dir, islands: args.islands.map(usize::from), idle, configuration, above };
    let stop =
        shutdown::service_flag(shutdown::ShutdownTriggers { with_stdin: args.end_with_stdin, ..Default::default() })?;
    xpuck_hub_service::heap::give_back_regularly()?;
    let (status, done) = geneserver::run(&options, broker, &stop, |what| print_output(&what, args.json))?;
    if args.json {
        report_json(&Report::End { ended: &status, done });
    } else {
        log::print(sentence(&status));
    }
    let unfinished = args.islands.is_some() && !done && stop.load(Ordering::Relaxed);
    Ok(if unfinished { ExitCode::from(TRY_AGAIN) } else { ExitCode::SUCCESS })
}

/// Rejects an address of the upper server that is invalid or is this server's own address.
fn check_above(above: &str, listen: &str) -> Result<()> {
    let port = above.strip_prefix("tcp://").and_then(|rest| rest.rsplit_once(':'));
    if !port.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0)) {
        bail!("--above {above}: expected tcp://HOST:PORT, with a port from 1 to 65535");
    }
    if above == listen {
        bail!("--above {above}: is the server's own address; set the address of the upper server");
    }
    Ok(())
}

fn numbers(text: &str) -> Result<RangeInclusive<u16>> {
    let parsed = text.split_once('-').and_then(|(first, last)| Some(first.parse().ok()?..=last.parse().ok()?));
    let numbers: RangeInclusive<u16> = parsed.with_context(|| format!("`{text}`: expected a range such as 100-199"))?;
    if numbers.is_empty() || *numbers.end() == u16::MAX {
        bail!("`{text}`: the first number must not exceed the last, and the last must be at most 65534");
    }
    Ok(numbers)
}

/// Output line of `--json`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Report<'a> {
    /// Line at the start.
    Listening {
        /// Endpoint at which the server listens.
        listening: &'a str,
    },
    /// Line that is printed every ten seconds.
    Status(&'a Status),
    /// Line at the end.
    End {
        /// Final status.
        ended: &'a Status,
        /// Whether all islands were done.
        done: bool,
    },
}

fn print_output(what: &ServerOutput<'_>, json: bool) {
    match what {
        ServerOutput::Listening(endpoint) if json => report_json(&Report::Listening { listening: endpoint }),
        ServerOutput::Listening(endpoint) => log::print(format_args!("listening at {endpoint}")),
        ServerOutput::Report(status) if json => report_json(&Report::Status(status)),
        ServerOutput::Report(status) => log::print(sentence(status)),
        ServerOutput::Note(Line { level, text }) => event_at!(*level, target: "geneserver", "{text}"),
    }
}

fn sentence(status: &Status) -> String {
    let Status { islands, done, exchanges, refused, heterogeneity } = status;
    format!(
        "{}, {done} of them done; {}, {refused} refused; {}: {:.0} % different trees, {:.0} % born on other islands",
        count(*islands, "island", "islands"),
        count(*exchanges as usize, "exchange", "exchanges"),
        count(heterogeneity.emigrants, "recent emigrant", "recent emigrants"),
        100.0 * heterogeneity.distinct,
        100.0 * heterogeneity.foreign
    )
}

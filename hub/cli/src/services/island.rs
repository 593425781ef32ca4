//! `xpuck serve island`: evolution of one island in its own process, which any job scheduler can start.

use crate::engines::engine::EngineArgs;
use crate::evolution::evolve::percent;
use crate::terminal::report_json;
use anyhow::{Error, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use toml::{Table, Value};
use xpuck_hub_service::geneserver::{Link, address_in};
use xpuck_kernels::engine::ChosenEngine;
use xpuck_lab::engine::open as open_engine;
use xpuck_lab::evolution_run::file as evolution_file;
use xpuck_lab::evolution_run::{Config, Ended, EvolutionRun, Folder, Outcome, Resumed, run_with};
use xpuck_stats::figure::Figure;
use xpuck_wire::event_at;
use xpuck_wire::keys::Secret;
use xpuck_wire::log::{self, Line};
use xpuck_wire::shutdown::{self, TRY_AGAIN};
use xpuck_wire::socket::Sockets;

/// Interval between two status lines.
const REPORT: Duration = Duration::from_secs(10);
/// Maximum wait until the geneserver acknowledges the island's end, if the server answered during this process.
const DONE_TIMEOUT: Duration = Duration::from_secs(120);
/// Maximum wait for the acknowledgement of the island's end, if the geneserver never answered during this process, or
/// if an earlier process has completed the island's evolution.
const SHORT_DONE_TIMEOUT: Duration = Duration::from_millis(500);

/// Evolve one island, exchanging genes with other island processes through a geneserver.
///
/// A scheduler may start this program any number of times. In a new folder, the program starts a new evolution. After
/// an interruption, it continues from the last generation. If all generations are done, it ends immediately.
/// Evolution continues while the geneserver is down. Every generation is saved before the next one begins, so `kill
/// -9` loses only the generation in progress.
///
/// Exit codes: 0 if all generations are done; 75 after SIGTERM or Ctrl-C, which end the program within 5 s (start it
/// again to continue); 1 after an error that a restart does not fix.
#[derive(Args)]
#[command(after_help = "The geneserver: xpuck serve geneserver. For Slurm and HyperQueue: docs/cluster/README.md")]
pub struct IslandArgs {
    /// Evolution file (.toml), as for `xpuck evolve`. It is only needed at the first start. All its keys are
    /// optional.
    file: Option<PathBuf>,
    /// Endpoint of the geneserver.
    #[arg(long, value_name = "ADDR", default_value = "tcp://127.0.0.1:7610")]
    hub: String,
    /// File to which the geneserver writes its address (`xpuck serve geneserver --address-file`), in place of --hub.
    /// While the server is down, the island reads the file again, in case the address has changed.
    #[arg(long, value_name = "FILE", conflicts_with = "hub")]
    address_file: Option<PathBuf>,
    /// Number of the island, 0 to 9999. The number and the seed of the evolution file determine the island's random
    /// numbers.
    #[arg(long, value_name = "K")]
    island: u16,
    /// Key file that the geneserver and its islands share, made by `xpuck keys make`.
    #[arg(long, value_name = "FILE", env = "XPUCK_GENESERVER_KEY")]
    key: Option<PathBuf>,
    /// Folder for the island's checkpoints, record, final trees and result. It is created if missing.
    #[arg(long, value_name = "DIR")]
    resume: PathBuf,
    /// Override a key of the evolution file, as in `--set settings.elite=0.3`; can be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Print one JSON object at the end, without progress.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &IslandArgs) -> Result<ExitCode> {
    let dir = &args.resume;
    let stop = shutdown::computation_flag(format!("xpuck: island {}: {}", args.island, resume_hint(dir)))?;
    let (mut evolution, mut folder) = open(args)?;
    let key = args.key.as_deref().map(Secret::read).transpose()?;
    let sockets = Sockets::for_worker(key.as_ref())?;
    let known = args.address_file.as_deref().and_then(address_in);
    let hub = known.as_ref().unwrap_or(&args.hub);
    let mut link = Link::open(sockets, hub, args.island, evolution.config().primitive_set.clone())?;
    if let Some(file) = &args.address_file {
        link = link.with_address_file(file.clone());
    }
    let say = |link: &mut Link| {
        for Line { level, text } in link.take_notes() {
            event_at!(level, target: "island", number = args.island, "{text}");
        }
    };
    if evolution.is_done() && Folder::is_finished(dir) {
        // The server may not know yet that the island has ended. A short wait is enough, because an earlier process
        // has already waited for the acknowledgement.
        link.done(evolution.state().generation, SHORT_DONE_TIMEOUT);
        log::print(format_args!("island {} is done: see {}", args.island, dir.display()));
        return Ok(ExitCode::SUCCESS);
    }
    link.join(evolution.state().generation);
    if let Some(why) = link.refused() {
        bail!("the geneserver at {hub} refuses island {}: {why}", args.island);
    }
    let mut report = Instant::now() + REPORT;
    let step = |evolution: &mut EvolutionRun| {
        let generation = evolution.state().generation;
        let exchange = generation > 0 && evolution.config().migration.due(generation);
        let immigrants = match exchange {
            true => link.exchange(generation, &evolution.state().islands[0].emigrant()),
            false => Vec::new(),
        };
        say(&mut link);
        evolution.step_with(&immigrants)
    };
    let ended = run_with(&mut evolution, Some(&mut folder), &stop, step, |evolution| {
        for notice in evolution.engine().drain_notices() {
            log::print(format_args!("island {}: {}", args.island, notice.text));
        }
        if !args.json && Instant::now() >= report {
            report = Instant::now() + REPORT;
            log::print(sentence(args.island, evolution));
        }
    })?;
    if ended == Ended::Stopped {
        log::write_raw(format_args!("xpuck: {}; {}", sentence(args.island, &evolution), resume_hint(dir)));
        return Ok(ExitCode::from(TRY_AGAIN));
    }
    let outcome = Outcome::from_evolution(&evolution)?;
    folder.finish(&evolution, &outcome)?;
    // The server may be restarting. Without a report of this island's end, it would wait for the island forever.
    let patience = if link.met() { DONE_TIMEOUT } else { SHORT_DONE_TIMEOUT };
    link.done(evolution.state().generation, patience);
    say(&mut link);
    if args.json {
        report_json(&outcome);
    } else {
        log::print(format_args!(
            "{}; re-measured {:.3}",
            sentence(args.island, &evolution),
            Figure(outcome.remeasured_mean)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the island's run. Starts a new run if the folder holds no run; else resumes the run in the folder.
fn open(args: &IslandArgs) -> Result<(EvolutionRun, Folder)> {
    let dir = &args.resume;
    let fresh = !Folder::holds_run(dir);
    if fresh || args.file.is_some() || !args.set.is_empty() {
        let mut table = Table::from_iter([("island".to_string(), Value::Integer(i64::from(args.island)))]);
        evolution_file::merge(&mut table, evolution_file::keys(&args.set)?);
        let config = evolution_file::load(args.file.as_deref(), table)?;
        if fresh {
            let config = Config { engine: args.engine.over(&config.engine), ..config };
            let engine = engine(args, &config)?;
            let folder = Folder::create(dir, &config)?;
            return Ok((EvolutionRun::new(config).on(engine), folder));
        }
        let kept = Folder::config(dir)?;
        if kept.fingerprint() != config.fingerprint() {
            bail!(
                "{}: contains a run with another configuration (see its run.toml); choose another folder",
                dir.display()
            );
        }
    }
    let Resumed { folder, evolution, notices } = Folder::resume(dir)?;
    notices.iter().for_each(|notice| log::write_raw(format_args!("xpuck: {notice}")));
    if evolution.config().island != Some(args.island) {
        bail!("{}: contains the run of an island other than {}; choose another folder", dir.display(), args.island);
    }
    let engine = engine(args, evolution.config())?;
    let other = folder.other_engine(&engine.status());
    other.into_iter().for_each(|notice| log::write_raw(format_args!("xpuck: {notice}")));
    Ok((evolution.on(engine), folder))
}

/// Opens the engine. Command-line options take precedence over the run's configuration.
fn engine(args: &IslandArgs, config: &Config) -> Result<ChosenEngine> {
    open_engine(args.engine.over(&config.engine), &[&config.spec]).map_err(Error::msg)
}

fn resume_hint(dir: &Path) -> String {
    format!("stopped; continue with --resume {}", dir.display())
}

fn sentence(island: u16, evolution: &EvolutionRun) -> String {
    let (generation, percent) = (evolution.state().generation, percent(evolution));
    let progress = evolution.state().islands[0].progress();
    format!("island {island}: generation {generation}, {percent} % of the run, best {:.3}", Figure(progress.derated))
}

//! Ports to which viewers connect. The options are the same for all commands that serve viewers.

use crate::terminal::report_json;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use tracing::{info, warn};
use xpuck_gateway::monitors::pair::{MonitorInput, MonitorServers};
use xpuck_wire::log;

/// Maximum number of trainers' commands that are read per cycle. All these commands are rejected.
pub const ROOM: usize = 1000;

/// Line that a server for viewers prints with `--json`.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Report {
    /// At the start: addresses of the server.
    Listening {
        /// Address by protocol.
        listening: BTreeMap<String, String>,
    },
    /// At the end: counts of the whole session.
    End {
        /// Number of rejected connections.
        connections_refused: u64,
        /// Number of rejected trainer commands.
        commands_refused: u64,
        /// Number of messages that could not be parsed.
        errors: u64,
    },
}

/// Ports for viewers of both protocols, SimSpark's and RSMP.
#[derive(Args)]
pub struct ViewerPorts {
    /// Port of SimSpark's protocol; 0 selects a free one.
    #[arg(long, default_value_t = 3200)]
    simspark: u16,
    /// Do not serve SimSpark's protocol.
    #[arg(long, conflicts_with = "simspark")]
    no_simspark: bool,
    /// Port of RSMP; 0 selects a free one.
    #[arg(long, default_value_t = 60001)]
    rsmp: u16,
    /// Do not serve RSMP.
    #[arg(long, conflicts_with = "rsmp")]
    no_rsmp: bool,
    /// Address of this machine to serve at; 0.0.0.0 for all addresses. Clients are not authenticated.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
}

impl ViewerPorts {
    /// Starts to listen on the ports.
    ///
    /// # Errors
    /// Both protocols are disabled, or an address is in use.
    pub fn listen(&self) -> Result<MonitorServers> {
        if self.no_simspark && self.no_rsmp {
            bail!("--no-simspark and --no-rsmp leave nothing to serve; leave one of them out");
        }
        let at = |port: u16, left_out: bool| (!left_out).then(|| SocketAddr::new(self.host, port));
        let pair = MonitorServers::listen(at(self.simspark, self.no_simspark), at(self.rsmp, self.no_rsmp));
        pair.map_err(|(at, error)| anyhow!("{at}: {error}; choose other ports with --simspark PORT and --rsmp PORT"))
    }

    /// Prints the addresses of the server.
    ///
    /// # Errors
    /// The addresses cannot be determined.
    pub fn print_addresses(&self, pair: &MonitorServers, as_json: bool) -> Result<()> {
        let places = pair.addresses()?;
        if !self.host.is_loopback() {
            warn!(target: "monitors", "{} has no authentication: any client may watch", self.host);
        }
        if as_json {
            let places = places.iter().map(|(protocol, at)| (protocol.name().to_lowercase(), at.to_string()));
            report_json(&Report::Listening { listening: places.collect() });
        } else {
            let places: Vec<String> =
                places.iter().map(|(protocol, at)| format!("{at} ({})", protocol.name())).collect();
            log::print(format_args!("serving viewers at {} until Ctrl-C", places.join(" and ")));
        }
        Ok(())
    }
}

/// Logs the viewers' events of a cycle, within the log's rate limit. Returns the number of trainers' commands, all of
/// which are rejected.
pub fn refuse(pair: &mut MonitorServers, heard: &MonitorInput) -> u64 {
    heard.told.iter().for_each(|line| info!(target: "monitors", "{line}"));
    let lines = heard.commands.iter().map(|(_, command)| {
        format!(
            "a trainer's `{}` is refused; only a virtual arena with `trainers = true` accepts it (docs/gateway.md)",
            command.name()
        )
    });
    let lines = pair.limited(lines.collect());
    lines.iter().for_each(|line| warn!(target: "monitors", "{line}"));
    heard.commands.len() as u64
}

/// Prints the counts of the session at its end.
pub fn tell_counts(pair: &MonitorServers, refused: u64, as_json: bool) {
    let counts = pair.counts();
    match as_json {
        true => {
            let (connections_refused, errors) = (counts.refused, counts.errors);
            report_json(&Report::End { connections_refused, commands_refused: refused, errors });
        }
        false => log::print(format_args!("{refused} commands of trainers were refused")),
    }
}

/// Parses a playback speed relative to real time (0.1 to 100).
///
/// # Errors
/// The text is not a number, or the number is out of range. The error states the range.
pub fn speed(text: &str) -> Result<f64, String> {
    number(text, 0.1, 100.0)
}

/// Parses a message rate (Hz, 1 to 100).
///
/// # Errors
/// The text is not a number, or the number is out of range. The error states the range.
pub fn rate(text: &str) -> Result<f64, String> {
    number(text, 1.0, 100.0)
}

fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (least..=most).contains(number));
    number.ok_or_else(|| format!("must be a number from {least} to {most}"))
}

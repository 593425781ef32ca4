//! `xpuck swarm note` adds notes to the events. `xpuck robot identify|hold|release|reboot` sends orders to single
//! robots.

use crate::link::hub_address::{HubAddress, have, status};
use crate::terminal::print_json;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::time::{Duration, Instant};
use xpuck_wire::message::{Order, Reply, Request};
use xpuck_wire::output::{self, count};
use xpuck_wire::socket::OperatorLink;
use xpuck_wire::{RobotRow, Status, escape, quote_input};

/// Maximum wait until the robots have carried out an order (wall time).
const ACK_TIMEOUT: Duration = Duration::from_secs(3);
/// Interval between two status requests (wall time).
const EVERY: Duration = Duration::from_millis(50);
/// Maximum length of a robot's id (characters).
const LONGEST_ID: usize = 32;
/// Argument that stands for all robots of the swarm.
const ALL: &str = "all";

/// Add a note to the events of the run. The note is shown, logged and recorded with your name.
#[derive(Args)]
pub struct NoteArgs {
    /// Text of the note, at most 500 characters.
    #[arg(required = true)]
    text: Vec<String>,
    #[command(flatten)]
    address: HubAddress,
}

/// Adds a note.
///
/// # Errors
/// The hub refuses the note or is silent.
pub fn note(args: &NoteArgs) -> Result<()> {
    let (link, _) = args.address.open()?;
    have(&link, &Request::Note { text: args.text.join(" ") })?;
    Ok(output::line("noted")?)
}

/// Options of all commands that send orders to robots.
#[derive(Args)]
pub struct OrderArgs {
    /// Ids of the robots, or `all`.
    #[arg(required = true, value_name = "ROBOT")]
    robots: Vec<String>,
    /// Print one row for each robot as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Result of an order to one robot.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// Id of the robot.
    robot: String,
    /// Whether the hub accepted the order, and the robot carried it out as far as this can be observed.
    done: bool,
    /// Description of the result, as text.
    said: String,
}

/// Sends an order to the robots in `args`, and prints the results.
///
/// # Errors
/// The hub is silent, or a robot does not carry out the order.
pub fn order(args: &OrderArgs, order: Order) -> Result<()> {
    order_robots(&args.robots, args.json, &args.address, order)
}

/// Sends an order to the robots with the given ids, and prints the results. `all` stands for all robots to which the
/// order applies.
///
/// # Errors
/// Errors of [`order`].
pub fn order_robots(robots: &[String], json: bool, address: &HubAddress, order: Order) -> Result<()> {
    check_names(robots)?;
    let (link, _) = address.open()?;
    let robots = resolve_robots(robots, &status(&link)?, order);
    let mut rows = Vec::new();
    for robot in &robots {
        let request = Request::Order { robot: robot.clone(), order };
        let refused = match link.ask(&request)? {
            Reply::Refused(why) => Some(escape(&why)),
            Reply::DoneBut(what) => {
                output::print_error(format_args!("xpuck: robot {robot}: {}", escape(&what)));
                None
            }
            _ => None,
        };
        rows.push(Row { robot: robot.clone(), done: refused.is_none(), said: refused.unwrap_or_default() });
    }
    see(&link, order, &mut rows)?;
    if json {
        print_json(&rows)?;
    } else {
        rows.iter().try_for_each(|row| output::line(format_args!("{}: {}", escape(&row.robot), row.said)))?;
        if rows.is_empty() {
            output::line("no robot is held")?;
        }
    }
    let failed: Vec<String> = rows.iter().filter(|row| !row.done).map(|row| escape(&row.robot)).collect();
    match failed.is_empty() {
        true => Ok(()),
        false => {
            bail!("not done by {} of {}: {}", failed.len(), count(rows.len(), "robot", "robots"), failed.join(", "))
        }
    }
}

/// Validates the robots' ids before a request is sent.
///
/// # Errors
/// An id is empty, or is longer than 32 characters.
pub fn check_names(robots: &[String]) -> Result<()> {
    if robots.iter().any(String::is_empty) {
        bail!("a robot's id is empty; expected an id such as xp01");
    }
    match robots.iter().find(|robot| robot.chars().count() > LONGEST_ID) {
        Some(long) => bail!("{}: a robot's id has at most {LONGEST_ID} characters", quote_input(long)),
        None => Ok(()),
    }
}

/// Returns the ids of the robots that receive the order. `all` stands for the robots to which the order applies, such
/// as held robots for a release.
fn resolve_robots(named: &[String], status: &Status, order: Order) -> Vec<String> {
    if named != [ALL] {
        return named.to_vec();
    }
    let meant = |robot: &&RobotRow| match order {
        Order::Release => robot.held,
        Order::Hold | Order::Pause | Order::Replace => true,
        Order::Identify | Order::Reboot => robot.alive,
    };
    status.robots.iter().filter(meant).map(|robot| robot.id.clone()).collect()
}

/// Waits until the result of each row is known or [`ACK_TIMEOUT`] has passed, and writes the results to the rows.
/// Rows that already have a result are kept.
fn see(link: &OperatorLink, order: Order, rows: &mut [Row]) -> Result<()> {
    let until = Instant::now() + ACK_TIMEOUT;
    loop {
        let status = status(link)?;
        let late = Instant::now() >= until;
        let mut waits = false;
        for row in rows.iter_mut().filter(|row| row.said.is_empty()) {
            let robot = status.robots.iter().find(|robot| robot.id == row.robot);
            match robot.and_then(|robot| order_result(order, robot, late)) {
                Some((done, said)) => (row.done, row.said) = (done, said),
                None => waits = true,
            }
        }
        if !waits || late {
            return Ok(());
        }
        std::thread::sleep(EVERY);
    }
}

/// Returns whether an order succeeded, and a description. `None` while the result is unknown. `late` is true after
/// the timeout.
fn order_result(order: Order, robot: &RobotRow, late: bool) -> Option<(bool, String)> {
    let after = robot.obeyed_ms.map_or(String::new(), |ms| format!(" after {ms:.0} ms"));
    let there = robot.alive;
    Some(match order {
        Order::Identify => (true, "blinks".into()),
        Order::Reboot => (true, "reboots; it is lost until its program runs".into()),
        Order::Replace => (true, "replaced; the new board has not connected yet".into()),
        Order::Hold | Order::Pause if !there => {
            (true, "held; the robot is absent and will stay stopped when it connects".into())
        }
        Order::Hold if robot.held && robot.obeys => {
            (true, format!("held: it stopped{after}, and stays stopped until it is released"))
        }
        Order::Pause if robot.held && robot.obeys => {
            (true, format!("paused: it stopped{after}, and stays stopped until it is released"))
        }
        Order::Release if !there => (true, "released; it is absent".into()),
        Order::Release if !robot.held && robot.obeys => (true, format!("released: it follows the swarm again{after}")),
        _ if late => (false, format!("no acknowledgement within {} s; check the robot", ACK_TIMEOUT.as_secs())),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn robot(id: &str, alive: bool, held: bool) -> RobotRow {
        RobotRow { id: id.into(), alive, held, ..RobotRow::default() }
    }

    #[test]
    fn all_robots_are_those_that_an_order_is_for() {
        let robots = vec![robot("a", true, false), robot("b", true, true), robot("c", false, false)];
        let status = Status { robots, ..Status::default() };
        let all = |order| resolve_robots(&["all".into()], &status, order).join(" ");
        assert_eq!([Order::Identify, Order::Hold, Order::Release].map(all), ["a b", "a b c", "b"]);
        for (name, expected) in
            [(String::new(), "is empty"), ("x".repeat(5000), "... (4960 more characters): a robot's id")]
        {
            assert!(check_names(&[name]).unwrap_err().to_string().contains(expected));
        }
        assert_eq!(
            resolve_robots(&["x".into(), "all".into()], &status, Order::Hold),
            ["x", "all"],
            "no robot is called so"
        );
    }

    #[test]
    fn hold_is_done_after_acknowledgement() {
        let waits = robot("a", true, true);
        assert_eq!(order_result(Order::Hold, &waits, false), None);
        assert!(
            order_result(Order::Hold, &waits, true)
                .is_some_and(|(done, said)| !done && said.contains("no acknowledgement"))
        );
        let obeys = RobotRow { obeys: true, obeyed_ms: Some(80.2), ..waits };
        let (done, said) = order_result(Order::Hold, &obeys, false).unwrap();
        assert_eq!(
            (done, said.as_str()),
            (true, "held: it stopped after 80 ms, and stays stopped until it is released")
        );
        assert_eq!(order_result(Order::Release, &obeys, false), None);
        assert!(
            order_result(Order::Hold, &robot("a", false, true), false)
                .is_some_and(|(done, said)| done && said.contains("absent"))
        );
    }
}

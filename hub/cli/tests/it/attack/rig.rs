//! Swarm for the attacks: a hub with keys and a record, an arena, and one robot's program. The number of open files
//! of the hub can be limited.

use crate::common::only;
use crate::rig::{Layout, Swarm, free_ports, http, xpuck};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use xpuck_testing::patience;
use xpuck_testing::patience::wait_within;
use xpuck_wire::Status;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::Sockets;

const EXPERIMENT: &str = "name = \"attack\"\nminutes = 600.0\nsegment_minutes = 60.0\ntask = \"transport\"\n\
    controller_file = \"on.bt\"\n";

/// Swarm under attack during a run.
pub struct Rig {
    swarm: Swarm,
    stream: u16,
}

impl Rig {
    /// Starts all programs, and then a run. `descriptors` is the maximum number of open files of the hub.
    pub fn start(descriptors: Option<u32>) -> Rig {
        let stream = free_ports();
        let mut swarm = Swarm::new(&Layout { console: true, ..Layout::default() });
        swarm.folder.append("hub.toml", &format!("[stream]\naddress = \"tcp://127.0.0.1:{stream}\"\n"));
        swarm.folder.make_keys();
        swarm.start_service("arena");
        let mut hub = match descriptors {
            Some(limit) => {
                let mut shell = Command::new("sh");
                let program = xpuck().get_program().to_owned();
                shell.args(["-c", &format!("ulimit -n {limit}; exec \"$0\" \"$@\"")]).arg(program);
                shell
            }
            None => xpuck(),
        };
        swarm.start_service_as("hub", hub.arg("hub"), "hub.toml");
        swarm.start_robot("xp01");
        let rig = Rig { swarm, stream };
        rig.until("the robot is there", |rig| rig.status().robots.iter().all(|robot| robot.alive));
        let files = BTreeMap::from([("on.bt".to_string(), "movcv v_goal 0deg\n".to_string())]);
        let (_, secret) = Sockets::for_operator(&rig.swarm.folder.key()).unwrap();
        let signed = Signed::new(EXPERIMENT.into(), files, Some(&secret)).unwrap();
        assert_eq!(rig.ask(&Request::Start { signed, seed: 1 }).1, Reply::Done);
        rig.until("the run continues", |rig| rig.status().run_seconds > 1.0);
        rig
    }

    /// Returns the path of a file or folder in the swarm's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.swarm.folder.path(name)
    }

    /// Returns the log of the hub.
    pub fn log(&self) -> String {
        self.swarm.log("hub")
    }

    /// Returns the ports that are attacked, each with its name: robots, operators, console and stream.
    pub fn attacked(&self) -> [(&'static str, u16); 4] {
        let [robots, operators, console] = self.swarm.folder.ports();
        [("robots", robots), ("operators", operators), ("console", console), ("stream", self.stream)]
    }

    /// Returns the address of the console.
    pub fn console(&self) -> String {
        self.swarm.folder.console()
    }

    /// Sends a request of an operator over a new connection. Returns the time from the start of the connection to the
    /// reply, and the reply.
    pub fn ask(&self, request: &Request) -> (Duration, Reply) {
        let sockets = self.swarm.folder.sockets();
        let began = Instant::now();
        let link = sockets.operator(&self.swarm.folder.operator, patience().as_millis() as i32).unwrap();
        let reply = link.ask(request).unwrap();
        (began.elapsed(), reply)
    }

    /// Returns the current status of the swarm.
    pub fn status(&self) -> Status {
        self.swarm.status()
    }

    /// Returns the memory of the hub's process (MB), and the number of its open files.
    pub fn hub(&self) -> (f64, usize) {
        let id = self.swarm.id("hub");
        let text = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let kb: f64 =
            text.lines().find_map(|l| l.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok()).unwrap();
        (kb / 1024.0, std::fs::read_dir(format!("/proc/{id}/fd")).unwrap().count())
    }

    /// Returns the value of a metric of the hub.
    pub fn metric(&self, name: &str) -> f64 {
        http::metric(&self.console(), name).unwrap_or_else(|| panic!("no metric {name}"))
    }

    /// Sends an HTTP request to the console, and returns the answer.
    pub fn http(&self, request: &str) -> String {
        http::exchange(&self.console(), request)
    }

    /// Waits until `holds` returns true. Panics with `what` and the hub's log after a timeout.
    pub fn until(&self, what: &str, mut holds: impl FnMut(&Rig) -> bool) {
        wait_within(patience(), || holds(self).then_some(()), || format!("{what}\n{}", self.log()));
    }

    /// Checks that the run continues, that its robot is not lost, that no key was revoked, and that the record grows.
    pub fn assert_well(&self) {
        let before = self.status();
        let record = || {
            let parts = std::fs::read_dir(only(&self.path("runs"), "attack-")).unwrap().flatten();
            parts
                .filter(|part| part.file_name().to_string_lossy().contains(".mcap"))
                .map(|p| p.metadata().unwrap().len())
                .sum::<u64>()
        };
        let written = record();
        self.until("the run continues", |rig| rig.status().run_seconds > before.run_seconds + 0.5);
        let after = self.status();
        assert!(after.robots.iter().all(|robot| robot.alive), "{:?}", after.robots);
        assert_eq!((after.dead, after.security.refusals.revoked), (0, 0), "{}", self.log());
        self.until("the record grows", |_| record() > written);
        for word in ["revoked:", "NOT RECORD", "panicked"] {
            assert!(!self.log().contains(word), "{}", self.log());
        }
    }

    /// Returns the status that the console's page gets.
    pub fn shown(&self) -> Value {
        serde_json::from_str(&http::get(&self.console(), "/api/status").1).unwrap()
    }
}

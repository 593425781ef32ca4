//! Processes of a hub, an arena and robots' programs in a separate folder.

use super::folder::{Folder, Layout};
use super::process::{Process, xpuck, xpuckd};
use std::collections::BTreeMap;
use std::process::{Command, ExitStatus};
use std::time::Duration;
use xpuck_testing::patience;
use xpuck_testing::patience::wait_within;
use xpuck_wire::Status;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::socket::AskError;

/// Path of the operator's key, relative to the swarm's folder.
pub const OPERATOR_KEY: &str = "keys/operators/operator.key";

/// An experiment with the controller file `on.bt`, with which every robot drives straight ahead.
pub const EXPERIMENT: &str = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n\
    controller_file = \"on.bt\"\n";

/// Processes of a swarm, and functions that send an operator's requests.
pub struct Swarm {
    /// Processes by name: `arena`, `hub` and the ids of the robots. When the swarm is dropped, the processes are killed
    /// before the folder is removed.
    processes: BTreeMap<String, Process>,
    /// Folder with the files of the swarm.
    pub folder: Folder,
}

impl Swarm {
    /// Makes the files of a swarm with the experiment `e.toml`. Starts no process.
    pub fn new(layout: &Layout) -> Swarm {
        let folder = Folder::new(layout);
        folder.write("on.bt", "movcv v_goal 0deg");
        folder.write("e.toml", EXPERIMENT);
        Swarm::of_folder(folder)
    }

    /// Makes a swarm from the files of a folder. Starts no process.
    pub fn of_folder(folder: Folder) -> Swarm {
        Swarm { processes: BTreeMap::new(), folder }
    }

    /// Makes and starts a swarm of one robot. The robot's camera has 160 x 120 pixels.
    pub fn of_one_robot() -> Swarm {
        let mut swarm = Swarm::new(&Layout { camera: [160, 120], frame_rate: 5.0, ..Layout::default() });
        swarm.start();
        swarm
    }

    /// Makes the missing keys. Starts the arena, the hub, and the program of robot xp01.
    pub fn start(&mut self) {
        self.start_services();
        self.start_robot("xp01");
    }

    /// Makes the missing keys. Starts the arena and the hub.
    pub fn start_services(&mut self) {
        if self.folder.keys {
            self.folder.make_keys();
        }
        self.start_service("arena");
        self.start_service("hub");
    }

    /// Starts the service `arena` or `hub`, and waits until it is ready.
    pub fn start_service(&mut self, name: &str) {
        self.start_service_as(name, xpuck().arg(name), &format!("{name}.toml"));
    }

    /// Starts a service with this command and this configuration file, and waits until the service is ready. `name`
    /// names the process and its log.
    pub fn start_service_as(&mut self, name: &str, command: &mut Command, config: &str) {
        command.args(["--end-with-stdin", "--config", config]).current_dir(self.folder.root());
        let (process, _) = Process::serve(command, self.log_file(name));
        self.processes.insert(name.into(), process);
    }

    /// Starts the program of the robot `id` with the configuration file `<id>.toml`.
    pub fn start_robot(&mut self, id: &str) {
        self.start_robot_as(id, &format!("{id}.toml"));
    }

    /// Starts the program of a robot with this configuration file. `name` names the process and its log.
    pub fn start_robot_as(&mut self, name: &str, config: &str) {
        self.start_program(name, xpuckd().args(["--end-with-stdin", "--config", config]));
    }

    /// Starts a program in the folder of the swarm. `name` names the process and its log.
    pub fn start_program(&mut self, name: &str, command: &mut Command) {
        let process = Process::start(command.current_dir(self.folder.root()), self.log_file(name));
        self.processes.insert(name.into(), process);
    }

    fn log_file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path(&format!("{name}.log"))
    }

    /// Kills a process. Fails if no process has this name.
    pub fn kill(&mut self, name: &str) {
        self.processes.remove(name).unwrap_or_else(|| panic!("{name} does not run")).kill();
    }

    /// Waits until a process has ended by itself.
    pub fn wait_for_exit(&mut self, name: &str) -> ExitStatus {
        self.processes.remove(name).unwrap_or_else(|| panic!("{name} does not run")).wait()
    }

    /// Ends all processes by closing their standard inputs, and waits for their ends.
    pub fn end(&mut self) {
        while let Some((_, process)) = self.processes.pop_last() {
            process.end();
        }
    }

    /// Id of a process.
    pub fn id(&self, name: &str) -> u32 {
        self.processes[name].id()
    }

    /// Returns the standard error of all processes that were started with this name.
    pub fn log(&self, name: &str) -> String {
        std::fs::read_to_string(self.log_file(name)).unwrap_or_default()
    }

    /// Runs a command of `xpuck` with an operator's key. `key` is the path of the key relative to the swarm's folder.
    /// Returns the standard error of the command, which is empty on success.
    pub fn command_with_key(&self, key: &str, arguments: &[&str]) -> String {
        let output = self.folder.run(&[arguments, &["--hub", &self.folder.operator, "--key", key]].concat());
        String::from_utf8(output.stderr).unwrap()
    }

    /// Runs a command of `xpuck` with the operator's key. Returns the standard error of the command, which is empty on
    /// success.
    pub fn command(&self, arguments: &[&str]) -> String {
        self.command_with_key(OPERATOR_KEY, arguments)
    }

    /// Sends a request to the hub as the operator.
    pub fn try_ask(&self, request: &Request) -> Result<Reply, AskError> {
        let limit = (patience() / 2).as_millis() as i32;
        self.folder.sockets().operator(&self.folder.operator, limit).unwrap().ask(request)
    }

    /// Sends a request to the hub as the operator, and returns the reply. Fails without a reply.
    pub fn ask(&self, request: &Request) -> Reply {
        self.try_ask(request).unwrap_or_else(|error| panic!("{request:?}: {error}\n{}", self.log("hub")))
    }

    /// Requests the current status of the swarm.
    pub fn status(&self) -> Status {
        match self.ask(&Request::Status) {
            Reply::Status(status) => *status,
            other => panic!("{other:?}"),
        }
    }

    /// Waits until the status satisfies a condition, and returns the status. `what` names the condition in errors.
    pub fn wait(&self, what: &str, holds: impl Fn(&Status) -> bool) -> Status {
        self.wait_within(2 * patience(), what, holds)
    }

    /// Waits until the status satisfies a condition, and returns the status. Fails after the wall time `limit`. `what`
    /// names the condition in errors.
    pub fn wait_within(&self, limit: Duration, what: &str, holds: impl Fn(&Status) -> bool) -> Status {
        let check = || Some(self.status()).filter(&holds);
        wait_within(limit, check, || format!("{what}: {:?}\n{}", self.status(), self.logs()))
    }

    /// Waits until the hub receives messages of all robots, and motion capture sees the bodies.
    pub fn wait_for_robots(&self) -> Status {
        self.wait("the robots", |status| status.tracking && status.robots.iter().all(|robot| robot.alive))
    }

    fn logs(&self) -> String {
        self.processes.keys().map(|name| format!("\n{name}: {}", self.log(name))).collect()
    }
}

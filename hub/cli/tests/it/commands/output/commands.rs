//! Runs every command in the help of both programs with standard outputs and standard errors that fail.

use super::{DOCS, Sink, TREE, command, ended};
use crate::common::only;
use crate::rig::{Process, free_ports, xpuck};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::Mutex;

/// Commands that serve until they are stopped. They are tested in [`super::services`].
const SERVICES: [&str; 12] = [
    "demo",
    "runs replay",
    "serve arena",
    "serve body",
    "serve geneserver",
    "serve hub",
    "serve island",
    "serve monitors",
    "serve playground",
    "serve population-manager",
    "serve robot-sim",
    "serve world-sim",
];

/// Command lines for each command. The last line is tested, and the lines before it prepare the test. `{dir}` is a
/// folder with files, `{new}` is a new empty folder, and `{monitors}` is the address of a server for viewers. `{hub}`
/// and `{idle}` are the arguments that select a hub with a run, and a hub without a run. Commands for `{hub}` run one
/// after the other.
const SAMPLES: [(&str, &[&str]); 94] = [
    ("simulate", &["simulate {tree} --runs 2 --seconds 1 --engine simd"]),
    ("dev bench", &["dev bench --engine simd --worlds 16 --repeat 1"]),
    ("dev bench geneserver", &["dev bench geneserver --islands 2 --period 0.2 --seconds 0.5"]),
    ("dev bench genes", &["dev bench genes --seeds 2 --generations 1 --population 8 --trial-seconds 1"]),
    ("dev bench hub", &["dev bench hub --count 1 --seconds 1"]),
    ("evolve", &["evolve --islands 1 --population 8 --generations 1 --seconds 1 --count 2 --remeasure 1"]),
    ("runs lineage", &["runs lineage {dir}/evolved"]),
    ("runs remeasure", &["runs remeasure {dir}/evolved --runs 1"]),
    ("study size", &["study size {tree} --sizes 2 --runs 2 --seconds 1"]),
    ("study mix", &["study mix {tree} {tree} --count 2 --runs 2 --seconds 1"]),
    ("study hetero", &["study hetero {tree} --mixed 2 --alone 1 --drawn 1 --seconds 1"]),
    ("study perturb", &["study perturb {tree} --runs 2 --seconds 1"]),
    ("runs report", &["runs report last --folder {dir}/demo --output {new}/report --simulations 2"]),
    ("study branches", &["study branches {tree} --runs 2 --seconds 1"]),
    ("study path", &["study path {tree} --seconds 1"]),
    ("study tune", &["study tune {tree} --generations 1 --trials 1 --runs 2 --seconds 1 --sizes 1"]),
    ("study ablate", &["study ablate {tree} --runs 2 --seconds 1"]),
    (
        "study adapt",
        &["study adapt --seeds 1 --before 1 --after 1 --pace 1 --runs 2 --set settings.population=8 --set seconds=1"],
    ),
    (
        "study transfer",
        &[
            "study transfer {dir}/level.toml --seeds 2 --generations 1 --runs 2 --set islands=2 --set settings.population=8",
        ],
    ),
    (
        "study migrate",
        &[
            "study migrate --rates 1 --seeds 2 --generations 1 --runs 2 --set islands=2 --set settings.population=8 --set seconds=1",
        ],
    ),
    ("study scale", &["study scale --islands 100 --generations 2"]),
    ("sweep run", &["sweep run {dir}/sweep.toml --output {new}/sweep"]),
    ("swarm console", &["swarm console {hub}"]),
    ("swarm status", &["swarm status {hub}"]),
    ("dev watch", &["dev watch {monitors} --json --seconds 1"]),
    ("robot list", &["robot list {hub}"]),
    ("swarm log", &["swarm note one {hub}", "swarm log {hub}"]),
    ("swarm top", &["swarm top {hub}"]),
    ("swarm note", &["swarm note one {hub}"]),
    ("robot identify", &["robot identify xp01 {hub}"]),
    ("robot snapshot", &["robot snapshot xp01 --output {new}/a.png --timeout 1 {hub}"]),
    ("robot hold", &["robot hold xp01 {hub}"]),
    ("robot release", &["robot hold xp01 {hub}", "robot release xp01 {hub}"]),
    ("robot reboot", &["robot reboot xp01 {hub}"]),
    ("robot enrol", &["init {new}/s --count 1", "robot enrol xp02 --swarm {new}/s/swarm.toml"]),
    ("robot replace", &["init {new}/s --count 1", "robot replace xp01 --swarm {new}/s/swarm.toml"]),
    ("robot drive", &["robot drive --pipe {hub}"]),
    ("robot push", &["robot push {dir}/drive.toml --robots all {idle}"]),
    ("robot update status", &["robot update status {hub}"]),
    ("doctor", &["doctor --config {dir}/hub.toml"]),
    ("swarm start", &["swarm stop {hub}", "swarm start {dir}/experiment.toml --wait 0 {hub}"]),
    ("swarm pause", &["swarm stop {hub}", "swarm start {dir}/experiment.toml --wait 0 {hub}", "swarm pause {hub}"]),
    (
        "swarm resume",
        &[
            "swarm stop {hub}",
            "swarm start {dir}/experiment.toml --wait 0 {hub}",
            "swarm pause {hub}",
            "swarm resume {hub}",
        ],
    ),
    ("swarm stop", &["swarm start {dir}/experiment.toml --wait 0 {hub}", "swarm stop {hub}"]),
    ("swarm park", &["swarm park {idle}"]),
    ("swarm trials", &["swarm trials {tree} --runs 1 --output {new}/trials {idle}"]),
    ("init", &["init {new}/swarm --count 1"]),
    ("keys new", &["keys new --dir {new}"]),
    ("keys make", &["keys make ada --dir {new}"]),
    ("keys enrol", &["keys new --dir {new}", "keys enrol {dir}/ada.pub --role observer --dir {new}"]),
    ("keys revoke", &["keys new --dir {new}", "keys revoke operator --dir {new}"]),
    ("card build", &["card build --boards"]),
    ("card flash", &["card flash --robot xp01 --image {dir}/none.xpb --device {dir}/none --swarm {dir}"]),
    ("keys list", &["keys list --dir {dir}/keys"]),
    ("swarm next", &["swarm next {hub}"]),
    ("dev engines", &["dev engines"]),
    ("runs verify", &["runs verify last --folder {dir}/demo"]),
    ("runs list", &["runs list --folder {dir}/demo"]),
    ("runs show", &["runs show last --folder {dir}/demo"]),
    ("runs table", &["runs table last --folder {dir}/demo"]),
    (
        "runs export",
        &[
            "runs export last --csv {new}/tables --folder {dir}/demo",
            "runs export last --foxglove {new}/scenes.mcap --folder {dir}/demo",
        ],
    ),
    ("runs recover", &["runs recover last --folder {dir}/demo"]),
    ("check", &["check {tree} {dir}/experiment.toml"]),
    (
        "runs curves",
        &["evolve --kind bodies --evaluations 4 --steps 20 --output {new}/walkers", "runs curves {new}/walkers"],
    ),
    ("tree explain", &["tree explain {docs}/bodies/walker.prif"]),
    ("tree convert", &["tree convert {docs}/bodies/walker.prif --to urdf"]),
    ("tree fmt", &["tree fmt {docs}/curricula/hand-made.txt"]),
    ("tree reduce", &["tree reduce {docs}/curricula/hand-made.txt"]),
    ("tree draw", &["tree draw {tree}"]),
    ("tree diff", &["tree diff {docs}/curricula/hand-made.txt {docs}/curricula/wanderer.txt"]),
    ("dev rasp", &["dev rasp {docs}/trees/machines/multiply.rasp"]),
    ("tree nodes", &["tree nodes"]),
    ("calibrate fit collisions", &["calibrate fit collisions {dir}/collisions.csv"]),
    ("calibrate fit ir", &["calibrate fit ir {dir}/ir.csv"]),
    ("calibrate fit camera", &["calibrate fit camera {dir}/camera.csv"]),
    ("calibrate fit latency", &["calibrate fit latency {dir}/latency.csv"]),
    ("calibrate fit friction", &["calibrate fit friction {dir}/friction.csv"]),
    ("calibrate fit steering", &["calibrate fit steering"]),
    ("calibrate fit run", &["calibrate fit run last --folder {dir}/demo"]),
    ("world export", &["world export {docs}/worlds/transport.toml --tree {tree} --to webots --output {new}/there"]),
    (
        "world import",
        &[
            "world export {docs}/worlds/transport.toml --tree {tree} --to argos --output {new}/there",
            "world import {new}/there/run-0000.argos",
        ],
    ),
    ("dev markers", &["dev markers 3"]),
    ("dev fuzz-swarm", &["dev fuzz-swarm --seeds 1 --seconds 1"]),
    ("dev completions", &["dev completions bash"]),
    ("dev schema", &["dev schema hub"]),
    ("dev man", &["dev man {new}/man"]),
    ("sweep list", &["sweep list {dir}/sweep.toml --output {new}/sweep"]),
    ("sweep collect", &["sweep collect {dir}/sweep.toml --output {new}/sweep"]),
    ("sweep slurm", &["sweep slurm {dir}/sweep.toml --output {new}/sweep --no-send"]),
    ("robot update abort", &["robot update abort {hub}"]),
    ("sweep new", &["sweep new"]),
    ("world cost", &["world cost {docs}/worlds/missions/agg.toml"]),
    ("world explain", &["world explain {docs}/worlds/missions/agg.toml --output {new}/agg.svg"]),
    ("world new", &["world new foraging"]),
];

/// Further command lines, each with a title: options, errors, commands of `xpuckd`, and samples whose titles are
/// former names of commands.
const FORMER_COMMANDS: [(&str, &[&str]); 35] = [
    ("calibrate record collisions", &["calibrate record collisions --runs 2"]),
    ("calibrate record ir", &["calibrate record ir"]),
    ("calibrate record camera", &["calibrate record camera --seconds 4"]),
    ("calibrate record latency", &["calibrate record latency"]),
    ("help", &["--help"]),
    ("help of one", &["tree convert --help"]),
    ("version", &["--version"]),
    ("an error in the arguments", &["simulate --runs"]),
    ("the robot's help", &["xpuckd --help"]),
    ("the robot's check", &["xpuckd --check --config {dir}/xp01.toml"]),
    ("the robot's tags", &["xpuckd tags --svg {new}/tags.svg"]),
    ("the robot's operating point", &["xpuckd bench power --seconds 0.2 --svg {new}/power.svg --sysfs {dir}"]),
    ("the robot's selftest", &["xpuckd selftest --config {dir}/xp01.toml"]),
    (
        "once body evolve",
        &[
            "evolve --kind bodies --evaluations 4 --steps 20 --output {new}/bodies",
            "evolve --kind bodies --evaluations 4 --steps 20",
        ],
    ),
    ("once body simulate", &["simulate {docs}/bodies/walker.prif --steps 20"]),
    ("once kilobot hex", &["tree convert --to hex {docs}/kilobots/figure-4-6.bt --for simavr -o {new}/forage.hex"]),
    ("once body import", &["tree convert --to prif {docs}/bodies/walker.prif"]),
    (
        "once kilobot evolve",
        &[
            "evolve --kind kilobots --runs 1 --simulations 300 --set world.seconds=10 --set fresh=16 --algorithm dars2016 --output {new}/kilobots",
        ],
    ),
    ("once kilobot simulate", &["simulate {docs}/kilobots/figure-4-6.bt --runs 2"]),
    ("once automaton explain", &["tree explain {docs}/curricula/hand-made.txt"]),
    ("once automaton to-tree", &["tree convert {docs}/curricula/wanderer.txt"]),
    ("once automaton from-tree", &["tree convert --to automaton {docs}/trees/wanderer.bt"]),
    ("once automaton try", &["simulate --runs 1 --curriculum {docs}/curricula/cargo-creative.toml"]),
    ("once tree fmt", &["tree fmt {tree}"]),
    ("once tree convert", &["tree convert {tree} --to bin"]),
    ("once tree reduce", &["tree reduce {tree}"]),
    ("once tree equal", &["tree diff {tree} {tree} --runs 1"]),
    ("once tree memoryless", &["tree convert --to memoryless {tree}"]),
    ("once tree from-fsm", &["tree convert {docs}/trees/machines/rest.toml"]),
    ("once tree from-individual", &["tree convert {docs}/gateway/own.txt"]),
    ("once tree to-fsm", &["tree convert --to fsm {docs}/trees/explore.bt"]),
    ("once tree explain", &["tree explain {tree}"]),
    ("once draw-path", &["simulate --robot {docs}/gateway/avoid.toml {docs}/gateway/avoid.txt --svg {new}/path.svg"]),
    ("a STOP", &["stop {hub}"]),
    ("a former name", &["engines"]),
];

/// Returns the completions of the word `last` after `words`. Requests them in `folder` in the same way as bash.
fn completed(folder: &Path, words: &[&str], last: &str) -> Vec<String> {
    let mut asked = xpuck();
    asked.current_dir(folder).env("COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", (words.len() + 1).to_string());
    asked.env("_CLAP_IFS", "\n").args(["--", "xpuck"]).args(words).arg(last);
    String::from_utf8(asked.output().unwrap().stdout).unwrap().lines().map(|line| line.trim().to_string()).collect()
}

#[test]
fn completion_uses_current_folder() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    assert!(xpuck().current_dir(dir).args(["init", ".", "--count", "3"]).output().unwrap().status.success());
    std::fs::create_dir_all(dir.join("runs/transport-1")).unwrap();
    assert_eq!(completed(dir, &["robot", "hold"], "xp"), ["xp01", "xp02", "xp03"]);
    assert_eq!(completed(dir, &["robot", "push", "a.toml", "--robots"], "xp01,xp03"), ["xp01,xp03"]);
    assert_eq!(completed(dir, &["runs", "show"], "tr"), ["transport-1"]);
    assert!(completed(dir, &["evolve", "--set"], "settings.el").contains(&"settings.elite=".to_string()));
    assert!(completed(dir, &["sto"], "").is_empty() || !completed(dir, &[], "sto").is_empty());
}

/// Reads the help of the command `above` and of its subcommands, recursively. Adds to `found` each command that can run
/// without a subcommand.
fn commands(above: &[&str], found: &mut BTreeSet<String>) {
    let help = xpuck().args(above).arg("--help").output().unwrap();
    let text = String::from_utf8(help.stdout).unwrap();
    // The help lists the commands before the options. At the top level the commands are in groups.
    let listed = text.lines().skip_while(|line| !line.starts_with("Usage: ")).take_while(|line| *line != "Options:");
    // Continuation lines of a description have a deeper indentation, and arguments start with a bracket.
    let names = listed
        .filter_map(|line| line.strip_prefix("  ").filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase())));
    let names: Vec<&str> = names.filter_map(|rest| rest.split(' ').next()).filter(|name| *name != "help").collect();
    for name in &names {
        commands(&[above, &[name]].concat(), found);
    }
    // `bench` without a subcommand is a command as well.
    if !above.is_empty()
        && (names.is_empty() || text.contains(&format!("Usage: xpuck {} [OPTIONS]\n", above.join(" "))))
    {
        found.insert(above.join(" "));
    }
}

/// For each command, `--help` exits with 0. An invalid option exits with 2, and the error names it.
#[test]
fn every_command_has_help_and_rejects_bad_options() {
    let mut listed = BTreeSet::new();
    commands(&[], &mut listed);
    for command in &listed {
        let words: Vec<&str> = command.split(' ').collect();
        let help = xpuck().args(&words).arg("--help").output().unwrap();
        let text = String::from_utf8(help.stdout).unwrap();
        assert!(help.status.code() == Some(0) && text.matches("\n  xpuck ").count() >= 2, "{command}: {text}");
        let wrong = xpuck().args(&words).arg("--no-such-option").output().unwrap();
        let told = String::from_utf8(wrong.stderr).unwrap();
        assert!(wrong.status.code() == Some(2) && told.contains("--no-such-option"), "{command}: {told}");
    }
}

#[test]
fn every_command_has_a_sample() {
    let mut listed = BTreeSet::new();
    commands(&[], &mut listed);
    let known = SAMPLES.iter().chain(&FORMER_COMMANDS).map(|(name, _)| *name).chain(SERVICES);
    let known: BTreeSet<String> = known.map(String::from).collect();
    let forgotten: Vec<_> = listed.difference(&known).collect();
    assert!(forgotten.is_empty(), "without a sample: {forgotten:?}");
    assert!(listed.len() > 52, "{listed:?}");
    let gone: Vec<_> = SAMPLES.iter().filter(|(name, _)| !listed.contains(*name)).collect();
    assert!(gone.is_empty(), "no such command: {gone:?}");
}

#[test]
fn every_command_has_manual_page_and_completion() {
    let mut listed = BTreeSet::new();
    commands(&[], &mut listed);
    let dir = tempfile::tempdir().unwrap();
    let man = xpuck().args(["dev", "man"]).arg(dir.path()).output().unwrap();
    assert!(man.status.success(), "{}", String::from_utf8_lossy(&man.stderr));
    for command in &listed {
        let name = format!("xpuck-{}", command.replace(' ', "-"));
        let page = std::fs::read_to_string(dir.path().join(format!("{name}.1"))).unwrap_or_default();
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH DESCRIPTION"), "{name}: {page:?}");
        // The shell completes the name of each subcommand.
        let words: Vec<&str> = command.split(' ').collect();
        let (last, group) = words.split_last().unwrap();
        assert!(completed(dir.path(), group, last).contains(&(*last).to_string()), "{command}");
    }
    let whole = std::fs::read_to_string(dir.path().join("xpuck.1")).unwrap();
    assert!(whole.contains("xpuck\\-demo(1)"), "{whole}");
    let file = dir.path().join("xpuck.1");
    let refused = xpuck().args(["dev", "man"]).arg(&file).output().unwrap();
    assert!(!refused.status.success() && String::from_utf8_lossy(&refused.stderr).contains("xpuck.1: "), "{refused:?}");
}

/// Bytes that a server of monitors sent to a viewer.
const STREAM: &[u8] = include_bytes!("../../../../../gateway/tests/captures/rsmp_capture.bin");

/// Starts a server that sends [`STREAM`] to every client during the test. Returns its address.
fn monitors() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut viewers = Vec::new();
        for mut viewer in listener.incoming().flatten() {
            // A write fails if the client has already disconnected.
            let _ = viewer.write_all(STREAM);
            viewers.push(viewer);
        }
    });
    at
}

/// Files, runs, two hubs and a server for viewers that all samples share.
struct Fixture {
    /// Hubs, each with the command-line arguments that select it.
    hubs: [(Process, String); 2],
    dir: tempfile::TempDir,
    monitors: SocketAddr,
}

fn hub(dir: &Path, file: &str, speed: f64) -> (Process, String) {
    let ports = free_ports();
    let endpoint = format!("tcp://127.0.0.1:{}", ports + 1);
    let swarm = format!(
        "robots = [\"xp01\"]\nspeed = {speed:?}\n[hub]\nrobots = \"tcp://127.0.0.1:{ports}\"\noperator = \"{endpoint}\"\n\
         [security]\ndev_mode = true\n"
    );
    std::fs::write(dir.join(format!("swarm-{file}")), swarm).unwrap();
    let text = format!(
        "swarm = \"swarm-{file}\"\n[mocap]\naddress = \"127.0.0.1:{}\"\nfrisbee = \"frisbee\"\n[record]\ndirectory = \"runs\"\n",
        ports + 2
    );
    std::fs::write(dir.join(file), text).unwrap();
    let mut hub = xpuck();
    hub.args(["serve", "hub", "--end-with-stdin", "--config"]).arg(dir.join(file));
    let (hub, _) = Process::serve(&mut hub, dir.join(format!("{file}.log")));
    (hub, format!("--dev-mode --hub {endpoint}"))
}

fn write_friction(dir: &tempfile::TempDir) {
    let rows: String = (0..6).map(|i| format!("frisbee,dynamic,0.3{i}\n")).collect();
    std::fs::write(dir.path().join("friction.csv"), format!("body,kind,force_n\n{rows}")).unwrap();
}

impl Fixture {
    fn new() -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
        write("level.toml", "seconds = 1.0\n");
        write("drive.toml", "[calibration.drive]\nleft = 1.0\n");
        write(
            "sweep.toml",
            "name = \"s\"\nseeds = \"1-1\"\n[base]\nislands = 1\ngenerations = 1\nseconds = 1.0\n\
            robots = 2\nremeasure = 1\nsettings.population = 8\n[[points]]\n",
        );
        write("experiment.toml", "name = \"x\"\nminutes = 60.0\nsegment_minutes = 1.0\ntask = \"transport\"\n");
        write(
            "xp01.toml",
            "id = \"xp01\"\nswarm = \"swarm-hub.toml\"\n[devices]\nkind = \"virtual\"\n\
            directory = \"devices\"\n",
        );
        let hubs = [hub(dir.path(), "hub.toml", 0.1), hub(dir.path(), "idle.toml", 1.0)];
        let place = Fixture { hubs, dir, monitors: monitors() };
        let mut lines: Vec<String> = [
            "keys new --dir {dir}/keys",
            "keys make ada --dir {dir}",
            "evolve --islands 1 --population 8 --generations 2 --seconds 1 --count 2 --remeasure 1 --output {dir}/evolved",
        ]
        .map(String::from)
        .into();
        let demo = "demo --count 1 --minutes 0.4 --speed 32 --tree {tree} --no-console --output {dir}/demo --ports";
        lines.push(format!("{demo} {}", free_ports()));
        for what in ["collisions --runs 12", "ir", "camera --seconds 4", "latency"] {
            let name = what.split(' ').next().unwrap_or(what);
            lines.push(format!("calibrate record {what} -o {{dir}}/{name}.csv"));
        }
        write_friction(&place.dir);
        for line in &lines {
            let output = place.run(line, "");
            assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        }
        only(&place.dir.path().join("demo"), "demo-");
        place
    }

    fn words(&self, line: &str, new: &str) -> Vec<String> {
        let [(_, hub), (_, idle)] = &self.hubs;
        let line = line.replace("{hub}", hub).replace("{idle}", idle).replace("{tree}", TREE).replace("{docs}", DOCS);
        let line = line.replace("{monitors}", &self.monitors.to_string());
        let line = line.replace("{dir}", &self.dir.path().display().to_string()).replace("{new}", new);
        line.split(' ').map(String::from).collect()
    }

    fn run(&self, line: &str, new: &str) -> Output {
        let mut command = command(&self.words(line, new));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        ended(command.spawn().unwrap(), line)
    }

    /// Runs the command lines in order, the last one with the given failing outputs. An output that is `None` does not
    /// fail. Returns the exit status and the captured outputs of the last command.
    fn run_into(&self, lines: &[&str], stdout: Option<Sink>, stderr: Option<Sink>) -> Output {
        let new = tempfile::tempdir().unwrap();
        let folder = new.path().display().to_string();
        let (last, before) = lines.split_last().unwrap();
        before.iter().for_each(|line| drop(self.run(line, &folder)));
        let mut command = command(&self.words(last, &folder));
        let open = |sink: Option<Sink>| sink.map_or_else(|| (Stdio::piped(), None), Sink::open);
        command.stdin(Stdio::null()).stdout(open(stdout).0).stderr(open(stderr).0);
        ended(command.spawn().unwrap(), last)
    }

    fn check(&self, name: &str, lines: &[&str]) {
        let usual = self.run_into(lines, None, None);
        let code = usual.status.code();
        let sane = |output: &Output, what: &str| {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!said.contains("panicked"), "{name}, {what}: {said}");
            assert!(output.status.code().is_some_and(|code| code != 101), "{name}, {what}: {}: {said}", output.status);
            said
        };
        sane(&usual, "as usual");
        let prints = !usual.stdout.is_empty();
        let full = if prints { Some(1) } else { code };
        let table = [
            ("stdout closed", Some(Sink::Left), None, code),
            ("stdout full", Some(Sink::Full), None, full),
            ("stderr closed", None, Some(Sink::Left), code),
            ("stderr full", None, Some(Sink::Full), code),
            ("both closed", Some(Sink::Left), Some(Sink::Left), code),
            ("both full", Some(Sink::Full), Some(Sink::Full), full),
        ];
        for (what, stdout, stderr, code) in table {
            let output = self.run_into(lines, stdout, stderr);
            let said = sane(&output, what);
            assert_eq!(output.status.code(), code, "{name}, {what}: {said}");
            if what == "stdout full" && prints {
                let last = said.lines().last().unwrap_or_default();
                assert!(last.contains(": standard output: No space left on device"), "{name}: {said}");
            }
        }
    }
}

#[test]
fn no_command_panics_when_its_output_fails() {
    let place = Fixture::new();
    // Commands for the hub run one after the other. All other commands run in parallel.
    let mut lanes: BTreeMap<String, Vec<(&str, &[&str])>> = BTreeMap::new();
    for (name, lines) in SAMPLES.into_iter().chain(FORMER_COMMANDS) {
        let lane = if lines[0].contains("{hub}") { "hub" } else { name };
        lanes.entry(lane.into()).or_default().push((name, lines));
    }
    let lanes = Mutex::new(lanes.into_values().collect::<Vec<_>>());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(lane) = { lanes.lock().unwrap().pop() } {
                    lane.iter().for_each(|(name, lines)| place.check(name, lines));
                }
            });
        }
    });
}

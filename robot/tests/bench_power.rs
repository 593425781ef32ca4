//! End-to-end test of `xpuckd bench power` with simulated kernel files. The power of the simulated board depends on its
//! clock frequencies.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Minimum and maximum clock of each processor cluster before the measurement (kHz).
const BEFORE: [&str; 2] = ["200000", "800000"];
/// Clocks of both clusters at the best operating point (MHz). The simulated power is by far the lowest at this point,
/// so that the load of the test machine does not change the result.
const BEST: [u64; 2] = [1400, 800];

/// Measuring time per operating point (s), as an argument of the program.
const SHORT: &str = "0.2";

/// Simulated board with two processor clusters. A thread sets the clocks to the limits that the program writes.
struct Board {
    folder: tempfile::TempDir,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

fn policy(sysfs: &Path, number: usize) -> PathBuf {
    sysfs.join(format!("devices/system/cpu/cpufreq/policy{number}"))
}

fn khz(sysfs: &Path, number: usize, name: &str) -> Option<u64> {
    fs::read_to_string(policy(sysfs, number).join(name)).ok()?.trim().parse().ok()
}

/// Replaces a file atomically, because a reader of a kernel file never sees an incomplete text.
fn replace(path: &Path, text: &str) {
    let new = path.with_extension("new");
    fs::write(&new, text).unwrap();
    fs::rename(new, path).unwrap();
}

impl Board {
    fn new() -> Board {
        let folder = tempfile::tempdir().unwrap();
        let sysfs = folder.path();
        for number in [0, 4] {
            fs::create_dir_all(policy(sysfs, number)).unwrap();
            for (name, text) in [
                ("scaling_available_frequencies", "200000 800000 1400000 \n"),
                ("scaling_min_freq", BEFORE[0]),
                ("scaling_max_freq", BEFORE[1]),
                ("scaling_cur_freq", BEFORE[0]),
                ("cpuinfo_min_freq", "200000"),
                ("cpuinfo_max_freq", "1400000"),
            ] {
                fs::write(policy(sysfs, number).join(name), text).unwrap();
            }
        }
        let monitor = sysfs.join("class/hwmon/hwmon0");
        fs::create_dir_all(&monitor).unwrap();
        fs::create_dir_all(sysfs.join("devices/1-0041")).unwrap();
        symlink(sysfs.join("devices/1-0041"), monitor.join("device")).unwrap();
        for (name, text) in
            [("name", "ina231\n"), ("in1_input", "5000"), ("curr1_input", "400"), ("shunt_resistor", "20000\n")]
        {
            fs::write(monitor.join(name), text).unwrap();
        }
        let heat = sysfs.join("class/thermal/thermal_zone0");
        fs::create_dir_all(&heat).unwrap();
        fs::write(heat.join("temp"), "45000").unwrap();
        let (theirs, end) = (sysfs.to_path_buf(), Arc::new(AtomicBool::new(false)));
        let told = end.clone();
        let thread = std::thread::spawn(move || {
            while !told.load(Relaxed) {
                let clocks = [0, 4].map(|number| khz(&theirs, number, "scaling_max_freq").unwrap_or(200_000));
                for (number, clock) in [0, 4].into_iter().zip(clocks) {
                    replace(&policy(&theirs, number).join("scaling_cur_freq"), &clock.to_string());
                }
                let best = clocks == BEST.map(|mhz| mhz * 1000);
                replace(&monitor.join("curr1_input"), if best { "200" } else { "2000" });
                // At the fastest clocks the processor is too hot, as on the board in the thesis.
                let hot = clocks == [1_400_000; 2];
                replace(&heat.join("temp"), if hot { "96000" } else { "45000" });
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        Board { folder, end, thread: Some(thread) }
    }

    fn sysfs(&self) -> &Path {
        self.folder.path()
    }

    fn limits_are_back(&self) {
        for number in [0, 4] {
            let found = ["scaling_min_freq", "scaling_max_freq"].map(|name| khz(self.sysfs(), number, name));
            assert_eq!(found, BEFORE.map(|text| text.parse().ok()), "policy{number}");
        }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        self.end.store(true, Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || ended.is_none_or(|ended| ended.is_ok()));
    }
}

fn bench(sysfs: &Path, seconds: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xpuckd"));
    command.args(["bench", "power", "--threads", "1", "--seconds", seconds, "--sysfs"]).arg(sysfs);
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn sweep_finds_operating_point_and_restores_clocks() {
    let board = Board::new();
    let picture = board.sysfs().join("power.svg");
    let output =
        bench(board.sysfs(), SHORT).args(["--json", "--watt-limit", "2", "--svg"]).arg(&picture).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let sweep = &report["sweeps"][0];
    let points = sweep["points"].as_array().unwrap();
    assert_eq!((points.len(), &sweep["clocks"]), (9, &serde_json::json!(["policy0", "policy4"])));
    for choice in ["efficient", "within_limit"] {
        let point = &points[sweep[choice].as_u64().unwrap() as usize];
        assert_eq!(point["mhz"], serde_json::json!(BEST.map(|mhz| mhz as f64)), "{choice}: {report:#}");
        let [watts, r_acc, per_watt] = ["watts", "r_acc", "r_acc_per_watt"].map(|key| point[key].as_f64().unwrap());
        assert!((watts - 1.0).abs() < 0.05 && r_acc > 0.0 && (per_watt - r_acc / watts).abs() < 1.0, "{point}");
    }
    let throttled: Vec<bool> = points.iter().map(|point| point["throttled"].as_bool().unwrap()).collect();
    // Only the hottest operating point is checked. Other points may also be reported as throttled, if the simulated
    // board reacts late.
    assert!(throttled[8], "the hottest is not throttled: {throttled:?}");
    assert_eq!(report["missing"], serde_json::json!([]));
    board.limits_are_back();
    let drawn = fs::read_to_string(picture).unwrap();
    assert!(
        drawn.contains("Efficiency, cpu") && drawn.matches("<polyline").count() == 9 && drawn.ends_with("</svg>\n")
    );
}

/// Sends a signal to the program after it has set a clock. Returns the program's output.
fn killed(board: &Board, child: Child, signal: &str) -> Output {
    let start = Instant::now();
    while khz(board.sysfs(), 0, "scaling_max_freq") != Some(200_000) {
        assert!(start.elapsed() < Duration::from_secs(30), "it never set a clock");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
    child.wait_with_output().unwrap()
}

#[test]
fn next_sweep_restores_limits_of_killed_sweep() {
    let board = Board::new();
    let child = bench(board.sysfs(), "600").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let other = {
        let start = Instant::now();
        while !board.sysfs().join("xpuckd-clocks.json").exists() && start.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(5));
        }
        bench(board.sysfs(), SHORT).output().unwrap()
    };
    assert!(!other.status.success() && said(&other).contains("wait until it ends"), "{}", said(&other));
    killed(&board, child, "KILL");
    assert_eq!(khz(board.sysfs(), 0, "scaling_max_freq"), Some(200_000));
    let output = bench(board.sysfs(), SHORT).args(["--points", "1"]).output().unwrap();
    let lines = said(&output);
    assert!(output.status.success() && lines.contains("policy0: limits of 200 to 800 MHz restored"), "{lines}");
    assert!(lines.contains("policy4: the restored limits 200 to 800 MHz are narrower"), "{lines}");
    // The restored clock limits are narrower than the hardware's range. The program therefore also reports how to widen
    // these limits.
    assert!(lines.contains("`echo 1400000 > "), "{lines}");
    board.limits_are_back();
    assert!(!board.sysfs().join("xpuckd-clocks.json").exists());
    let output = bench(board.sysfs(), SHORT).args(["--points", "1"]).output().unwrap();
    assert!(!said(&output).contains("after a killed sweep"), "{}", said(&output));
}

#[test]
fn unwritable_figure_is_rejected_before_measuring() {
    let board = Board::new();
    let output = bench(board.sysfs(), "600").args(["--svg", "/nowhere/power.svg"]).output().unwrap();
    assert!(!output.status.success() && said(&output).contains("in a writable folder"), "{}", said(&output));
}

#[test]
fn signal_ends_bench_and_restores_clocks() {
    for signal in ["INT", "TERM", "HUP"] {
        let board = Board::new();
        let child = bench(board.sysfs(), "600").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let output = killed(&board, child, signal);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains("stopped; the clocks are restored"), "{}", said(&output));
        board.limits_are_back();
    }
}

#[test]
fn missing_inputs_are_logged_and_rest_is_measured() {
    let empty = tempfile::tempdir().unwrap();
    let output = bench(empty.path(), SHORT).output().unwrap();
    let lines = said(&output);
    let lines: Vec<&str> = lines.lines().filter(|line| line.starts_with("xpuckd: ")).collect();
    assert!(output.status.success() && lines.len() == 2, "{lines:?}");
    assert!(lines[0].contains("no INA231 at 0x41") && lines[0].contains("--i2c /dev/i2c-1"), "{lines:?}");
    assert!(lines[1].contains("cpu clocks: ") && lines[1].contains("cpufreq; check that"), "{lines:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let row: Vec<&str> = text.lines().nth(2).unwrap().split_whitespace().collect();
    assert!(row[0].parse::<f64>().unwrap() > 0.0 && row[1..] == ["-", "-", "-"], "{text}");
    assert!(!text.contains("most r_acc per watt"), "{text}");
    // A missing bus is reported, and all other measurements are complete.
    let output = bench(empty.path(), SHORT).args(["--i2c", "/nowhere/i2c-9"]).output().unwrap();
    assert!(output.status.success() && said(&output).contains("/nowhere/i2c-9"), "{}", said(&output));
}

#[test]
fn write_protected_clocks_are_reported_and_left_unchanged() {
    let board = Board::new();
    // Replaces a limit by a file that even root may not write.
    let limit = policy(board.sysfs(), 0).join("scaling_max_freq");
    fs::remove_file(&limit).unwrap();
    symlink("/proc/sys/kernel/ngroups_max", &limit).unwrap();
    let output = bench(board.sysfs(), SHORT).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(
        said(&output).contains("scaling_max_freq: Permission denied") && said(&output).contains("requires root"),
        "{}",
        said(&output)
    );
    for (seconds, arguments, expected) in [
        ("0", ["--points", "1"], "--seconds must be 0.2 to 600"),
        (SHORT, ["--watt-limit", "0"], "--watt-limit must be above 0"),
        (SHORT, ["--points", "0"], "1..=1000"),
    ] {
        let output = bench(board.sysfs(), seconds).args(arguments).output().unwrap();
        assert!(!output.status.success() && said(&output).contains(expected), "{arguments:?}: {}", said(&output));
    }
}

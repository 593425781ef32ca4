//! Tests special files (pipes, folders, devices, sockets) in place of each file that a command reads.

use super::{TREE, command, ended};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};

/// Makes a pipe without a writer, a folder, an endless device and a socket, each with a file extension. Returns the
/// path and the kind of each.
fn make(dir: &Path, extension: &str) -> Vec<(String, &'static str)> {
    let path = |name: &str| dir.join(format!("{name}.{extension}"));
    assert!(Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    std::fs::create_dir(path("folder")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", path("zero")).unwrap();
    // The socket's file stays on disk after its listener is closed.
    drop(UnixListener::bind(path("socket")).unwrap());
    let kinds = [("pipe", "a named pipe"), ("folder", "a folder"), ("zero", "a device"), ("socket", "a socket")];
    kinds.map(|(name, kind)| (path(name).display().to_string(), kind)).into()
}

/// Command lines for each file extension. `{}` stands for the tested file.
const LINES: [(&str, &[&str]); 5] = [
    (
        "bt",
        &[
            "simulate {}",
            "simulate --mix 1:{}",
            "check {}",
            "tree fmt {}",
            "tree convert {} --to json",
            "tree reduce {}",
            "tree diff {tree} {}",
            "tree convert --to memoryless {}",
            "tree convert --to fsm {}",
            "tree explain {}",
            "dev rasp {}",
            "check {}",
            "demo --no-console --output {dir}/demo --tree {}",
        ],
    ),
    (
        "toml",
        &[
            "simulate {tree} --world {}",
            "check {}",
            "tree convert --kind machines {}",
            "serve hub --config {}",
            "serve hub --config {dir}/{name}-hub.toml",
            "serve hub --config {dir}/{name}-replay.toml",
            "serve arena --config {}",
            "evolve {}",
            "evolve --world {}",
            "evolve --primitive-set {}",
            "sweep run {} --output {dir}/sweep",
            "sweep run {dir}/{name}-sweep.toml --output {dir}/sweep",
            "serve island --island 1 --resume {dir}/island {}",
            "serve geneserver {}",
            "start --dev-mode {}",
            "start --dev-mode {dir}/experiment.toml --with {}",
            "robot push --dev-mode --robots all {}",
            "keys new --dir {dir}/keys --swarm {}",
            "doctor --config {}",
            "xpuckd --config {}",
            "xpuckd --config {dir}/{name}-xp01.toml",
            "xpuckd selftest --config {}",
            "xpuckd calibrate drive --config {}",
        ],
    ),
    (
        "key",
        &["robot list --key {}", "serve geneserver --key {}", "serve island --island 1 --resume {dir}/island --key {}"],
    ),
    ("pub", &["keys enrol {} --role robot --dir {dir}/keys"]),
    (
        "csv",
        &[
            "calibrate fit collisions {}",
            "calibrate fit ir {}",
            "calibrate fit camera {}",
            "calibrate fit latency {}",
            "calibrate fit friction {}",
        ],
    ),
];

#[test]
fn special_files_are_rejected_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().display().to_string();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("experiment.toml", "name = \"x\"\nminutes = 1.0\nsegment_minutes = 1.0\ntask = \"transport\"\n");
    write(
        "swarm.toml",
        "robots = [\"xp01\"]\n[hub]\nrobots = \"tcp://127.0.0.1:1\"\noperator = \"tcp://127.0.0.1:1\"\n\
         [security]\ndev_mode = true\n",
    );
    for (extension, lines) in LINES {
        for (path, kind) in make(dir.path(), extension) {
            let name = Path::new(&path).file_stem().unwrap().to_str().unwrap().to_string();
            let rest = "[record]\ndirectory = \"runs\"\n";
            write(
                &format!("{name}-hub.toml"),
                &format!("swarm = \"{name}.toml\"\n[mocap]\naddress = \"127.0.0.1:1\"\nfrisbee = \"f\"\n{rest}"),
            );
            write(
                &format!("{name}-replay.toml"),
                &format!("swarm = {path:?}\n[mocap]\nkind = \"replay\"\nfile = {path:?}\nfrisbee = \"f\"\n{rest}"),
            );
            write(
                &format!("{name}-xp01.toml"),
                &format!(
                    "id = \"xp01\"\nswarm = {path:?}\n[devices]\nkind = \"virtual\"\ndirectory = \"d\"\n\
                 camera_width = 32\ncamera_height = 24\n"
                ),
            );
            write(&format!("{name}-sweep.toml"), &format!("name = \"s\"\nseeds = [1]\n[[points]]\nworld = {path:?}\n"));
            for line in lines {
                // `check` accepts a folder of keys, and `evolve` accepts the folder of a run.
                if (["check {}", "evolve {}"].contains(line), kind) == (true, "a folder") && extension != "bt" {
                    continue;
                }
                let line = line.replace("{}", &path).replace("{tree}", TREE).replace("{dir}", &root);
                let line = line.replace("{name}", &name);
                let words: Vec<String> = line.split(' ').map(String::from).collect();
                let mut command = command(&words);
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
                let output = ended(command.spawn().unwrap(), &line);
                let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
                let told = format!("it is {kind}, not a file");
                assert!(!output.status.success() && text.contains(&told), "{line}: {}: {text}", output.status);
                assert!(text.contains(&name), "{line}: {text}");
            }
        }
    }
}

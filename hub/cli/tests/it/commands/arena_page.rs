//! Tests of docs/arena.md: a swarm runs with the files of this page, the page's tables name every key, and wrong values
//! are rejected with an error of one line.

use crate::rig::{Process, free_ports, xpuck, xpuckd};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_testing::patience::wait_until;

fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/arena.md")).unwrap()
}

/// Returns the files in docs/arena.md by name. Their ports are replaced by free ports.
fn files() -> BTreeMap<String, String> {
    let ports = free_ports();
    let blocks: Vec<String> = page().split("```toml ").skip(1).map(String::from).collect();
    let file = |block: &String| {
        let (name, rest) = block.split_once('\n').unwrap();
        let text = rest.split("```").next().unwrap();
        let moved =
            (0..4).fold(text.to_string(), |text, i| text.replace(&format!(":760{i}"), &format!(":{}", ports + i)));
        (name.to_string(), moved)
    };
    blocks.iter().map(file).collect()
}

fn write(dir: &Path, files: &BTreeMap<String, String>) {
    for (name, text) in files {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

#[test]
fn files_of_the_page_make_a_swarm() {
    let dir = tempfile::tempdir().unwrap();
    let files = files();
    assert_eq!(files.len(), 5, "{:?}", files.keys());
    write(dir.path(), &files);
    let run = |arguments: &[&str]| {
        let output = xpuck().args(arguments).current_dir(dir.path()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["keys", "new", "--robots", "swarm.toml"]);
    run(&["check", "swarm.toml", "hub.toml", "arena.toml"]);
    let log = || dir.path().join("log");
    let serve = |what: &str| {
        let mut command = xpuck();
        command.args([what, "--config", &format!("{what}.toml"), "--end-with-stdin"]).current_dir(dir.path());
        Process::serve(&mut command, log()).0
    };
    let _services = [serve("arena"), serve("hub")];
    let _robots = ["robots/xp01.toml", "robots/xp02.toml"].map(|robot| {
        let mut command = xpuckd();
        Process::start(command.args(["--config", robot, "--end-with-stdin"]).current_dir(dir.path()), log())
    });
    let operator = files["swarm.toml"].split("operator = \"").nth(1).unwrap().split('"').next().unwrap();
    wait_until("two robots, and motion capture", || {
        let status: Value = serde_json::from_str(&run(&["robot", "list", "--json", "--hub", operator])).unwrap();
        let alive = status["robots"].as_array().unwrap().iter().filter(|robot| robot["alive"] == true).count();
        alive == 2 && status["tracking"] == true
    });
}

/// Appends the keys of a JSON schema to `all`. Dots separate the parts of a nested key, and `before` is the prefix of
/// the keys. A list is one key, except for the lists of tables at the top level.
pub fn keys(schema: &Value, before: &str, all: &mut Vec<String>) {
    let parts =
        || ["anyOf", "oneOf"].iter().flat_map(|key| schema[key].as_array().into_iter().flatten()).chain([schema]);
    let tables: Vec<&Value> = parts().filter(|part| part["properties"].is_object()).collect();
    for (key, inner) in tables.iter().flat_map(|table| table["properties"].as_object().unwrap()) {
        let top = before.is_empty() && ["every_robot", "physics", "floor"].contains(&key.as_str());
        let list = before.is_empty() && ["robots", "faults", "change"].contains(&key.as_str());
        match () {
            () if top => keys(inner, "=", all),
            () if list => keys(&inner["items"], "=", all),
            () => keys(inner, &format!("{}{key}.", before.trim_start_matches('=')), all),
        }
    }
    if tables.is_empty() {
        all.push(before.trim_end_matches('.').to_string());
    }
}

#[test]
fn tables_of_the_page_name_every_key() {
    let output = xpuck().args(["dev", "schema", "arena"]).output().unwrap();
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut all = Vec::new();
    keys(&schema, "", &mut all);
    let page = page();
    // The tables of the page lack two kinds of keys. The text describes `.spread` once, for all random values. The keys
    // of `physics` in a `[[change]]` are those of the `[physics]` table, where they have no prefix.
    let plain = |key: &str| key.trim_end_matches(".spread").trim_start_matches("physics.").to_string();
    let named = |key: &String| page.contains(&format!("| `{}`", plain(key)));
    let missing: Vec<&String> = all.iter().filter(|key| !named(key)).collect();
    assert!(all.len() > 50 && missing.is_empty(), "of {} keys docs/arena.md lacks {missing:?}", all.len());
}

#[test]
fn wrong_arena_is_one_line_with_file_key_and_limits() {
    let dir = tempfile::tempdir().unwrap();
    let files = files();
    write(dir.path(), &files);
    let refused = |more: &str| {
        let text = format!("{}{more}\n", files["arena.toml"]);
        std::fs::write(dir.path().join("arena.toml"), text).unwrap();
        let output =
            xpuck().args(["serve", "arena", "--config", "arena.toml"]).current_dir(dir.path()).output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.lines().count() == 1 && said.contains("arena.toml"), "{said}");
        said
    };
    for (more, words) in [
        ("unkind = \"brutal\"", ["line", "typical"]),
        ("[every_robot]\nwheel_bais = 0.1", ["wheel_bais", "wheel_bias"]),
        ("[every_robot]\nwheel_bias = { spred = 0.1 }", ["line", "{ spread = ... }"]),
        ("[every_robot]\nwheel_bias = { spread = 0.9 }", ["every_robot.wheel_bias.spread", "0 to 0.15"]),
        ("[every_robot]\nproximity_gain = [1.0, 1.0]", ["line", "one number for each wheel or sensor"]),
        ("[every_robot]\nhot_pixels = nan", ["every_robot.hot_pixels", "0 to 0.5"]),
        ("[[robots]]\nid = \"xp02\"\ncharge = 2.0", ["robots.xp02.charge", "0 to 1"]),
        ("[[robots]]\nid = \"xp09\"", ["robots.id", "xp01, xp02"]),
        ("[physics]\nfrisbee_friction = -1.0", ["physics.frisbee_friction", "0 to 10"]),
        ("[floor]\nlength_m = 1.0", ["line", "spread"]),
        ("[[faults]]\nwhat = \"explosion\"\nat_s = 1.0\nseconds = 1.0", ["line", "brown-out"]),
        ("[[change]]\nat_s = 1.0\nwheels = [0.5, 0.5]", ["change.wheels", "add robot"]),
        ("[[faults]]\nwhat = \"brown-out\"\nseconds = 1.0", ["faults.at_s", "per_minute"]),
    ] {
        let said = refused(more);
        assert!(words.iter().all(|word| said.contains(word)), "{more}: {said}");
    }
    let ports = free_ports().to_string();
    let command = ["demo", "--ports", &ports, "--unkind", "nobody.toml", "--output"];
    let output = xpuck().args(command).arg(dir.path()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.lines().count() == 1 && said.contains("--unkind nobody.toml") && said.contains("typical"), "{said}");
}

//! Checks that `docs/defaults.md` matches the constants, `Default`s and schemas from which it is generated.

mod constants;
mod keys;

use constants::Source;
use keys::{rows, schema};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use toml::Table;
use xpuck_evolve::{Algorithm, Settings};
use xpuck_experiment::settings::DERIVED_SETTINGS;
use xpuck_testing::page::assert_page_is_current;

const OPENING: &str = "\
# Defaults

Default values, generated from the code. Keys that must be given are not here; a key `a.b` is `b` in
the table `[a]`, and `a[].b` is `b` in each `[[a]]`. \"none\" is: nothing, unless the key is given. Constants have no key:
they are changed in the source file that is named above their table.

";
const ALGORITHMS: [Algorithm; 7] = [
    Algorithm::Racing,
    Algorithm::MedianStopping,
    Algorithm::FRace,
    Algorithm::PooledSamples,
    Algorithm::NoiseAware,
    Algorithm::Classic,
    Algorithm::Dars2016,
];
/// Source files, and the names of their constants that the page lists.
const TIMES: [(&str, &[&str]); 10] = [
    ("robot/core/src/lease.rs", &["LEASE"]),
    ("robot/core/src/core.rs", &["HUB_SILENCE", "SENSES_STALE", "PING_PERIOD", "HELLO_PERIOD"]),
    ("robot/core/src/readings.rs", &["BODY_STALE", "CAMERA_STALE"]),
    ("robot/core/src/island.rs", &["MIGRATION_WAIT"]),
    ("hub/core/src/roster.rs", &["LOST_AFTER", "SLOW_MS"]),
    ("hub/core/src/session_arbiter.rs", &["HOLD", "PROOF", "EPISODE"]),
    (
        "hub/core/src/switchboard/mod.rs",
        &["REPEAT", "VALID", "REFUSALS", "PING", "RESTING", "LONGEST_STEP", "POSES_HZ", "TRACKING_LOST"],
    ),
    ("hub/core/src/switchboard/run.rs", &["PREPARE", "TOUCH", "CENTRAL", "AT_REST", "RELOCATION"]),
    ("hub/core/src/switchboard/restart.rs", &["RETURN"]),
    ("hub/core/src/switchboard/push.rs", &["GIVE_UP"]),
];

fn table<const N: usize>(page: &mut String, head: [&str; N], rows: &[[String; N]]) {
    assert!(
        !rows.is_empty(),
        "a table without rows under {}",
        page.lines().rfind(|l| l.starts_with('#')).unwrap_or("")
    );
    let _ = writeln!(page, "| {} |\n|{}", head.join(" | "), "---|".repeat(N));
    for row in rows {
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
    page.push('\n');
}

fn section(page: &mut String, title: &str, words: &str) {
    let _ = writeln!(page, "## {title}\n\n{words}\n");
}

fn file(page: &mut String, title: &str, words: &str, rows: &[[String; 4]]) {
    section(page, title, words);
    table(page, ["key", "default", "range", "what"], rows);
}

fn constants(page: &mut String, path: &str, rows: &[[String; 3]]) {
    let _ = writeln!(page, "In `{path}`:\n");
    table(page, ["what", "value", "constant"], rows);
}

/// Writes a table that compares the settings of all algorithms.
fn settings(page: &mut String, schema: &Value) {
    // Settings are converted through text, so that an f32 of 0.05 is shown as 0.05.
    let of = |algorithm: Algorithm| -> Table {
        toml::to_string(&Settings::for_algorithm(algorithm)).expect("plain data").parse().expect("TOML")
    };
    let presets = ALGORITHMS.map(of);
    let names = presets.each_ref().map(|preset| preset["algorithm"].as_str().expect("a name").to_string());
    let [a, b, c, d, e, f, g] = names.each_ref().map(String::as_str);
    let row = |key: &String| {
        let property = &schema["properties"]["settings"]["properties"][key];
        let elsewhere = DERIVED_SETTINGS.iter().find(|(name, _)| name == key);
        let (range, what) = match elsewhere {
            Some((_, said)) => (String::new(), format!("said by `{said}`")),
            None => {
                let words = property["description"].as_str().unwrap_or_else(|| panic!("settings.{key} has no words"));
                (keys::range(property), words.replace('\n', " ").replace('|', "\\|"))
            }
        };
        let [a, b, c, d, e, f, g] = presets.each_ref().map(|preset| preset[key].to_string().replace('"', "`"));
        [format!("`{key}`"), a, b, c, d, e, f, g, range, what]
    };
    let rows: Vec<[String; 10]> = presets[0].keys().filter(|key| *key != "algorithm").map(row).collect();
    table(page, ["key", a, b, c, d, e, f, g, "range", "what"], &rows);
}

fn primitive_sets(page: &mut String) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robot/evolve/src/primitive_set");
    let read = |name: &str| -> Table {
        std::fs::read_to_string(Path::new(folder).join(format!("{name}.toml"))).unwrap().parse().unwrap()
    };
    let sets = ["in-swarm", "transferability"].map(read);
    let list = |value: &toml::Value| -> String {
        let item = |item: &toml::Value| item.as_str().map_or_else(|| item.to_string(), |name| format!("`{name}`"));
        value.as_array().expect("a list").iter().map(item).collect::<Vec<_>>().join(", ")
    };
    let flat = |set: &Table| -> BTreeMap<String, String> {
        let keys = set.iter().flat_map(|(key, value)| match value {
            toml::Value::Table(inner) => {
                inner.iter().map(|(part, value)| (format!("{key}.{part}"), list(value))).collect::<Vec<_>>()
            }
            value => vec![(key.clone(), list(value))],
        });
        keys.collect()
    };
    let sets = sets.each_ref().map(flat);
    // Default ranges, which apply if a primitive set omits them.
    let usual = Source::read("robot/evolve/src/operands.rs").defaults("Ranges", "ranges.", &[]);
    let usual: BTreeMap<String, String> =
        usual.into_iter().map(|[key, shown, _]| (key.trim_matches('`').to_string(), shown)).collect();
    let keys: BTreeSet<&String> = sets.iter().flat_map(BTreeMap::keys).collect();
    let row = |key: &String| {
        let known = |set: &BTreeMap<String, String>| set.get(key).or_else(|| usual.get(key)).cloned();
        let [one, other] = sets.each_ref().map(|set| known(set).unwrap_or_else(|| "none".into()));
        let other = if one == other { "the same".into() } else { other };
        [format!("`{key}`"), one, other]
    };
    let rows: Vec<[String; 3]> = keys.into_iter().map(row).collect();
    table(page, ["key", "`in-swarm`", "`transferability`"], &rows);
}

fn page() -> String {
    let mut page = OPENING.to_string();
    let evolution = schema("evolution");
    let words = "An evolution file, the options of `xpuck evolve`, or `--set KEY=VALUE` ([evolution](evolution.md)).";
    file(&mut page, "Evolution in simulation", words, &rows(&evolution, "", &["settings", "migration"]));
    let path = "hub/lab/src/evolution_run/file.rs";
    let source = Source::read(path);
    constants(&mut page, path, &["GENERATIONS", "ROBOTS"].map(|name| source.row(name)));

    let words = "`[migration]` of an evolution file or an experiment ([islands](concepts/islands.md)).";
    let migration = &evolution["properties"]["migration"];
    file(&mut page, "Migration", words, &rows(migration, "migration.", &[]));

    let words = "`[settings]` of an evolution file, `[evolution.settings]` of an experiment: each algorithm has its own values.";
    section(&mut page, "Algorithms", words);
    settings(&mut page, &evolution);

    let words = "What trees are built from: `primitive_set` of an evolution file or an experiment, which have `in-swarm` \
                 without it. Ranges go from lowest to highest; angles and widths count steps of pi/128.";
    section(&mut page, "Primitive sets", words);
    primitive_sets(&mut page);

    let words =
        "An experiment's file ([experiments](experiments.md)); `[migration]` and `[evolution.settings]` are above.";
    let without = ["migration", "evolution.settings"];
    file(&mut page, "An experiment", words, &rows(&schema("experiment"), "", &without));

    let words = "A world file ([worlds](worlds.md)). `[messages]` is as in a hub's file, and without it all robots in range \
                 are heard at once.";
    file(&mut page, "A world", words, &rows(&schema("world"), "", &["messages"]));

    let words = "The simulator's model of robots, frisbee and physics (tables 6.1 and 7.1 of the thesis), in SI units. World \
                 and calibration files change some of it.";
    section(&mut page, "The robot and its world", words);
    let path = "kernels/src/model.rs";
    constants(&mut page, path, &Source::read(path).public());

    let hub = schema("hub");
    let words =
        "`[messages]` of `hub.toml`: how compass and range and bearing are made of poses ([senses](senses.md)).";
    let messages = &hub["properties"]["messages"];
    file(&mut page, "Virtual senses", words, &rows(messages, "messages.", &[]));

    let words = "`hub.toml` ([the hub](hub.md)).";
    file(&mut page, "The hub", words, &rows(&hub, "", &["messages"]));

    let words = "`swarm.toml`, which hub, arena and robots share ([setting up](set-up.md)).";
    file(&mut page, "The swarm", words, &rows(&schema("swarm"), "", &[]));

    let words = "`robots/ID.toml` ([robots](robots.md)); its `[calibration]` changes nothing unless it is given.";
    section(&mut page, "A robot", words);
    let (robot, thermal) = (Source::read("robot/src/config/mod.rs"), Source::read("robot/src/onboard/thermal.rs"));
    let mut both = robot.defaults("ControlFile", "control.", &[]);
    both.extend(robot.defaults("EvolutionFile", "evolution.", &[&thermal]));
    table(&mut page, ["key", "default", "what"], &both);

    let words = "When robots stop, when something counts as lost, and how often it is asked for.";
    section(&mut page, "Stops and times", words);
    for (path, names) in TIMES {
        let source = Source::read(path);
        let rows: Vec<[String; 3]> = names.iter().map(|name| source.row(name)).collect();
        constants(&mut page, path, &rows);
    }
    page.trim_end().to_string() + "\n"
}

#[test]
fn defaults_page_matches_code() {
    assert_page_is_current("docs/defaults.md", &page(), "cargo test -p xpuck-lab --test defaults");
}

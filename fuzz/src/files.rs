//! Fuzzes the readers of files that users write: experiment, swarm, hub, world, settings for a robot's file, keys,
//! and the manifest of an experiment.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::fmt::Display;
use xpuck_experiment::Experiment;
use xpuck_experiment::world_file;
use xpuck_hub_core::config::HubFile;
use xpuck_robot::settings;
use xpuck_wire::keys::{Public, Secret};
use xpuck_wire::signed::{Signed, Trust};
use xpuck_wire::{Swarm, file};

const ROBOT: &str = "id = \"xp01\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"e-puck1\"\ni2c = \"/dev/i2c-12\"\n";

/// Checks that an error is a single non-empty line.
fn check<T, E: Display>(read: Result<T, E>) {
    if let Err(error) = read {
        let text = error.to_string();
        assert!(!text.is_empty() && text.lines().count() == 1, "{text}");
    }
}

fuzz_target!(|text: &str| {
    check(Experiment::parse("experiment", text));
    check(file::parse::<Swarm>("swarm", text));
    check(file::parse::<HubFile>("hub", text));
    check(world_file::parse("world", text));
    check(settings::merge(ROBOT, text));
    check(file::parse::<Public>("key", text));
    check(file::parse::<Secret>("key", text));
    let files = [("on.bt".into(), "movcv v_goal 0deg".into())].into();
    check(Signed { manifest: text.into(), signer: "x".into(), signature: String::new(), files }.open(&Trust::Anybody));
});

//! Checks that the Grafana dashboard can be imported, and that Prometheus accepts its expressions. A test of the hub's
//! service checks that the metrics exist.

use crate::common::said;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::Command;

fn dashboard() -> Value {
    serde_json::from_str(include_str!("../../../../../docs/grafana-dashboard.json")).unwrap()
}

#[test]
fn panels_have_places_of_their_own_and_one_source() {
    let dashboard = dashboard();
    let mut taken = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{panel}");
        let number = |key: &str| panel["gridPos"][key].as_u64().unwrap();
        for x in number("x")..number("x") + number("w") {
            for y in number("y")..number("y") + number("h") {
                assert!(x < 24 && taken.insert((x, y)), "{}: ({x}, {y}) is taken", panel["title"]);
            }
        }
        for target in panel["targets"].as_array().unwrap() {
            assert_eq!(target["datasource"]["uid"], "${source}", "{target}");
        }
    }
    let variables = dashboard["templating"]["list"].as_array().unwrap().iter();
    let names: Vec<&str> = variables.map(|variable| variable["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["source", "job", "robot"]);
}

#[test]
fn prometheus_understands_every_expression() {
    let Ok(promtool) = std::env::var("XPUCK_PROMTOOL") else {
        return xpuck_testing::skipped("the dashboard is not checked by promtool (make deps-promtool)");
    };
    let dir = tempfile::tempdir().unwrap();
    let check = |expressions: &[String]| {
        let rule = |(i, expression): (usize, &String)| json!({ "record": format!("panel_{i}"), "expr": expression });
        let rules: Vec<Value> = expressions.iter().enumerate().map(rule).collect();
        let file = dir.path().join("rules.yml");
        // The file needs no conversion, because JSON is valid YAML.
        std::fs::write(&file, json!({ "groups": [{ "name": "dashboard", "rules": rules }] }).to_string()).unwrap();
        Command::new(&promtool).args(["check", "rules"]).arg(file).output().unwrap()
    };
    let dashboard = dashboard();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    let chosen = |expression: &str| expression.replace("$job", ".*").replace("$robot", ".*");
    let mut expressions: Vec<String> = targets.map(|target| chosen(target["expr"].as_str().unwrap())).collect();
    let output = check(&expressions);
    let counted = format!("{} rules found", expressions.len());
    assert!(output.status.success() && said(&output).contains(&counted), "{}", said(&output));
    expressions[3] += ")";
    assert!(!check(&expressions).status.success(), "what is damaged passes too");
}

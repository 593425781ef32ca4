//! Tests that the Grafana dashboard uses only exported metrics, with their names and labels.

use super::exposition::Form;
use super::health::Facts;
use super::metrics::Metrics;
use super::process::Process;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use xpuck_wire::{RobotRow, Status};

/// Returns the label names of all exported metrics, by metric name. The hub has one robot, which reports all values.
fn exported_metrics() -> BTreeMap<String, BTreeSet<String>> {
    let (metrics, registry) = Metrics::new();
    let mut row = RobotRow { id: "xp01".into(), alive: true, ..RobotRow::default() };
    (row.battery_v, row.power_w, row.soc_c, row.round_trip_ms) = (Some(4.0), Some(3.0), Some(50.0), Some(2.0));
    (row.engine.name, row.engine.r_acc) = ("simd".into(), 100.0);
    let status = Status { robots: vec![row], ..Status::default() };
    metrics.status(&status, &Facts::default(), None, 0);
    metrics.gates(&[("no pose".into(), 1)]);
    metrics.ports(&Default::default());
    Process::default().read(&metrics);
    let window = super::MetricsView { registry: Arc::new(registry), loop_state: Arc::default() };
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in window.metrics(Form::Text).lines().filter(|line| !line.starts_with('#')) {
        let (name, _) = line.rsplit_once(' ').unwrap();
        let (name, labels) = name.split_once('{').unwrap_or((name, ""));
        let labels =
            labels.trim_end_matches('}').split(',').filter_map(|label| Some(label.split_once('=')?.0.to_string()));
        found.entry(name.into()).or_default().extend(labels);
    }
    found
}

/// Returns the names of the metrics in a query expression, each with the names of its labels.
fn asked(expression: &str) -> Vec<(String, Vec<String>)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = Vec::new();
    for (at, _) in expression.match_indices("xpuck_").chain(expression.match_indices("process_")) {
        let name: String = expression[at..].chars().take_while(|c| is_name(*c)).collect();
        let rest = &expression[at + name.len()..];
        let inside = rest.strip_prefix('{').and_then(|rest| rest.split('}').next()).unwrap_or("");
        let labels =
            inside.split(',').filter_map(|label| label.split(['=', '!']).next()).filter(|label| !label.is_empty());
        names.push((name, labels.map(String::from).collect()));
    }
    names
}

#[test]
fn dashboard_queries_only_exported_metrics() {
    let told = exported_metrics();
    let text = include_str!("../../../../docs/grafana-dashboard.json");
    let dashboard: Value = serde_json::from_str(text).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
    let targets: Vec<&Value> = targets.collect();
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let queries = variables.iter().filter_map(|variable| variable["definition"].as_str());
    let mut seen = BTreeSet::new();
    for expression in targets.iter().map(|target| target["expr"].as_str().unwrap()).chain(queries) {
        let asked = asked(expression);
        assert!(!asked.is_empty(), "{expression} asks for nothing of ours");
        for (name, labels) in asked {
            let has = told.get(&name).unwrap_or_else(|| panic!("{expression}: {name} is not told; told are {told:?}"));
            for label in labels.iter().filter(|label| *label != "job") {
                assert!(has.contains(label), "{expression}: {name} has no label {label}");
            }
            seen.insert(name);
        }
    }
    assert!(targets.len() > 25 && seen.len() > 25, "{seen:?}");
    // Each legend contains only labels of its metric.
    for target in targets {
        let (expression, legend) = (target["expr"].as_str().unwrap(), target["legendFormat"].as_str().unwrap());
        for label in legend.split("{{").skip(1).map(|rest| rest.split("}}").next().unwrap()) {
            let (name, _) = &asked(expression)[0];
            assert!(told[name].contains(label), "{expression}: no label {label} for {legend}");
        }
    }
}

#[test]
fn expressions_are_parsed_into_metrics_and_labels() {
    let told = exported_metrics();
    assert!(told.contains_key("xpuck_senses_sent_total") && !told.contains_key("xpuck_senses_sent"));
    let found = asked("rate(xpuck_messages_refused_total{job=~\"a\",reason!=\"size\"}[1m]) + xpuck_run_seconds");
    assert_eq!(found[0], ("xpuck_messages_refused_total".into(), vec!["job".into(), "reason".into()]));
    assert_eq!(found[1], ("xpuck_run_seconds".into(), Vec::new()));
}

//! Pictures of one run: their content, their agreement with the measured run, and the script of the HTML page in a
//! browser.

use crate::common::xpuck;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const TREE: &str = "docs/trees/806768.bt";
const CHROMIUM: &str = "/usr/bin/chromium";

fn simulate(tree: &str, more: &[&str]) -> Output {
    xpuck().args(["simulate", tree, "--scenario", "b"]).args(more).current_dir(ROOT).output().unwrap()
}

fn drawn(option: &str, tree: &str, more: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("picture");
    let output = simulate(tree, &[&[option, file.to_str().unwrap()], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(file).unwrap()
}

fn refusal(more: &[&str]) -> String {
    let output = simulate(TREE, more);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && output.stdout.is_empty() && error.lines().count() == 1, "{more:?}: {error}");
    error
}

/// Returns the data that is embedded in an HTML page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("<script type=\"application/json\" id=\"run\">").unwrap();
    serde_json::from_str(rest.split("</script>").next().unwrap()).unwrap()
}

fn mean(more: &[&str]) -> f64 {
    let output = simulate(TREE, &[&["--json"], more].concat());
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["mean"].as_f64().unwrap()
}

#[test]
fn drawing_has_every_trail_and_names_branches() {
    let text = drawn("--svg", TREE, &["--runs", "1"]);
    let svg = roxmltree::Document::parse(&text).unwrap();
    let of = |class: &str| svg.descendants().filter(|n| n.attribute("class") == Some(class)).collect::<Vec<_>>();
    // The legend contains a circle of the class `start` as well.
    assert_eq!((of("trajectory").len(), of("start").len(), of("end").len(), of("disc").len()), (9, 11, 10, 1));
    let rows: Vec<&str> = of("branch").iter().filter_map(|n| n.text()).collect();
    for (row, words) in
        rows.iter().zip(["2 ", "7 ", "9 "].iter().zip(["avoiding", "mulas v_goal.y", "mulav v_goal v_scr"]))
    {
        assert!(row.trim_start().starts_with(words.0) && row.contains(words.1), "{rows:?}");
    }
    assert_eq!(rows.len(), 3);
    let colours = |trajectory: &roxmltree::Node| {
        trajectory.descendants().filter_map(|n| n.attribute("stroke")).map(str::to_owned).collect::<BTreeSet<_>>()
    };
    assert!(
        of("trajectory").iter().any(|trajectory| colours(trajectory).len() == 3),
        "some robot was driven by all three branches"
    );
    let fitness = mean(&["--runs", "1"]);
    assert!(of("title")[0].text().unwrap().contains(&format!("fitness {fitness:.4}")), "{fitness}");
}

#[test]
fn short_runs_of_few_robots_are_outlined_and_long_ones_thinned() {
    let short = drawn("--svg", TREE, &["--runs", "1", "--count", "1", "--seconds", "3"]);
    assert!(short.contains("class=\"outlines\"") && short.contains("a point and an outline every 0.1 s"));
    let long = drawn("--svg", TREE, &["--runs", "1", "--count", "1", "--seconds", "1000"]);
    assert!(!long.contains("class=\"outlines\"") && long.contains("a point every 0.4 s") && long.len() < 250_000);
}

#[test]
fn pictures_are_of_the_chosen_run_and_the_same_every_time() {
    for option in ["--svg", "--html"] {
        let picture = drawn(option, TREE, &["--runs", "3", "--run", "2", "--seed", "5"]);
        let again = drawn(option, TREE, &["--runs", "9", "--run", "2", "--seed", "5", "--engine", "reference"]);
        assert_eq!(picture, again, "{option}");
        assert_ne!(picture, drawn(option, TREE, &["--runs", "3", "--run", "1", "--seed", "5"]), "{option}");
    }
    let fitness = |run: &str| {
        let page = data(&drawn("--html", TREE, &["--runs", "2", "--run", run]));
        page["frames"]["fitness"].as_array().unwrap().last().unwrap().as_f64().unwrap()
    };
    assert!(((fitness("0") + fitness("1")) / 2.0 - mean(&["--runs", "2"])).abs() < 1e-4);
}

#[test]
fn page_contains_its_data_and_needs_no_network() {
    let page = drawn("--html", TREE, &["--runs", "1", "--seconds", "5"]);
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("src=") && !page.contains("{{"));
    let data = data(&page);
    let frames = &data["frames"];
    let length = |list: &Value| list.as_array().unwrap().len();
    assert_eq!((length(&frames["seconds"]), length(&frames["poses"]), length(&frames["drivers"])), (51, 10, 9));
    assert!(frames["poses"].as_array().unwrap().iter().all(|poses| length(poses) == 153));
    let rows = length(&data["legend"]) as u64;
    let drivers = frames["drivers"].as_array().unwrap().iter().flat_map(|robot| robot.as_array().unwrap());
    assert!(drivers.map(|row| row.as_u64().unwrap()).all(|row| row < rows));
}

#[test]
fn names_of_files_are_only_text_in_pictures() {
    let dir = tempfile::tempdir().unwrap();
    let name = "{{data}} & <b>\u{1}.bt";
    let tree = dir.path().join(name);
    std::fs::copy(Path::new(ROOT).join(TREE), &tree).unwrap();
    let tree = tree.to_str().unwrap();
    let svg = drawn("--svg", tree, &["--runs", "1", "--seconds", "1"]);
    assert!(
        roxmltree::Document::parse(&svg).unwrap().descendants().any(|n| n.text().is_some_and(|t| t.contains("<b>")))
    );
    let page = drawn("--html", tree, &["--runs", "1", "--seconds", "1"]);
    assert!(data(&page)["tree"].as_str().unwrap().ends_with(name) && !page.contains("<b>"));
}

#[test]
fn wrong_wishes_are_refused_in_a_line() {
    assert!(refusal(&["--svg", "/nowhere/a.svg"]).contains("/nowhere/a.svg: cannot be written"));
    assert!(refusal(&["--html", "/"]).contains("/: cannot be written"));
    assert!(refusal(&["--svg", "a", "--runs", "4", "--run", "4"]).contains("must be 0 to 3"));
    assert!(refusal(&["--svg", "a", "--html", "a"]).contains("--svg and --html name the same file, a"));
    assert!(refusal(&["--run", "2"]).contains("add --svg, --png, --pdf, --html or --mp4"));
}

/// docs/806768-trajectories.svg equals the output of the command in docs/simulator.md.
#[test]
fn documented_drawing_matches_output() {
    let shown = std::fs::read_to_string(Path::new(ROOT).join("docs/806768-trajectories.svg")).unwrap();
    assert!(
        shown == drawn("--svg", TREE, &["--runs", "1"]),
        "draw docs/806768-trajectories.svg again: see docs/simulator.md"
    );
}

/// Opens an HTML page in a browser, and returns the DOM after the page's script has run.
fn in_browser(file: &Path, moment: &str) -> String {
    let output = Command::new(CHROMIUM)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", file.with_extension("profile").display()))
        .arg(format!("file://{}{moment}", file.display()))
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(!log.contains("CONSOLE"), "the page reported: {log}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn page_plays_in_browser() {
    if !Path::new(CHROMIUM).exists() {
        return xpuck_testing::skipped(format_args!("{CHROMIUM} is missing (apt-get install chromium)"));
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.html");
    let output = simulate(TREE, &["--runs", "1", "--html", file.to_str().unwrap()]);
    assert!(output.status.success());
    let fitness = &data(&std::fs::read_to_string(&file).unwrap())["frames"]["fitness"];
    let still = in_browser(&file, "#t=12.5");
    assert!(still.contains(">12.5 / 60.0 s<") && still.contains(">Play<"), "it waits at the moment of the address");
    let shown = format!("{:.4}", fitness[125].as_f64().unwrap()).replace('-', "\u{2212}");
    assert!(still.contains(&format!(">{shown}<")), "fitness {shown}");
    for row in ["avoiding", "mulas v_goal.y v_prox.x 6.55 v_up.y", "mulav v_goal v_scr 12.3 v_blue"] {
        assert!(still.contains(&format!("<td class=\"branch\">{row}</td>")), "{row}");
    }
    let page =
        std::fs::read_to_string(&file).unwrap().replace("</body>", &format!("<script>{CONTROLS}</script></body>"));
    let probed = dir.path().join("probed.html");
    std::fs::write(&probed, page).unwrap();
    let dom = in_browser(&probed, "");
    let told = dom.split("<pre>").nth(1).and_then(|rest| rest.split("</pre>").next()).unwrap();
    assert_eq!(told, "plays true; 3.0 / 60.0 s; Play 3; 40.0 / 60.0 s; Pause; 60.0 / 60.0 s Play; drawn true");
}

/// Script that operates the page's controls like a user and lists their effects. It also advances the page's time.
const CONTROLS: &str = r##"
const told = [];
const by = (id) => document.getElementById(id);
told.push(`plays ${state.playing}`);
play(false); go(0); play(true);
tick(state.lastTick + 1500);
told.push(by("time").textContent);
by("play").click();
told.push(`${by("play").textContent} ${by("scrub").value}`);
by("scrub").value = 40;
by("scrub").dispatchEvent(new Event("input"));
told.push(by("time").textContent);
by("speed").value = "16";
document.body.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
told.push(by("play").textContent);
tick(state.lastTick + 5000);
told.push(`${by("time").textContent} ${by("play").textContent}`);
const { data } = by("arena").getContext("2d").getImageData(0, 0, by("arena").width, by("arena").height);
const yellow = (i) => data[i] === 255 && data[i + 1] === 204 && data[i + 2] === 0;
told.push(`drawn ${data.some((_, i) => i % 4 === 0 && yellow(i))}`);
document.body.append(Object.assign(document.createElement("pre"), { textContent: told.join("; ") }));
"##;

#[test]
fn picture_does_not_overwrite_tree() {
    let dir = tempfile::tempdir().unwrap();
    let (tree, linked) = (dir.path().join("a.bt"), dir.path().join("b.svg"));
    std::fs::copy(Path::new(ROOT).join(TREE), &tree).unwrap();
    std::os::unix::fs::symlink(&tree, &linked).unwrap();
    let before = std::fs::read(&tree).unwrap();
    for (option, file) in [("--svg", &tree), ("--html", &linked)] {
        let output = simulate(tree.to_str().unwrap(), &["--runs", "1", option, file.to_str().unwrap()]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(
            error.contains("is an input file; choose another output file") && error.lines().count() == 1,
            "{error}"
        );
        assert_eq!(std::fs::read(&tree).unwrap(), before);
    }
    let one = simulate(tree.to_str().unwrap(), &["--runs", "1"]);
    let said = String::from_utf8_lossy(&one.stdout).into_owned();
    assert!(said.contains(" (one run of 60 s, 9 robots)") && !said.contains("+-"), "{said}");
}

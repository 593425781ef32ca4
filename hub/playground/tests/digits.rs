//! The playground has the digits of the programs: simulations of a tree, and generations of evolution.

use serde_json::{Value, json};
use toml::Table;
use xpuck_lab::evolution_run::{EvolutionRun, file};
use xpuck_playground::Playground;

const TREE: &str = "sel\n  avoiding\n  movcv v_goal 0deg\n";

fn ask(playground: &mut Playground, request: Value) -> Value {
    let answer: Value = serde_json::from_str(&playground.answer(&request.to_string())).unwrap();
    assert!(answer.get("error").is_none(), "{request}: {answer}");
    answer
}

fn refused(playground: &mut Playground, request: &str) -> String {
    let answer: Value = serde_json::from_str(&playground.answer(request)).unwrap();
    let error = answer["error"].as_str().unwrap_or_else(|| panic!("{request}: {answer}")).to_string();
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

#[test]
fn generations_equal_those_of_xpuck_evolve() {
    for algorithm in ["racing", "median-stopping", "noise-aware"] {
        let text =
            format!("algorithm = \"{algorithm}\"\nislands = 3\nseconds = 4.0\nseed = 5\n[settings]\npopulation = 24\n");
        let table: Table = text.parse().unwrap();
        let mut native = EvolutionRun::new(file::load(None, table).unwrap());
        // Two workers hold the islands; the first one exchanges migrants.
        let mut workers = [Playground::default(), Playground::default()];
        let world = json!({ "scenario": "mix", "robots": 9 });
        let settings = json!({ "algorithm": algorithm, "islands": 3, "population": 24, "seconds": 4.0, "seed": 5, "world": world });
        for (worker, islands) in workers.iter_mut().zip([vec![0, 2], vec![1]]) {
            ask(worker, json!({ "do": "evolve", "settings": settings, "islands": islands }));
        }
        let mut immigrants = vec![json!([]); 3];
        let mut robot_seconds = 0.0;
        for _ in 0..12 {
            let rows = native.step().rows;
            let mut emigrants = Vec::new();
            for (island, immigrants) in immigrants.iter().enumerate() {
                let request = json!({ "do": "generation", "island": island, "immigrants": immigrants });
                let mine = ask(&mut workers[island % 2], request);
                let expected = serde_json::to_value(rows[island]).unwrap();
                for key in ["generation", "best", "derated", "evaluations", "mean", "distinct"] {
                    assert_eq!(mine[key], expected[key], "{algorithm}, island {island}: {key}");
                }
                robot_seconds += mine["robot_seconds"].as_f64().unwrap();
                emigrants.push(mine["emigrant"].clone());
            }
            assert_eq!(robot_seconds, native.robot_seconds());
            let request = json!({ "do": "exchange", "generation": rows[0].generation, "emigrants": emigrants });
            immigrants = ask(&mut workers[0], request)["immigrants"].as_array().unwrap().clone();
        }
        let champion = ask(&mut workers[1], json!({ "do": "champion", "island": 1 }));
        assert_eq!(champion["fitness"].as_f64(), Some(native.state().islands[1].progress().derated));
    }
}

#[test]
fn runs_in_parts_equal_one_measurement() {
    let mut playground = Playground::default();
    let world = json!({ "scenario": "b", "robots": 9 });
    let (mut fitness, mut hashes) = (Vec::new(), Vec::new());
    for (first, count) in [(0, 16), (16, 5)] {
        let request = json!({ "do": "simulate", "tree": TREE, "world": world, "seconds": 6.0, "seed": 7, "first": first, "count": count });
        let part = ask(&mut playground, request);
        fitness.extend(part["fitness"].as_array().unwrap().clone());
        hashes.extend(part["hashes"].as_array().unwrap().clone());
    }
    let request =
        json!({ "do": "simulate", "tree": TREE, "world": world, "seconds": 6.0, "seed": 7, "first": 0, "count": 21 });
    let whole = ask(&mut playground, request);
    assert_eq!((&whole["fitness"], &whole["hashes"]), (&json!(fitness), &json!(hashes)));
    let sum = ask(&mut playground, json!({ "do": "summarise", "fitness": fitness, "hashes": hashes }));
    assert_eq!((sum["runs"].as_u64(), sum["hash"].as_str().map(str::len)), (Some(21), Some(16)));
}

#[test]
fn watched_run_ends_like_a_simulated_one() {
    let mut playground = Playground::default();
    let world = json!({ "scenario": "mix", "robots": 4 });
    let request =
        json!({ "do": "simulate", "tree": TREE, "world": world, "seconds": 5.0, "seed": 2, "first": 1, "count": 1 });
    let whole = ask(&mut playground, request);
    let start = ask(&mut playground, json!({ "do": "watch", "tree": TREE, "world": world, "seed": 2, "run": 1 }));
    assert_eq!(start["poses"].as_array().unwrap().len(), 3 * 5, "four robots and the frisbee");
    let mut end = Value::Null;
    for _ in 0..5 {
        end = ask(&mut playground, json!({ "do": "step", "updates": 10, "robot": 2 }));
    }
    assert_eq!(end["fitness"].as_f64(), whole["fitness"][0].as_f64());
    let senses = &end["senses"];
    assert_eq!((senses["robot"].as_str(), senses["nodes"].as_str().map(str::len)), (Some("r3"), Some(3)));
    ask(&mut playground, json!({ "do": "move", "body": 4, "x": 99.0, "y": -0.2 }));
    let moved = ask(&mut playground, json!({ "do": "step", "updates": 0, "robot": null }));
    let x = moved["poses"][12].as_f64().unwrap();
    assert!((0.3..1.5).contains(&x), "the frisbee stays within the arena: {x}");
}

#[test]
fn trees_and_worlds_are_checked_with_places() {
    let mut playground = Playground::default();
    let wrong = ask(&mut playground, json!({ "do": "tree", "text": "sel\n  avoidng\n", "form": "bt", "world": null }));
    assert_eq!(wrong["errors"][0]["line"], 2);
    assert!(wrong["errors"][0]["message"].as_str().unwrap().contains("did you mean `avoiding`?"));
    let right = ask(&mut playground, json!({ "do": "tree", "text": TREE, "form": "bt", "world": null }));
    assert_eq!(right["tree"]["nodes"].as_array().unwrap().len(), 3);
    let xml = ask(&mut playground, json!({ "do": "convert", "text": TREE, "form": "bt", "to": "xml" }))["text"].clone();
    let back = ask(&mut playground, json!({ "do": "convert", "text": xml, "form": "xml", "to": "bt" }));
    assert_eq!(back["text"], TREE);
    let world = ask(&mut playground, json!({ "do": "world", "world": { "scenario": "a", "robots": 2 } }));
    assert_eq!(world["bodies"], json!(["r1", "r2", "frisbee"]));
    assert!(!ask(&mut playground, json!({ "do": "nodes" }))["registers"].as_array().unwrap().is_empty());
}

#[test]
fn invalid_requests_get_one_line() {
    let mut playground = Playground::default();
    let world = json!({ "scenario": "a", "robots": 2 });
    let simulate = |key: &str, value: Value| {
        let mut request = json!({ "do": "simulate", "tree": TREE, "world": world, "seconds": 5.0, "seed": 2, "first": 0, "count": 1 });
        request[key] = value;
        request.to_string()
    };
    let evolve = |islands: u16, population: usize, numbers: &[u16]| {
        let settings = json!({ "algorithm": "racing", "islands": islands, "population": population, "seconds": 5.0, "seed": 2, "world": world });
        json!({ "do": "evolve", "settings": settings, "islands": numbers }).to_string()
    };
    for (request, expected) in [
        ("".into(), "request: "),
        ("{\"do\":\"fly\"}".into(), "unknown variant `fly`"),
        (simulate("seconds", json!(1e9)), "seconds = 1000000000 is outside"),
        (simulate("count", json!(257)), "a request has 1 to 256 runs"),
        (simulate("first", json!(4_294_967_295_u32)), "a request has 1 to 256 runs"),
        (simulate("tree", json!("sel")), "line 1"),
        (simulate("world", json!({ "scenario": "a", "robots": 300 })), "robots = 300 is outside 1 to 256"),
        (simulate("world", json!({ "file": "robots = 2\n[tsk]\n" })), "world.toml: line 2: unknown field `tsk`"),
        (simulate("extra", json!(1)), "unknown field `extra`"),
        (json!({ "do": "step", "updates": 1, "robot": null }).to_string(), "no simulation"),
        (json!({ "do": "generation", "island": 1, "immigrants": [] }).to_string(), "no evolution"),
        (json!({ "do": "summarise", "fitness": [1.0], "hashes": ["x"] }).to_string(), "invalid hash"),
        (evolve(64, 4096, &[0]), "all islands have at most 32768 trees"),
        (evolve(2, 8, &[0, 0, 0]), "3 numbers of islands, but there are 2 islands"),
        (format!("\"{}\"", "a".repeat(5 << 20)), "at most 4194304 are allowed"),
    ] {
        let error = refused(&mut playground, &request);
        assert!(error.contains(expected), "{expected}: {error}");
    }
    playground.answer(&evolve(1, 8, &[0]));
    let foreign = json!({ "do": "exchange", "generation": 1, "emigrants": [] }).to_string();
    assert_eq!(playground.answer(&foreign), "{\"immigrants\":[]}");
    let long = refused(&mut playground, &json!({ "do": "champion", "island": "x".repeat(60_000) }).to_string());
    assert!(long.len() < 500, "{}", long.len());
}

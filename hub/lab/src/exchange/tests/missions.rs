//! Tests of the import of MG1's mission lines.

use super::super::import;
use super::automode::world;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::WorldSpec;
use xpuck_kernels::world::start::place;

/// Patch number `i` of a line: a disc with a centre, a radius and a colour.
fn patch(i: usize, x: f32, y: f32, radius: f32, colour: &str) -> String {
    format!("--p{i} Circle --ps{i} {radius} --pcx{i} {x} --pcy{i} {y} --pc{i} {colour} ")
}

fn homing() -> String {
    "--m homing --a hexagon --as 1.29  --el 120 --r 18 --l 'off' --ip 'oneside' 1 --tof 'anytime' --colhome white \
     --coldistration black --np 2 "
        .to_string()
        + &patch(0, 0.0, 0.86, 0.3, "white")
        + &patch(1, 0.7, 0.0, 0.15, "black")
}

fn foraging() -> String {
    "--m foraging --a trigon --as 2.4 --el 180 --r 15 --l 'on' --ip 'uniform' --colnest black --colfs white --np 2 "
        .to_string()
        + &patch(0, 1.3856, 0.0, 0.4, "black")
        + &patch(1, -0.3464, 0.6119, 0.15, "white")
}

fn aggregation() -> String {
    "--m aggXOR --a tetragon --as 1.94 --el 60 --r 20 --l 'on' --ip 'notpatches' --tof 'endtime' --colhome black \
     --coldistraction white --nh 2 --np 3 "
        .to_string()
        + &patch(0, 0.9145, 0.0, 0.3, "black")
        + &patch(1, -0.9145, 0.0, 0.3, "black")
        + &patch(2, 0.0, 0.9145, 0.15, "white")
}

fn imported(line: &str) -> Result<String, String> {
    let mut all = import::missions(line)?;
    assert_eq!(all.len(), 1);
    all.remove(0).world.map(|imported| imported.text)
}

fn starts(spec: &WorldSpec) -> Vec<Vec2> {
    let bodies = |run| place(spec, 0, (1, run), &mut Draws::new(1, run, 0, 0, Stream::Start));
    (0..20).flat_map(bodies).map(|body| body.pose.at).collect()
}

#[test]
fn homing_line_becomes_world_with_polygon() {
    let text = imported(&homing()).unwrap();
    assert!(text.contains("polygon = { sides = 6, inradius_m = 1.11717 }"), "{text}");
    assert!(text.contains("score = \"mean(share(home))\""), "{text}");
    assert!(
        text.contains("name = \"home\"\ndisc = { at_m = [0.0, 0.86], radius_m = 0.3 }\npaint = \"white\""),
        "{text}"
    );
    assert!(text.contains("use `--seconds 120`") && text.contains("room_light = 0.0"), "{text}");
    let spec = world(&text);
    assert_eq!((spec.robots, spec.lighting.lights.len(), spec.physics.walls.len()), (18, 0, 6));
    assert!(starts(&spec).iter().all(|at| at.y <= 0.0), "the second side of a hexagon is the south");
    let first = world(&imported(&homing().replace("'oneside' 1", "'oneside' 0")).unwrap());
    assert!(starts(&first).iter().all(|at| at.y >= 0.0));
    let end = imported(&homing().replace("anytime", "endtime")).unwrap();
    assert!(end.contains("score = \"last(share(home))\""), "{end}");
}

#[test]
fn foraging_line_has_walls_light_and_best() {
    let text = imported(&foraging()).unwrap();
    let spec = world(&text);
    assert!(text.contains("score = \"last(delivered(source, nest))\""), "{text}");
    // The gap of 1.288 m takes a robot 14.01 s: 15 robots can deliver 96 items in 180 s.
    assert!(text.contains("worst = 0\nbest = 24\n"), "{text}");
    assert_eq!((spec.robots, spec.lighting.lights.len(), spec.physics.walls.len()), (15, 1, 2), "{text}");
    let light = spec.lighting.lights[0];
    // The centre of the arena is not that of the triangle.
    let shift = 0.5 * (spec.physics.half_arena.0 * 2.0) - 0.69282;
    assert!((light.at - vec2(-0.69282 - 0.2 - shift, 0.0)).length() < 1e-3, "{light:?}");
    assert!((light.brightness - (-0.4_f32).exp()).abs() < 1e-4);
    let one_side = |side: &str| starts(&world(&imported(&foraging().replace("'uniform'", side)).unwrap()));
    assert!(one_side("'oneside' 0").iter().all(|at| at.x <= -shift + 1e-3), "west");
    assert!(one_side("'oneside' 1").iter().all(|at| at.x >= -shift - 1e-3), "east");
}

#[test]
fn aggregation_line_starts_outside_of_patches() {
    let text = imported(&aggregation()).unwrap();
    assert!(text.contains("score = \"last(max(share(home-1), share(home-2)))\""), "{text}");
    let spec = world(&text);
    assert_eq!(spec.physics.walls.len(), 4, "a square that is turned by 45 degrees");
    let inside = |at: &Vec2| at.x.abs() + at.y.abs() <= 0.97 * std::f32::consts::SQRT_2 - 0.0375 * 1.41;
    for at in starts(&spec) {
        assert!(inside(&at), "{at:?}");
        assert!([vec2(0.9145, 0.0), vec2(-0.9145, 0.0)].iter().all(|patch| (at - *patch).length() >= 0.3), "{at:?}");
    }
    let three = aggregation().replace("--nh 2", "--nh 3").replace("--pc2 white", "--pc2 black");
    assert!(imported(&three).unwrap().contains("last(max(share(home-1), max(share(home-2), share(home-3))))"));
}

#[test]
fn lines_are_imported_independently() {
    let text = format!("# three missions\n{}\n\n--m homing --a\n{}\r\n", homing(), foraging());
    assert!(import::is_missions(&text) && !import::is_missions("<a/>") && !import::is_missions(""));
    let all = import::missions(&text).unwrap();
    let lines: Vec<(usize, bool)> = all.iter().map(|line| (line.number, line.world.is_ok())).collect();
    assert_eq!(lines, [(2, true), (4, false), (5, true)]);
    assert!(import::missions("# none\n").unwrap_err().contains("0 missions; the file must have 1 to 1000"));
    assert!(import::missions(&"--m x\n".repeat(1001)).unwrap_err().contains("1001 missions"));
}

#[test]
fn wrong_lines_are_errors_that_name_the_key() {
    let wrong = |line: &str, from: &str, to: &str| {
        assert!(line.contains(from), "{from}");
        imported(&line.replace(from, to)).unwrap_err()
    };
    let cases = [
        (homing(), "--as 1.29", "--as nan", "--as nan must be a number from 0.3 to 8"),
        (homing(), "--as 1.29", "--as 1e9", "--as 1e9 must be a number from 0.3 to 8"),
        (homing(), "--as 1.29", "--as inf", "--as inf must be"),
        (homing(), "--r 18", "--r 0", "--r 0 must be a whole number from 1 to 256"),
        (homing(), "--r 18", "--r 1000000000000000000000", "must be a whole number from 1 to 256"),
        (homing(), "--r 18", "--r", "--r has no value"),
        (homing(), "hexagon", "octagon", "--a octagon must be one of trigon, tetragon, hexagon"),
        (homing(), "'oneside' 1", "'oneside'", "--ip 'oneside' needs the side: 0 or 1"),
        (homing(), "'oneside' 1", "'left'", "--ip left must be one of uniform"),
        (homing(), "--np 2", "--np 3", "--p2 is missing; the line may be cut off"),
        (homing(), "--np 2", "--np 1", "--np 1 is below the number of patches"),
        (homing(), "--np 2", "--np 100000", "--np 100000 must be a whole number from 1 to 12"),
        (homing(), "--p1", "--p0", "--p0 occurs twice; MG1 sometimes writes two patches"),
        (homing(), "--el 120", "--r 12", "--r occurs twice; the line may contain two missions"),
        (homing(), "--pc1 black", "--pc1 white", "2 patches have the colour of --colhome; homing needs exactly one"),
        (homing(), "--pc0 white", "--pc0 black", "0 patches have the colour"),
        (homing(), "--pc0 white", "--pc0 red", "--pc0 red must be black, white or gray50"),
        (homing(), "--pcx1 0.7", "--pcx1 x", "--pcx1 x must be a number from -10 to 10"),
        (homing(), "'anytime'", "'never'", "--tof never must be one of anytime, endtime"),
        (homing(), "--m homing", "homing", "homing has no key; a mission begins with --m"),
        (homing(), "--m homing", "--m dance", "--m dance must be one of foraging, homing, aggXOR"),
        (foraging(), "--pc1 white", "--pc1 black", "foraging needs a patch with the colour of --colnest"),
        (aggregation(), "--nh 2", "--nh 3", "--nh 3, but 2 patches have the colour of --colhome"),
    ];
    for (line, from, to, expected) in cases {
        let error = wrong(&line, from, to);
        assert!(error.contains(expected) && !error.contains('\n'), "{from} -> {to}: {error}");
    }
    let long = homing() + &" x".repeat(5000);
    assert!(imported(&long).unwrap_err().contains("bytes; at most 8192"));
    // A line that is cut off anywhere is an error or, after its last number, a valid mission.
    let line = homing();
    for end in 0..line.len() {
        if let Ok(text) = import::missions(&line[..end]).map(|mut all| all.remove(0).world)
            && let Ok(imported) = text
        {
            assert!(end > line.find("--pc1 black").unwrap(), "{end}: {}", imported.text);
        }
    }
}

#[test]
fn changed_lines_are_errors_or_worlds() {
    let words = ["nan", "-1e30", "1e30", "0", "--p0", "'", "\u{fffd}", "", "--np", "2", "--ps0 9", "--pcx0 -9"];
    let mut draws = Draws::new(5, 0, 0, 0, Stream::Start);
    let mut below = |most: usize| (draws.unit() * most as f32) as usize % most;
    let mut valid = 0;
    for _ in 0..300 {
        let line = [homing(), foraging(), aggregation()][below(3)].clone();
        let mut parts: Vec<&str> = line.split_whitespace().collect();
        let at = below(parts.len());
        parts[at] = words[below(words.len())];
        match imported(&parts.join(" ")) {
            Ok(text) => {
                valid += 1;
                assert!(text.contains("score = ") && !text.contains("NaN") && !text.contains("inf,"), "{text}");
            }
            Err(error) => assert!(error.starts_with("--") || error.contains(" "), "{error}"),
        }
    }
    assert!(valid > 5, "{valid}");
}

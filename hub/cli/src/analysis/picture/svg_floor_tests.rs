//! Tests of the floor in a drawing: exact markup of each kind of shape, cuts, conditions and lines.

use super::super::scenery::Scenery;
use super::*;
use std::collections::BTreeSet;
use std::path::Path;
use xpuck_experiment::world_file;
use xpuck_kernels::math::vec2;
use xpuck_kernels::world::WorldSpec;

const PLAN: Plan = Plan { half: (1.0, 1.0), scale: 100.0, left: 0.0, top: 0.0 };

fn path_of(shape: &ZoneShape) -> String {
    path(&PLAN, shape)
}

fn world(regions: &str) -> WorldSpec {
    let text = format!(
        "robots = 2\n[task]\nkind = \"objective\"\nscore = \"last(crossed(-0.5, 0, 0.5, 0))\"\nworst = 0\nbest = 1\n\
         [[start]]\nx_m = [-0.8, 0.8]\ny_m = [-0.6, 0.6]\n{regions}"
    );
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("world.toml");
    std::fs::write(&file, text).unwrap();
    world_file::read(&file).unwrap()
}

fn drawn(spec: &WorldSpec) -> String {
    let mut svg = String::new();
    Scenery::from_world(spec).floor(&mut svg, &PLAN);
    svg
}

/// Asserts that all ids of a document differ, and that each reference has its element.
fn check_ids(svg: &str) -> usize {
    let wrapped = format!("<svg>{svg}</svg>");
    let document = roxmltree::Document::parse(&wrapped).unwrap();
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len(), "{ids:?}");
    for reference in svg.split("url(#").skip(1) {
        let id = reference.split(')').next().unwrap();
        assert!(unique.contains(id), "{id}");
    }
    ids.len()
}

#[test]
fn each_kind_of_shape_has_its_exact_path() {
    let at = vec2(0.5, 0.25);
    for (shape, expected) in [
        (
            ZoneShape::Simple(Region::Rectangle { at, half: vec2(0.3, 0.2) }),
            "M120.0 95.0L180.0 95.0L180.0 55.0L120.0 55.0z",
        ),
        (
            ZoneShape::Simple(Region::Disc { at, radius: 0.2 }),
            "M130.0 75.0a20.0 20.0 0 1 0 40.0 0a20.0 20.0 0 1 0 -40.0 0z",
        ),
        (
            ZoneShape::Simple(Region::Beyond { at, radius: 0.2 }),
            "M0.0 0.0h200.0v200.0h-200.0zM130.0 75.0a20.0 20.0 0 1 0 40.0 0a20.0 20.0 0 1 0 -40.0 0z",
        ),
        (
            ZoneShape::Ring { at, inner: 0.1, outer: 0.2 },
            "M130.0 75.0a20.0 20.0 0 1 0 40.0 0a20.0 20.0 0 1 0 -40.0 0zM140.0 75.0a10.0 10.0 0 1 0 20.0 0a10.0 10.0 0 1 0 -20.0 0z",
        ),
        (ZoneShape::Ring { at, inner: 0.0, outer: 0.2 }, "M130.0 75.0a20.0 20.0 0 1 0 40.0 0a20.0 20.0 0 1 0 -40.0 0z"),
        (
            ZoneShape::Polygon(vec![vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(0.0, 1.0)]),
            "M100.0 100.0L200.0 100.0L100.0 0.0z",
        ),
        (ZoneShape::HalfPlane { towards: vec2(0.0, -1.0), from: 0.6 }, "M0.0 200.0L200.0 200.0L200.0 160.0L0.0 160.0z"),
        (ZoneShape::HalfPlane { towards: vec2(0.8, 0.6), from: 0.8 }, "M200.0 100.0L200.0 0.0L125.0 0.0z"),
        (ZoneShape::HalfPlane { towards: vec2(1.0, 0.0), from: 1.5 }, ""),
    ] {
        assert_eq!(path_of(&shape), expected, "{shape:?}");
    }
}

#[test]
fn first_paint_is_on_top_and_regions_without_paint_above_it() {
    let disc = |name: &str, more: &str| {
        format!("[[region]]\nname = \"{name}\"\ndisc = {{ at_m = [0, 0], radius_m = 0.3 }}\n{more}\n")
    };
    let regions = [disc("plain", ""), disc("top", "paint = \"black\""), disc("under", "paint = \"white\"")].concat();
    let svg = drawn(&world(&regions));
    let place = |text: &str| svg.find(text).unwrap_or_else(|| panic!("{text}: {svg}"));
    assert!(place("region under: white paint") < place("region top: black paint"));
    assert!(place("region top: black paint") < place("region plain: no paint"));
    assert!(
        place("fill=\"#cfcfcf\"") < place("fill=\"#ffffff\"") && place("fill=\"#ffffff\"") < place("fill=\"#5c5c5c\"")
    );
    assert!(svg.contains("class=\"shape pale\"") && svg.contains("class=\"border dashed\""));
    assert!(!svg.contains("<mask") && check_ids(&svg) == 1);
    // A floor without paint is not drawn.
    let plain = drawn(&world(&disc("plain", "")));
    assert!(!plain.contains("#cfcfcf") && plain.contains("class=\"shape tint\""), "{plain}");
}

#[test]
fn cut_is_masked_with_unique_ids_in_two_pictures() {
    let spec = world(
        "[[region]]\nname = \"spot\"\nrectangle = { x_m = [-0.5, 0.5], y_m = [-0.5, 0.5] }\npaint = \"black\"\n\
         [[region]]\nname = \"spot\"\ndisc = { at_m = [0, 0], radius_m = 0.2 }\ncut = true\n",
    );
    let cut = "M80.0 100.0a20.0 20.0 0 1 0 40.0 0a20.0 20.0 0 1 0 -40.0 0z";
    let mut svg = String::new();
    for picture in 1..=2 {
        Scenery::from_world(&spec).floor(&mut svg, &PLAN);
        assert_eq!(check_ids(&svg), 3 * picture);
    }
    for line in [
        &format!("<path class=\"shape\" fill=\"#000000\" d=\"{cut}\"/></mask>"),
        "<g mask=\"url(#cut-2)\">",
        "<g mask=\"url(#cut-5)\">",
        "<clipPath id=\"shapes-3\"><path class=\"shape\" d=\"M50.0 150.0L150.0 150.0L150.0 50.0L50.0 50.0z\"/></clipPath>",
        &format!("<path class=\"border\" stroke=\"#57606a\" clip-path=\"url(#shapes-3)\" d=\"{cut}\"/>"),
    ] {
        assert!(svg.contains(line), "{line}: {svg}");
    }
}

#[test]
fn paint_under_a_condition_has_stripes_and_a_title() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/worlds/missions/decision.toml");
    let spec = world_file::read(&file).unwrap();
    let svg = drawn(&spec);
    assert!(svg.contains("region white-disc: white paint, only while this is not 0: the lot white"), "{svg}");
    assert_eq!(svg.matches("<pattern").count(), 2);
    assert!(svg.contains("<rect x=\"0\" ") && svg.contains("<rect x=\"7\" "), "stripes lie in each other's gaps");
    check_ids(&svg);
    // In a run in which the first condition held, the second region did not exist.
    let mut scenery = Scenery::from_world(&spec);
    scenery.held = Held::now(1);
    let mut run = String::new();
    scenery.floor(&mut run, &PLAN);
    assert!(run.contains("region white-disc: white paint<") && !run.contains("black-disc"), "{run}");
}

#[test]
fn crossed_line_has_an_arrow_to_its_right_side() {
    let svg = drawn(&world(""));
    // The line runs east, so its right side is south, which is down.
    let expected = "M50.0 100.0L150.0 100.0M100.0 87.0L100.0 113.0M92.0 105.0L100.0 113.0L108.0 105.0";
    assert!(svg.contains(&format!("<path class=\"line\" d=\"{expected}\"/>")), "{svg}");
    assert!(svg.contains("<title>crossed(-0.5, 0, 0.5, 0): "));
}

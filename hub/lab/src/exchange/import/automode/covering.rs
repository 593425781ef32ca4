//! Missions in which robots cover areas, and tests of single modules.

use super::super::mission::{Mission, Paint, disc, half_plane, rectangle, start};
use super::Experiment;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::world::zone::ZoneShape;

/// Returns the mission with a label, or `None` if it is not in this file.
pub(super) fn mission(label: &str, experiment: &Experiment<'_, '_>) -> Result<Option<Mission>, String> {
    use Paint::{Black, White};
    let radius = experiment.start_radius()?;
    let whole = disc(0.0, 0.0, radius);
    let everywhere = start(vec![whole.clone()], vec![]);
    Ok(Some(match label {
        "chocolate_lcn_loop_functions" => Mission::new(
            "LCN: at the end, the area (m^2) within 0.25 m of the robots of the largest cluster. Neighbours in a cluster \
             are at most 0.35 m apart.",
            "last(covered(disc, 0.25, 0.35)) * area(disc)",
            everywhere,
        )
        .note("The area is counted on a grid; the original uses random points.")
        .scale(0.8, 3.2, "Robots that stand at random places have about 0.8 m^2.")
        .area("disc", whole),
        "chocolate_cfa_loop_functions" => Mission::new(
            "CFA: at the end, the mean distance (m) from a point of the arena to the nearest robot outside the black areas.",
            "last(distance(disc, 2.5, -black))",
            everywhere,
        )
        .note(
            "The mission's description states this score. The code of the branch master divides only the last sample by \
             the number of samples, so its score is always about 250.",
        )
        .scale(0.3, 0.18, "Smaller is better. Robots that stand at random places have about 0.3 m.")
        .area("disc", whole)
        .paint("black", Black, disc(0.5, 0.5, 0.3))
        .paint("black", Black, disc(0.5, -0.5, 0.3))
        .paint("black", Black, disc(-0.5, 0.0, 0.3)),
        "chocolate_spc_loop_functions" => Mission::new(
            "SPC: at the end, mean distances (m) from points of the white square and of the rim of the black disc to the \
             nearest robots there, each divided by the value of nine evenly spread robots.",
            "last(distance(square, 0.85, square)) / 0.08 + last(distance(rim, 0.6, rim)) / 0.06",
            everywhere,
        )
        .note("The original squares the distances of the points of the square; here they are plain means.")
        .scale(13.0, 2.0, "Smaller is better. Robots that stand at random places have about 13.")
        .paint("square", White, rectangle([-0.9, -0.3], [-0.3, 0.3]))
        .paint("black", Black, disc(0.6, 0.0, 0.3))
        .area("rim", ZoneShape::Ring { at: Vec2 { x: 0.6, y: 0.0 }, inner: 0.26, outer: 0.34 }),
        "mate_spd8_loop_functions" | "mate_apc_loop_functions" => Mission::new(
            "At the end, the mean distance (m) from a point of the black square to the nearest robot in it.",
            "last(distance(square, 0.67, square))",
            start(vec![whole], vec![half_plane([1.0, 0.0], -0.6)]),
        )
        .note("The original is the square of this distance in cm^2.")
        .scale(0.67, 0.09, "Smaller is better. 0.67 is the value without robots in the square.")
        .paint("square", Black, rectangle([0.1, 1.1], [-0.5, 0.5])),
        "mate_lcf_loop_functions" | "mate_nc_loop_functions" => {
            let reach = if label.contains("lcf") { "0.3" } else { "0.15" };
            Mission::new(
                &format!(
                    "The mean share of the black zone that is within {reach} m of the robots of the largest cluster. \
                     Neighbours in a cluster are at most 0.3 m apart."
                ),
                format!("mean(covered(zone, {reach}, 0.3))"),
                start(vec![whole.clone()], vec![half_plane([0.0, -1.0], -0.6)]),
            )
            .note(
                "The original sums over updates, uses random points, and counts only robots that are in the zone \
                 themselves.",
            )
            .paint("black", Black, half_plane([0.0, -1.0], 0.6))
            .area("zone", whole)
            .cut("zone", half_plane([0.0, 1.0], -0.6))
        }
        "attraction_loop_functions" => {
            Mission::new("The mean distance of all pairs of robots (m).", "mean(pairs())", everywhere)
                .note("The original is the negative sum over updates and pairs.")
                .scale(1.0, 0.15, "Smaller is better. Robots that stand at random places have about 1 m.")
        }
        "repulsion_loop_functions" => {
            Mission::new("The mean distance of a robot to the nearest other robot (m).", "mean(nearest())", everywhere)
                .note("The original sums over updates and robots, without the last robot.")
                .scale(0.25, 0.45, "Robots that stand at random places have about 0.25 m.")
        }
        "exploration_loop_functions" => {
            Mission::new("The mean share of the arena's cells that robots visited so far.", "mean(visited(0.05))", everywhere)
                .note("The original has cells of 0.01 m in the whole space of ARGoS, and sums over updates.")
                .scale(0.0, 0.5, "Cells outside the walls count, and cells are visited one after the other.")
        }
        "stop_loop_functions" => {
            Mission::new("The mean speed of the robots (m/s).", "mean(speed())", everywhere)
                .note("The original is the negative length of all paths in cm.")
                .scale(0.09, 0.0, "Smaller is better. Robots that drive straight ahead have about 0.09 m/s.")
        }
        _ => return Ok(None),
    }))
}

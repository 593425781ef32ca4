//! Missions in which robots gather on spots, or carry items between them.

use super::super::mission::{Mission, Paint, disc, half_plane, rectangle, start};
use super::{Experiment, deliveries};

/// Returns the mission with a label, or `None` if it is not in this file.
pub(super) fn mission(label: &str, experiment: &Experiment<'_, '_>) -> Result<Option<Mission>, String> {
    use Paint::{Black, White};
    let radius = experiment.start_radius()?;
    let everywhere = start(vec![disc(0.0, 0.0, radius)], vec![]);
    let north = || start(vec![disc(0.0, 0.0, radius)], vec![half_plane([0.0, -1.0], -0.6)]);
    let two_spots = |mission: Mission, x: f32| {
        mission.paint("left", Black, disc(-x, 0.0, 0.3)).paint("right", Black, disc(x, 0.0, 0.3))
    };
    let xor_end = "last(max(n(left), n(right))) / N";
    Ok(Some(match label {
        "aggregation_loop_functions" => two_spots(
            Mission::new("AGG: at the end, the share of the robots on the fuller of two black spots.", xor_end, everywhere),
            0.55,
        ),
        "aggregation_xor" => two_spots(
            Mission::new("At the end, the share of the robots on the fuller of two black spots.", xor_end, everywhere),
            0.65,
        ),
        "aggregation_xor2" => two_spots(
            Mission::new(
                "The mean share of the robots on the fuller of two black spots.",
                "mean(max(share(left), share(right)))",
                everywhere,
            )
            .note("The original sums the number of robots over all updates; multiply by N and the updates to compare."),
            0.5,
        ),
        "aggregation_5050" => two_spots(
            Mission::new(
                "At the end, the smaller group on two black spots, divided by half of the robots.",
                "last(min(n(left), n(right))) / (N / 2)",
                everywhere,
            ),
            0.65,
        ),
        "gianduja_aggregation_2spots_loop_functions" => gianduja(
            "At the end, the share of the robots on the fuller of two black spots. The original counts robots.",
            xor_end,
        )
        .paint("right", Black, disc(0.5, 0.5, 0.3))
        .paint("left", Black, disc(-0.5, 0.5, 0.3)),
        "gianduja_aggregation_loop_functions" => gianduja("The mean share of the robots on the white spot.", "mean(share(white))")
            .note("The original is 24,000 minus a sum over updates, for 20 robots and 120 s: here 24,000 is 1.")
            .paint("white", White, disc(0.5, 0.5, 0.3))
            .paint("black", Black, disc(-0.5, 0.5, 0.3)),
        "gianduja_stop_loop_functions" => Mission::new(
            "Stop: robots move until one of them reaches the spot, and then stand still.",
            "1 - mean(if(ever(n(spot)), moving(0.05), 2 * N - moving(0.05))) / (2 * N)",
            start(vec![rectangle([-0.8, 0.8], [-1.0, -0.5])], vec![]),
        )
        .note(
            "Before, each update costs 1 for each robot and 1 more for each robot at rest; after, 1 for each moving robot. \
             The original is 48,000 minus these costs, for 20 robots and 120 s: here 48,000 is 1. It tests movement along \
             each axis; here it is the speed, with a limit of 0.05 m/s.",
        )
        .paint("spot", White, disc(0.6, 0.8, 0.1)),
        "aggregation_single" => {
            Mission::new("At the end, the share of the robots in the home. They start on the other side.", "last(share(home))", north())
                .paint("home", Black, disc(0.0, -0.7, 0.3))
        }
        "homing" | "homing_test" => {
            Mission::new("The mean share of the robots in the home. They start on the other side.", "mean(share(home))", north())
                .note("The layout is that of the branch swarmac. The original sums over updates and robots.")
                .paint("home", Black, disc(0.0, -0.7, 0.3))
        }
        "example_aggregation_loop_functions" => {
            Mission::new("At the end, the share of the robots on the black spot.", "last(share(black))", everywhere)
                .paint("black", Black, disc(0.0, 0.0, 0.3))
        }
        "aggregation_white_and_black_loopfunc" => {
            Mission::new("The mean share of the robots on the black spot; the white one distracts.", "mean(share(black))", everywhere)
                .note("The original sums the share over all updates.")
                .paint("black", Black, disc(0.5, 0.0, 0.3))
                .paint("white", White, disc(-0.5, 0.0, 0.3))
        }
        "chocolate_aac_loop_functions" | "aac_loop_functions" | "aac_test_loop_functions" => {
            let (y, branch) = if label.starts_with("chocolate") { (0.6, "master") } else { (-0.6, "swarmac") };
            Mission::new("AAC: the mean share of the robots on the black spot.", "mean(share(black))", everywhere)
                .note(format!(
                    "Version of the branch {branch}: the black spot of 0.3 m at y = {y} scores, whatever the side of the \
                     light. In other versions, the white spot scores, or 0.4 m around the black one. The original sums over \
                     updates and robots."
                ))
                .paint("black", Black, disc(0.0, y, 0.3))
                .paint("white", White, disc(0.0, -y, 0.3))
        }
        "marker_aggregation_loop_function" => {
            Mission::new("The mean share of the robots within 0.4 m of the marker's centre.", "mean(share(near-marker))", everywhere)
                .note("The layout is that of the branch dev. The scored region is larger than the painted marker.")
                .paint("marker", Black, disc(0.0, 0.7, 0.15))
                .area("near-marker", disc(0.0, 0.7, 0.4))
        }
        "n-aggregation_loop_function" => five_spots(everywhere),
        "foraging_loop_functions" => {
            let (best, comment) = deliveries(experiment.robots, experiment.seconds, 0.45);
            Mission::new(
                "FOR: the number of items that robots carry from the black sources to the white nest.",
                "last(delivered(source, nest))",
                everywhere,
            )
            .note("A robot carries one item at a time. The nest is everything south of y = -0.6.")
            .scale(0.0, best, comment)
            .paint("source", Black, disc(0.75, 0.0, 0.15))
            .paint("source", Black, disc(-0.75, 0.0, 0.15))
            .paint("nest", White, half_plane([0.0, -1.0], 0.6))
        }
        _ => return Ok(None),
    }))
}

/// Mission of AutoMoDe-Gianduja, whose robots start in the south.
fn gianduja(comment: &str, score: &str) -> Mission {
    Mission::new(comment, score, start(vec![rectangle([-0.8, 0.8], [-1.0, -0.2])], vec![]))
        .note("In some versions, the light is placed at random in each run; here it is where the file places it.")
}

/// Mission with five black spots on a circle. Equal groups score most.
fn five_spots(everywhere: xpuck_kernels::world::zone::Zone) -> Mission {
    let spots = 1..=5;
    let gains: Vec<String> =
        spots.clone().map(|i| format!("max(0, floor(N / 5) - abs(n(spot-{i}) - floor(N / 5)))")).collect();
    let mission = Mission::new(
        "Equal groups on five spots: each counts up to a fifth of the robots, and loses the robots above.",
        format!("mean({}) / N", gains.join(" + ")),
        everywhere,
    )
    .note("The layout is that of the branch dev. The original sums over updates and robots.");
    spots.fold(mission, |mission, i| {
        let angle = (72.0 * (i - 1) as f32).to_radians();
        mission.paint(&format!("spot-{i}"), Paint::Black, disc(0.7 * angle.cos(), 0.7 * angle.sin(), 0.25))
    })
}

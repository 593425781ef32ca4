//! Missions with shelters and gates, whose walls the loop functions add.

use super::super::mission::{LINE, Mission, Paint, disc, half_plane, rectangle, start};
use super::Experiment;
use xpuck_kernels::math::vec2;

/// Distance of the arena's south wall from its centre in the loop functions of the guided shelter (m).
const SOUTH_WALL: f32 = 1.231;
/// Distance of the light from the arena's centre in the loop functions of the guided shelter (m), to the south.
const LIGHT: f32 = 1.25;

/// Returns the mission with a label, or `None` if it is not in this file.
pub(super) fn mission(label: &str, experiment: &Experiment<'_, '_>) -> Result<Option<Mission>, String> {
    Ok(Some(match label {
        "chocolate_sca_loop_functions" => sca(experiment)?,
        "shelter_constrained_access_loop_functions"
        | "sca_around_loop_functions"
        | "sca_behind_loop_functions"
        | "sca_bis_loop_functions"
        | "sca_black_loop_functions" => sca_of_neat(label, experiment)?,
        "shelter_fifty_fifty_loop_functions" => two_pens(experiment)?,
        "guided_shelter_loopfunc" => guided(experiment)?,
        "directional_gate" => gate(experiment)?,
        _ => return Ok(None),
    }))
}

const SHELTER_SCORE: &str = "mean(share(shelter))";

/// Shelter with constrained access, with the layout of AutoMoDe-Chocolate.
fn sca(experiment: &Experiment<'_, '_>) -> Result<Mission, String> {
    let everywhere = start(vec![disc(0.0, 0.0, experiment.start_radius()?)], vec![]);
    Ok(Mission::new(
        "SCA: the mean share of the robots in a white shelter that is open to the north.",
        SHELTER_SCORE,
        everywhere,
    )
    .note("The layout is that of AutoMoDe-Chocolate. The original sums over updates and robots.")
    .paint("black", Paint::Black, disc(0.8, -0.1, 0.3))
    .paint("black", Paint::Black, disc(-0.8, -0.1, 0.3))
    .paint("shelter", Paint::White, rectangle([-0.3, 0.3], [-0.075, 0.075]))
    .wall([0.0, -0.1], [0.65, 0.05])
    .wall([-0.3125, -0.025], [0.05, 0.2])
    .wall([0.3125, -0.025], [0.05, 0.2]))
}

/// Shelter with constrained access, with the layouts of the folder NEATvsEvo. They differ in the start and the opening.
fn sca_of_neat(label: &str, experiment: &Experiment<'_, '_>) -> Result<Mission, String> {
    let radius = experiment.start_radius()?;
    let whole = || vec![disc(0.0, 0.0, radius)];
    let spots = || vec![disc(0.8, 0.0, 0.3), disc(-0.8, 0.0, 0.3)];
    // The sign of y of the back wall: the shelter is open on the other side.
    let (back, open, zone, from) = match label {
        "sca_around_loop_functions" => {
            if radius <= 0.35 {
                return Err(format!("dist_radius=\"{radius}\" must be above 0.35 for {label}"));
            }
            (
                1.0,
                "south",
                start(whole(), vec![disc(0.0, 0.0, 0.35)]),
                "around the shelter; here, their density is even",
            )
        }
        "sca_behind_loop_functions" => {
            (1.0, "south", start(whole(), vec![half_plane([0.0, -1.0], -0.15)]), "behind the shelter")
        }
        "sca_bis_loop_functions" => {
            (-1.0, "north", start(whole(), vec![half_plane([0.0, 1.0], -0.15)]), "behind the shelter")
        }
        "sca_black_loop_functions" => {
            (1.0, "south", start(spots(), vec![]), "on the black spots; here, their density is even")
        }
        _ => (1.0, "south", start(whole(), vec![]), "everywhere"),
    };
    let comment = format!("SCA: the mean share of the robots in a white shelter that is open to the {open}.");
    Ok(Mission::new(&comment, SHELTER_SCORE, zone)
        .note(format!("The layout is that of the folder NEATvsEvo. The original sums over updates and robots. Robots start {from}."))
        .paint("black", Paint::Black, disc(0.8, 0.0, 0.3))
        .paint("black", Paint::Black, disc(-0.8, 0.0, 0.3))
        .paint("shelter", Paint::White, rectangle([-0.25, 0.25], [-0.15, 0.15]))
        .wall([0.0, back * 0.1725], [0.545, 0.045])
        .wall([-0.2625, back * 0.0225], [0.045, 0.345])
        .wall([0.2625, back * 0.0225], [0.045, 0.345]))
}

/// Two pens at the ends of a black strip.
fn two_pens(experiment: &Experiment<'_, '_>) -> Result<Mission, String> {
    let everywhere = start(vec![disc(0.0, 0.0, experiment.start_radius()?)], vec![]);
    let mission = Mission::new(
        "The mean share of the robots in either of two white pens.",
        "mean(share(pen))",
        everywhere,
    )
    .note(
        "The original sums over updates and robots. Its name promises equal groups, but its score does not reward \
             them; `xpuck world new shelter-50-50` does.",
    )
    .paint("strip", Paint::Black, rectangle([-0.175, 0.175], [-0.6, 0.6]));
    Ok([1.0_f32, -1.0].into_iter().fold(mission, |mission, side| {
        let ends = if side > 0.0 { [0.6, 0.74] } else { [-0.74, -0.6] };
        mission
            .paint("pen", Paint::White, rectangle([-0.175, 0.175], ends))
            .wall([0.0, side * 0.765], [0.45, 0.05])
            .wall([0.2, side * 0.67], [0.05, 0.14])
            .wall([-0.2, side * 0.67], [0.05, 0.14])
    }))
}

/// Shelter at the south wall, with a white wedge that leads to it.
fn guided(experiment: &Experiment<'_, '_>) -> Result<Mission, String> {
    let everywhere = start(vec![disc(0.0, 0.0, experiment.start_radius()?)], vec![]);
    let width = experiment.param("w", 0.6, 0.05, 2.4)?;
    let depth = experiment.param("d", 0.4, 0.05, 2.0)?;
    let offset = experiment.param("o", 0.0, 0.0, 2.0)?;
    let (half, opening) = (0.5 * width, offset + depth - SOUTH_WALL);
    // The wedge is between the rays from the light through the two corners of the opening.
    let stretch = ((1.4 + LIGHT) / (opening + LIGHT)).min(15.0 / half);
    let far = vec2(half * stretch, (opening + LIGHT) * stretch - LIGHT);
    let wedge = vec![vec2(-half, opening), vec2(half, opening), far, vec2(-far.x, far.y)];
    let mut mission =
        Mission::new("Guided shelter: the mean share of the robots in the black shelter.", SHELTER_SCORE, everywhere)
            .note(
                "The original sums the share over all updates. Its scored shelter follows from w, d and o of the loop \
                 functions; check that the walls of the file fit them.",
            )
            .paint("shelter", Paint::Black, rectangle([-half, half], [offset - SOUTH_WALL, opening]));
    if offset > 0.0 {
        mission = mission.paint("behind", Paint::Black, rectangle([-half, half], [-1.5, offset - SOUTH_WALL]));
    }
    Ok(mission.paint("wedge", Paint::White, xpuck_kernels::world::zone::ZoneShape::Polygon(wedge)))
}

/// Gate between two walls, which counts in one direction.
fn gate(experiment: &Experiment<'_, '_>) -> Result<Mission, String> {
    let everywhere = start(vec![disc(0.0, 0.0, experiment.start_radius()?)], vec![]);
    let width = experiment.param("gate_width", 0.5, 0.1, 2.0)?;
    let length = experiment.param("gate_length", 0.5, 0.06, 1.5)?;
    let (half, third) = (0.5 * width, length / 3.0);
    let best = 2 * experiment.robots;
    let mut mission = Mission::new(
        "Directional gate: passages from north to south minus passages in the other direction, at least 0.",
        format!("max(0, last(crossed({LINE})))"),
        everywhere,
    )
    .note("The line runs from west to east, so north is on its left side.")
    .scale(
        0.0,
        best as f32,
        format!("best is {best}: each robot passes the gate twice. Change it with the length of the run."),
    )
    .paint("corridor", Paint::Black, rectangle([-half, half], [third, 2.0]))
    .paint("gate", Paint::White, rectangle([-half, half], [-third, third]))
    .wall([-half, length / 6.0], [0.045, length])
    .wall([half, length / 6.0], [0.045, length]);
    mission.line = Some([vec2(-half, 0.0), vec2(half, 0.0)]);
    Ok(mission)
}

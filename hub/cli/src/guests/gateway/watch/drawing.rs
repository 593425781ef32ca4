//! Drawing of a scene as text.

use std::f64::consts::TAU;
use xpuck_gateway::client::Client;
use xpuck_gateway::scene::Subject;
use xpuck_gateway::scene::top_view::{OutlineKind, TopView};
use xpuck_wire::output::count;

/// Number of columns of the drawn field. A row is as high as two columns are wide.
const COLUMNS: usize = 72;
/// Maximum number of rows of the drawn field.
const ROWS: usize = 30;
/// Radius around a robot's centre (m). An outline belongs to the robot if all its corners are within this radius.
const ROBOT: f64 = 0.08;
/// Arrows for a robot's heading, counter-clockwise from +x in steps of an eighth of a turn.
const ARROWS: [char; 8] = ['→', '↗', '↑', '↖', '←', '↙', '↓', '↘'];

/// Returns the line above the field: time, play mode, score, number of robots, and position of the ball.
pub fn head(client: &Client) -> String {
    let above = client.above().unwrap_or_default();
    let robots = above.placed.iter().filter(|one| one.who != Subject::Ball).count();
    let ball = above.placed.iter().find(|one| one.who == Subject::Ball);
    let ball = ball.map_or(String::new(), |one| format!(", ball at {:.2} {:.2}", one.at[0], one.at[1]));
    let [left, right] = client.score();
    let mode = client.play_mode().unwrap_or("no play mode");
    format!("{:.2} s, {mode}, {left}:{right}, {}{ball}", client.time(), count(robots, "robot", "robots"))
}

/// Returns the lines of the drawing: the line above the field, then the field.
pub fn lines(client: &Client) -> Vec<String> {
    let mut lines = vec![head(client)];
    lines.extend(field(&client.above().unwrap_or_default(), client.field()));
    lines
}

/// Draws the field with a frame: `#` for walls, a number and an arrow for each robot, `O` for the ball. The field has
/// the given length and width (m).
fn field(above: &TopView, [length, width]: [f64; 2]) -> Vec<String> {
    let rows = ((COLUMNS as f64 * width / length / 2.0).round() as usize).clamp(4, ROWS);
    let mut cells = vec![vec![' '; COLUMNS]; rows];
    let cell = |[x, y]: [f64; 2]| {
        let (column, row) = ((x / length + 0.5) * COLUMNS as f64, (0.5 - y / width) * rows as f64);
        let inside = (0.0..COLUMNS as f64).contains(&column) && (0.0..rows as f64).contains(&row);
        inside.then_some((row as usize, column as usize))
    };
    for outline in &above.outlines {
        let OutlineKind::Polygon(corners) = &outline.kind else { continue };
        let span = |axis: usize| {
            let values = corners.iter().map(|corner| corner[axis]);
            values.clone().fold(f64::MIN, f64::max) - values.fold(f64::MAX, f64::min)
        };
        // The outline of a robot is not drawn, because its number and arrow are enough.
        let near = |at: [f64; 3]| corners.iter().all(|c| (c[0] - at[0]).hypot(c[1] - at[1]) < ROBOT);
        if above.placed.iter().any(|one| near(one.at)) {
            continue;
        }
        // Floors and outer walls are not drawn, because the field has a frame.
        if span(0) > 0.9 * length || span(1) > 0.9 * width {
            continue;
        }
        for (i, from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            for part in 0..=COLUMNS {
                let part = part as f64 / COLUMNS as f64;
                if let Some((row, column)) = cell([0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * part)) {
                    cells[row][column] = '#';
                }
            }
        }
    }
    for one in above.placed.iter().filter(|one| one.visible) {
        let Some((row, column)) = cell([one.at[0], one.at[1]]) else { continue };
        let text = match &one.who {
            Subject::Ball => "O".to_string(),
            Subject::Agent(team, number) => {
                let eighth = (one.heading / TAU * 8.0).round().rem_euclid(8.0) as usize;
                format!("{}{number}{}", side(team), ARROWS[eighth % 8])
            }
        };
        for (place, letter) in text.chars().enumerate() {
            if let Some(there) = cells[row].get_mut(column + place) {
                *there = letter;
            }
        }
    }
    let edge = format!("+{}+", "-".repeat(COLUMNS));
    let rows = cells.into_iter().map(|row| format!("|{}|", row.into_iter().collect::<String>()));
    std::iter::once(edge.clone()).chain(rows).chain([edge]).collect()
}

/// Returns the prefix of a robot's number: `R` for the right team, and an empty string for all other teams. The prefix
/// is necessary because both teams use the same numbers.
pub fn side(team: &str) -> &'static str {
    if team.eq_ignore_ascii_case("right") { "R" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_gateway::scene::arena::{Arena, Disc, Robot, scene};
    use xpuck_gateway::scene::simspark;
    use xpuck_gateway::stage::{Game, GameFrame, Mode};

    #[test]
    fn field_is_drawn_with_its_robots() {
        let robot =
            |number, x, heading| Robot { number, at: [x, 0.0], heading, radius: 0.0375, colour: [1.0; 4], seen: true };
        let arena = Arena {
            half: [1.0, 0.75],
            walls: vec![[[0.0, -0.3], [0.0, 0.3]]],
            robots: vec![robot(1, -0.5, 0.0), robot(2, 0.5, std::f64::consts::PI)],
            discs: vec![Disc { at: [0.0, 0.6], radius: 0.1, colour: [1.0, 0.5, 0.0, 1.0] }],
            ..Arena::default()
        };
        let game = Game { time: 12.5, half: 1, score: 2, mode: Mode::Playing, length: 60.0 };
        let picture = GameFrame { arena, game };
        let fields = [picture.environment(), picture.state()].concat();
        let mut client = Client::default();
        client.apply(simspark::full(&fields, &scene(&picture.arena)).as_bytes()).unwrap();
        let lines = lines(&client);
        assert_eq!(lines[0], "12.50 s, PlayOn, 2:0, 2 robots, ball at 0.00 0.60");
        assert!(lines.iter().skip(1).all(|line| line.chars().count() == COLUMNS + 2), "{lines:#?}");
        let all = lines.join("\n");
        assert!(all.contains("1→") && all.contains("2←") && all.contains('O') && all.contains('#'), "{all}");
        assert_eq!(lines.len(), 30, "27 rows, two edges and the head");
    }
}

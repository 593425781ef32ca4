//! Figure of each run's reported fitness (dashed line) and of the champions' remeasured fitness (solid line).

use super::Row;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Footer, Plot, Stroke, to_svg_with};

/// Draws the fitness of up to 7 runs, each with its label, against simulated time. `runs` is the number of
/// simulations in which every champion was remeasured.
pub fn draw(courses: &[(String, &[Row])], runs: u32) -> String {
    let (x, y) = ("simulated time, million robot-seconds", "fitness, mean of the islands' champions");
    let mut plot = Plot::new("Reported and remeasured fitness", x, y);
    let mut series = Vec::new();
    for (i, (label, rows)) in courses.iter().take(Stroke::COLOURS).enumerate() {
        let stroke = Stroke::of_series(i);
        let mut add = |name: &str, stroke: Stroke, value: fn(&Row) -> f64| {
            let place = |row: &Row| (row.robot_seconds / 1e6, value(row));
            plot.line("", stroke, rows.iter().map(place).collect());
            let note = |row: &Row| {
                let (x, y) = place(row);
                (x, y, format!("{label}, {name}: {:.4} (generation {})", Figure(y), row.generation))
            };
            plot.notes(rows.iter().map(note).collect());
            series.push((format!("{label}, {name}"), stroke));
        };
        add("reported", stroke.dashed(), |row| row.reported);
        add("measured again", stroke, |row| row.remeasured);
    }
    let caption = vec![
        "Reported: estimated by evolution, derated for few evaluations.".into(),
        format!("Measured again: {runs} simulations in fresh worlds."),
    ];
    to_svg_with(&[plot], &Footer { series, caption })
}

//! Figure of a sweep: means with their bands, every run, and the remeasured champions.

use super::curves::{Along, Axes, MeanStep, Quality, Step, boxes, mean_course};
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{BoxShape, Footer, Plot, Stroke, to_svg_with};
use xpuck_stats::statistics::{Spread, student_t_975};

/// One setting's data for the figure.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Label in the legend.
    pub label: String,
    /// Duration of one trial, multiplied by the number of robots (robot-seconds).
    pub simulation: f64,
    /// Seeds of the setting's runs.
    pub seeds: Vec<u64>,
    /// Curves of the runs, in the order of `seeds`.
    pub courses: Vec<Vec<Step>>,
    /// Remeasured mean fitness of the runs' champions, in the order of `seeds`. `None` if a result does not contain
    /// it.
    pub remeasured: Vec<Option<f64>>,
    /// Derated fitness of the fittest tree after each run's last generation, averaged over the islands. The runs are in
    /// the order of `seeds`.
    pub last: Vec<f64>,
}

/// Draws the first 14 settings in three panels: means with bands or boxes, all runs, and remeasured champions.
/// Returns the figure as SVG.
pub fn draw(title: &str, axes: Axes, settings: &[Setting]) -> String {
    let drawn = &settings[..settings.len().min(Stroke::SERIES)];
    let scale = Scale::new(axes.x, drawn);
    let first = match axes.boxes {
        Some(every) => format!("{title}: all runs, {every} generations a box"),
        None => format!("{title}: mean of the runs"),
    };
    let bold = match axes.y {
        Quality::Derated | Quality::Best => "the run with the highest remeasured mean is bold",
        Quality::Seconds => "the slowest run of each setting at the end is bold",
        Quality::Mean | Quality::Distinct => "the highest run of each setting at the end is bold",
    };
    let mut means = scale.panel(&first, axes);
    let mut every = scale.panel(&format!("every run; {bold}"), axes);
    let mut again = Plot::new("champions on fresh seeds", "setting, in the legend's order", "remeasured mean fitness");
    again = again.whole_x();
    let courses: Vec<Vec<MeanStep>> = drawn.iter().map(|setting| mean_course(&setting.courses)).collect();
    // Bands and boxes are drawn first, so that they do not cover lines.
    for (i, (setting, course)) in drawn.iter().zip(&courses).enumerate() {
        let colour = Stroke::of_series(i).colour();
        if let Some(generations) = axes.boxes {
            means.boxes(colour, side_by_side(setting, generations, i, drawn.len()));
            continue;
        }
        let edge = |s: &MeanStep| {
            let x = scale.x(setting, s.generation, s.robot_seconds);
            s.half.map(|half| (x, s.mean - half, s.mean + half))
        };
        means.band("", colour, course.iter().filter_map(edge).collect());
    }
    for (i, setting) in drawn.iter().enumerate() {
        let stroke = Stroke::of_series(i);
        draw_mean(&mut means, setting, &courses[i], stroke, &scale);
        draw_runs(&mut every, setting, stroke, &scale, axes.y);
        draw_again(&mut again, setting, stroke, (i + 1) as f64);
    }
    let series = drawn.iter().enumerate().map(|(i, s)| (s.label.clone(), Stroke::of_series(i))).collect();
    to_svg_with(&[means, every, again], &Footer { series, caption: caption(axes, settings) })
}

/// Returns the boxes of setting `i` of `count`. The boxes of all settings for the same generations are side by side.
fn side_by_side(setting: &Setting, every: u32, i: usize, count: usize) -> Vec<BoxShape> {
    let room = 0.8 * f64::from(every) / count as f64;
    let aside = (i as f64 - (count as f64 - 1.0) / 2.0) * room;
    let place = |generation: u32| (f64::from(generation) + aside, 0.45 * room);
    boxes(&setting.courses, every).iter().map(|b| BoxShape { x: place(b.generation), numbers: b.numbers }).collect()
}

fn caption(axes: Axes, settings: &[Setting]) -> Vec<String> {
    let counts = || settings.iter().map(|s| s.seeds.len());
    let (least, most) = (counts().min().unwrap_or(0), counts().max().unwrap_or(0));
    let seeds = if least == most { format!("{most} seeds") } else { format!("{least} to {most} seeds") };
    let (bands, boxes) = match axes.boxes {
        None => ("Bands and bars", String::new()),
        Some(n) => (
            "Bars",
            format!(
                "Boxes: quartiles over all runs and the last {n} generations, with the median in red and whiskers to \
                 the extremes. "
            ),
        ),
    };
    let mut lines = vec![format!(
        "{boxes}Lines: mean over {seeds}, up to the end of the shortest run of a setting. {bands}: 95 % confidence \
         interval of that mean (Student's t). Dots: one run each."
    )];
    if settings.len() > Stroke::SERIES {
        lines.push(format!("The first {} of {} settings; the tables contain all.", Stroke::SERIES, settings.len()));
    }
    lines
}

/// Scale of the x axis: its quantity, a unit that keeps the numbers short, and the label.
struct Scale {
    along: Along,
    unit: f64,
    label: &'static str,
}

impl Scale {
    fn new(along: Along, settings: &[Setting]) -> Scale {
        let last = |s: &Setting| s.courses.iter().filter_map(|c| c.last()).map(|s| s.robot_seconds).fold(0.0, f64::max);
        let most = settings.iter().map(last).fold(0.0, f64::max);
        let (unit, label) = match along {
            Along::Generation => (1.0, "generation"),
            Along::Simulations => (1.0, "simulations"),
            Along::RobotSeconds if most >= 1e6 => (1e6, "simulated time, million robot-seconds"),
            Along::RobotSeconds if most >= 1e3 => (1e3, "simulated time, thousand robot-seconds"),
            Along::RobotSeconds => (1.0, "simulated time, robot-seconds"),
        };
        Scale { along, unit, label }
    }

    fn panel(&self, title: &str, axes: Axes) -> Plot {
        let plot = Plot::new(title, self.label, axes.y.label());
        if self.along == Along::Generation { plot.whole_x() } else { plot }
    }

    fn x(&self, setting: &Setting, generation: u32, robot_seconds: f64) -> f64 {
        match self.along {
            Along::Generation => generation.into(),
            Along::Simulations => robot_seconds / setting.simulation,
            Along::RobotSeconds => robot_seconds / self.unit,
        }
    }
}

fn draw_mean(plot: &mut Plot, setting: &Setting, course: &[MeanStep], stroke: Stroke, scale: &Scale) {
    let label = &setting.label;
    let x = |s: &MeanStep| scale.x(setting, s.generation, s.robot_seconds);
    plot.line("", stroke, course.iter().map(|s| (x(s), s.mean)).collect());
    let note = |s: &MeanStep| {
        let half = s.half.map_or(String::new(), |half| format!(" +- {half:.4}"));
        let place = format!("generation {}, {:.0} robot-seconds", s.generation, s.robot_seconds);
        (x(s), s.mean, format!("{label}: {:.4}{half} ({place})", Figure(s.mean)))
    };
    plot.notes(course.iter().map(note).collect());
}

fn draw_runs(plot: &mut Plot, setting: &Setting, stroke: Stroke, scale: &Scale, quality: Quality) {
    let line =
        |course: &[Step]| course.iter().map(|s| (scale.x(setting, s.generation, s.robot_seconds), s.value)).collect();
    let end = |course: &[Step]| course.last().map_or(f64::NEG_INFINITY, |s| s.value);
    for course in &setting.courses {
        plot.line("", stroke.faint(), line(course));
    }
    // The end of a fitness curve is biased upwards by selection, so the remeasured fitness has priority.
    let again = |run: usize| match quality {
        Quality::Derated | Quality::Best => setting.remeasured[run].unwrap_or(f64::NEG_INFINITY),
        Quality::Mean | Quality::Distinct | Quality::Seconds => 0.0,
    };
    let rank = |a: &usize, b: &usize| {
        again(*a).total_cmp(&again(*b)).then(end(&setting.courses[*a]).total_cmp(&end(&setting.courses[*b])))
    };
    let bold = (0..setting.courses.len()).max_by(rank);
    if let Some(bold) = bold {
        let (course, seed) = (&setting.courses[bold], setting.seeds[bold]);
        plot.line("", stroke, line(course));
        if let Some(last) = course.last() {
            let note = format!("{}, seed {seed}: {:.4}", setting.label, Figure(last.value));
            plot.notes(vec![(scale.x(setting, last.generation, last.robot_seconds), last.value, note)]);
        }
    }
}

/// Draws a dot for each remeasured champion, and a bar with the mean and its confidence interval. The dots are side
/// by side, so that equal values are distinguishable.
fn draw_again(plot: &mut Plot, setting: &Setting, stroke: Stroke, x: f64) {
    let width = setting.seeds.len().max(2) as f64 - 1.0;
    let dot = |(i, value): (usize, &Option<f64>)| Some((x - 0.2 + 0.4 * i as f64 / width, (*value)?, i));
    let dots: Vec<(f64, f64, usize)> = setting.remeasured.iter().enumerate().filter_map(dot).collect();
    let values: Vec<f64> = dots.iter().map(|d| d.1).collect();
    let Some(spread) = Spread::from_sample(&values) else { return };
    let bar = [x - 0.3, x + 0.3];
    if let Some(half) = spread.half_interval(student_t_975(values.len().max(2) - 1)) {
        let (low, high) = (spread.mean - half, spread.mean + half);
        plot.band("", stroke.colour(), bar.map(|x| (x, low, high)).to_vec());
    }
    plot.line("", stroke, bar.map(|x| (x, spread.mean)).to_vec());
    plot.points("", stroke.colour(), dots.iter().map(|d| (d.0, d.1)).collect());
    let note = |(x, y, i): &(f64, f64, usize)| {
        (*x, *y, format!("{}, seed {}: {:.4}", setting.label, setting.seeds[*i], Figure(*y)))
    };
    plot.notes(dots.iter().map(note).collect());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_has_legend_bands_and_one_dot_per_run() {
        let step = |generation: u32, value: f64| Step { generation, robot_seconds: f64::from(generation), value };
        let course = |top: f64| vec![step(1, 0.0), step(2, top)];
        let setting = |label: &str| Setting {
            label: label.into(),
            simulation: 0.5,
            seeds: vec![1, 2, 3],
            courses: vec![course(0.1), course(0.3), course(0.2)],
            remeasured: vec![Some(0.1), None, Some(0.3)],
            last: vec![0.1, 0.3, 0.2],
        };
        let svg = draw("test", Axes::default(), &[setting("a < b"), setting("other")]);
        let document = roxmltree::Document::parse(&svg).unwrap();
        let with =
            |name: &str, value: &str| document.descendants().filter(|n| n.attribute(name) == Some(value)).count();
        let texts: Vec<&str> = document.descendants().filter_map(|n| n.text()).collect();
        assert!(texts.contains(&"a < b") && texts.contains(&"simulated time, robot-seconds"), "{texts:?}");
        assert!(texts.iter().any(|t| t.contains("mean over 3 seeds") && t.contains("95 % confidence interval")));
        // Each of the two settings has a band, a bar, three faint curves of its runs, and two dots.
        assert_eq!((with("fill-opacity", "0.2"), with("class", "line faint"), with("r", "1.8")), (4, 6, 4));
        assert!(texts.contains(&"a < b, seed 3: 0.3000") && !texts.iter().any(|t| t.contains("seed 2: 0.3000 ")));
        let axes = Axes { x: Along::Generation, boxes: Some(2), ..Axes::default() };
        let svg = draw("test", axes, &[setting("a"), setting("b")]);
        // With boxes, each setting has a median line instead of a band. The bar of its champions remains.
        assert_eq!((svg.matches("class=\"median\"").count(), svg.matches("fill-opacity=\"0.2\"").count()), (2, 2));
        assert!(svg.contains("Boxes: quartiles over all runs and the last 2 generations"));
        let simulations = draw("test", Axes { x: Along::Simulations, ..Axes::default() }, &[setting("a")]);
        assert!(simulations.contains(">simulations<") && simulations.contains(">4.0<"), "2 robot-seconds are 4");
        let many: Vec<Setting> = (0..20).map(|i| setting(&format!("s{i}"))).collect();
        assert!(draw("test", Axes::default(), &many).contains("The first 14 of 20 settings"));
    }
}

//! Chapter of the report on the world parameters that robots estimated, for runs in which robots compare observations
//! with simulations.

use super::collect::RunFacts;
use super::page::Section;
use super::parameter_history::ParameterHistory;
use crate::sweep::summary::Readable;
use xpuck_kernels::estimate::Parameter;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};

/// Returns the chapter on estimated parameters; `None` if no run has estimates.
pub fn section(runs: &[&RunFacts]) -> Option<Section> {
    let all = || runs.iter().flat_map(|run| run.held.iter().map(move |held| (run, held)));
    all().next()?;
    let mut section = Section {
        title: "World parameters estimated by the robots".into(),
        text: vec![
            "The robots compared their own motion and the motion of pushed objects with the predictions of their \
             simulators. Where enough robots agreed that a parameter of the world has another value, each robot changed \
             its simulator and continued to evolve with the new value. A slipping wheel changes only its own robot's \
             wheel model. Each line is the estimate of one robot. Minutes are run time without pauses."
                .into(),
        ],
        ..Section::default()
    };
    let mut names: Vec<&str> = all().map(|(_, held)| held.parameter.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut rows = Vec::new();
    for name in names {
        let of_it = || all().filter(|(_, held)| held.parameter == name);
        let changed = of_it().filter(|(_, held)| held.course.iter().any(|(_, value)| *value != held.course[0].1));
        let times = changed.clone().filter_map(|(_, held)| {
            held.course.iter().find(|(_, value)| *value != held.course[0].1).map(|(minutes, _)| *minutes)
        });
        let first = times.fold(f64::INFINITY, f64::min);
        let changed = changed.count();
        if changed == 0 {
            continue;
        }
        let last: Vec<f64> = of_it().filter_map(|(_, held)| Some(held.course.last()?.1)).collect();
        let (low, high) = last.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
        let began = of_it().next().map_or(0.0, |(_, held)| held.course[0].1);
        rows.push(vec![
            name.to_string(),
            format!("{:.3}", Figure(began)),
            format!("{:.3} to {:.3}", Figure(low), Figure(high)),
            format!("{changed} of {}", last.len()),
            format!("{first:.1}"),
        ]);
        section.results.push(format!(
            "{changed} of {} robots changed {name} from {:.3}, the first after {first:.1} minutes; at the end they \
             simulate {:.3} to {:.3}.",
            last.len(),
            Figure(began),
            Figure(low),
            Figure(high)
        ));
        let unit = Parameter::from_name(name).map(Parameter::unit).filter(|unit| !unit.is_empty());
        let axis = unit.map_or(name.to_string(), |unit| format!("{name}, {unit}"));
        let mut plot = Plot::new(&format!("{name}, as simulated"), "minutes", &axis);
        for (_, held) in of_it() {
            plot.line("", Stroke::from(Colour::Blue).faint(), steps(&held.course));
        }
        let note = |(run, held): (&&RunFacts, &ParameterHistory)| {
            let (minutes, value) = *held.course.last()?;
            let run = if runs.len() > 1 { format!("{}, ", run.name) } else { String::new() };
            Some((minutes, value, format!("{run}{}: {:.3} at the end", held.robot, Figure(value))))
        };
        plot.notes(of_it().filter_map(note).collect());
        let series = vec![("each robot".into(), Stroke::from(Colour::Blue).faint())];
        section.figures.push(to_svg_with(&[plot], &Footer { series, caption: Vec::new() }));
    }
    if rows.is_empty() {
        section.results.push("No robot found a difference between the world and its simulation.".into());
    } else {
        let head = ["parameter", "at first", "at the end", "robots", "first change, min"].map(String::from).into();
        section.tables.push(Readable { title: "Parameters that changed in simulators".into(), head, rows });
    }
    Some(section)
}

/// Converts a parameter's course (min, value) to the corner points of a step function.
fn steps(course: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut line: Vec<(f64, f64)> = Vec::with_capacity(2 * course.len());
    for (minutes, value) in course {
        if let Some((_, before)) = line.last().copied()
            && before != *value
        {
            line.push((*minutes, before));
        }
        line.push((*minutes, *value));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::parameter_history::Courses;
    use super::*;

    #[test]
    fn estimate_curve_keeps_changes_and_ends_with_run() {
        let mut courses = Courses::default();
        for (minutes, value) in [(0.5, 0.07), (1.0, 0.07), (1.5, 0.07), (2.0, 0.28), (2.5, 0.28), (3.0, 0.28)] {
            courses.record(minutes, "xp01", "frisbee-mass", value);
        }
        let held = courses.finish();
        assert_eq!(held[0].course, [(0.5, 0.07), (1.5, 0.07), (2.0, 0.28), (3.0, 0.28)]);
        assert_eq!(steps(&held[0].course)[2..4], [(2.0, 0.07), (2.0, 0.28)]);
    }
}

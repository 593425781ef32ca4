//! Figure of the study of swarm sizes.

use super::size::{Scaling, Size, SizeStudy};
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};

/// Number of line segments of the model's curve between the smallest and the largest swarm.
const STEPS: usize = 200;

/// Draws the fitness of the swarm and the fitness per robot, against the number of robots. A dashed line shows n
/// times the fitness of one robot, and a curve shows the fitted model.
pub fn draw(study: &SizeStudy) -> String {
    let place = |size: &Size| size.robots as f64;
    let mut swarm = Plot::new("Fitness of the swarm", "robots", "fitness").whole_x();
    let mut each = Plot::new("Fitness per robot", "robots", "fitness / robots").whole_x();
    let whole: fn(f64) -> f64 = |_| 1.0;
    let robot: fn(f64) -> f64 = |robots| robots;
    for (plot, share) in [(&mut swarm, whole), (&mut each, robot)] {
        let scale = |size: &Size| share(place(size));
        let edge = |size: &Size| {
            let [low, high] = size.fitness.interval;
            (place(size), low / scale(size), high / scale(size))
        };
        plot.band("", Colour::Sky, study.sizes.iter().map(edge).collect());
        let line: Vec<(f64, f64)> = study.sizes.iter().map(|size| (place(size), size.linear / scale(size))).collect();
        // The dashed line ends near the measured values. Its values for large swarms would compress the rest of the
        // plot.
        let highest = study.sizes.iter().map(|size| size.fitness.interval[1] / scale(size)).fold(0.0, f64::max);
        let shown = line.iter().take_while(|(_, y)| *y <= 1.5 * highest).count().max(2);
        plot.line("", Stroke::from(Colour::Black).dashed(), line.into_iter().take(shown).collect());
        if let Some(model) = &study.model {
            let (first, last) = (place(&study.sizes[0]), place(&study.sizes[study.sizes.len() - 1]));
            let at = |i: usize| first + (last - first) * i as f64 / STEPS as f64;
            let curve = (0..=STEPS).map(|i| (at(i), model.at(at(i)) / share(at(i)))).collect();
            plot.line("", Colour::Orange, curve);
        }
        for (scaling, colour) in
            [(Scaling::SuperLinear, Colour::Green), (Scaling::Linear, Colour::Grey), (Scaling::SubLinear, Colour::Red)]
        {
            let of = study.sizes.iter().filter(|size| size.scaling == scaling);
            plot.points("", colour, of.map(|size| (place(size), size.fitness.mean / scale(size))).collect());
        }
    }
    let mut series = vec![("n f(1)".into(), Stroke::from(Colour::Black).dashed())];
    if study.model.is_some() {
        series.push(("a n^b exp(-c n)".into(), Colour::Orange.into()));
    }
    let colours = [("above n f(1)", Colour::Green), ("not significant", Colour::Grey), ("below", Colour::Red)];
    series.extend(colours.map(|(label, colour)| (label.to_string(), colour.into())));
    let caption = vec![
        format!(
            "Dots: means of {} runs of {} s; band: 95 % confidence interval.",
            study.budget.runs, study.budget.seconds
        ),
        study.sentence(),
    ];
    to_svg_with(&[swarm, each], &Footer { series, caption })
}

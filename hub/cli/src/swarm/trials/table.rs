//! Report of trials as text, in the form of Table 7.8 of the thesis.

use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;
use xpuck_lab::trials::{Compared, Settings, Trial};
use xpuck_stats::figure::Figure;
use xpuck_stats::statistics::Spread;

/// Result of `xpuck swarm trials`, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Report<'a> {
    /// Settings of the trials.
    pub settings: &'a Settings,
    /// All trials, including discarded ones.
    pub trials: &'a [Trial],
    /// Mean and spread of the fitness of the valid trials; `None` without valid trials.
    pub real: Option<Spread>,
    /// Mean and spread of the fitness of the simulations.
    pub simulated: Option<Spread>,
    /// Comparison of the trials with the simulations. `None` with fewer than two valid trials, or if neither the trials
    /// nor the simulations differ in fitness.
    pub compared: Option<Compared>,
    /// Path of the figure that compares trials and simulations; `None` if it was not drawn.
    pub picture: Option<&'a Path>,
}

/// Formats the fitness of a trial, or the reason for which the trial is discarded.
pub fn outcome(trial: &Trial) -> String {
    match &trial.discard {
        None => format!("fitness {:.3}", Figure(trial.fitness)),
        Some(discard) => format!("discarded: {discard}"),
    }
}

/// Formats the table of the trials and the comparison with the simulations.
pub fn text(report: &Report<'_>) -> String {
    let mut text = String::from("run  start x  finish x  fitness   parked  off      \n");
    for trial in report.trials {
        let x = |i: usize| trial.frisbee_x.map_or("-".into(), |x| format!("{:.3}", Figure(x[i])));
        let fitness = match &trial.discard {
            None => format!("{:>7.3}", Figure(trial.fitness)),
            Some(_) => "      -".into(),
        };
        let [off, turned] = trial.off;
        let why = trial.discard.as_ref().map_or(String::new(), |why| format!("  discarded: {why}"));
        let _ = writeln!(
            text,
            "{:>3}  {:>7}  {:>8}  {fitness}  {:>5.1} s  {:.0} mm, {turned:.0} deg{why}",
            trial.number,
            x(0),
            x(1),
            trial.parked_s,
            off * 1e3,
        );
    }
    for (name, spread) in [("real", &report.real), ("simulated", &report.simulated)] {
        let Some(spread) = spread else { continue };
        let (mean, sd) = (Figure(spread.mean), spread.sd.unwrap_or(0.0));
        let _ = writeln!(text, "{name:<9}  mean {mean:.3}  sd {sd:.3}  {} runs", spread.n);
    }
    text += &match &report.compared {
        Some(compared) => comparison(compared),
        None => format!("{}\n", uncompared(report.real.as_ref())),
    };
    if let Some(picture) = report.picture {
        let _ = writeln!(text, "figure: {}", picture.display());
    }
    text
}

/// Returns the reason for which there is no comparison.
fn uncompared(real: Option<&Spread>) -> &'static str {
    match real {
        Some(Spread { n: 2.., .. }) => {
            "all trials have the same fitness, and so do all simulations: without variation, no test is possible"
        }
        _ => "fewer than two trials count: there is nothing to compare",
    }
}

/// Formats the results of the statistical tests.
fn comparison(compared: &Compared) -> String {
    let Compared { welch, student, mann_whitney_p, superiority, cohens_d, hedges_g, .. } = compared;
    let [low, high] = welch.interval.map(Figure);
    format!(
        "difference {:.3}, 95 % interval {low:.3} to {high:.3}\n\
         Welch's t = {:.3}, {:.1} degrees of freedom, p = {:.3}; Student's t = {:.3}, p = {:.3}\n\
         Mann-Whitney p = {mann_whitney_p:.3}; a real run beats a simulated one with probability {superiority:.3}\n\
         effect size: Cohen's d = {:.3}, Hedges' g = {:.3}\n",
        Figure(welch.difference),
        Figure(welch.t),
        welch.degrees,
        welch.p,
        Figure(student.t),
        student.p,
        Figure(*cohens_d),
        Figure(*hedges_g)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_trials_have_means_but_no_test() {
        let settings = Settings {
            tree: "failurel\n".into(),
            world: "scenario a".into(),
            robots: 9,
            seconds: 60.0,
            runs: 2,
            seed: 1,
            simulations: 4,
        };
        let told = |real: &[f64]| {
            text(&Report {
                settings: &settings,
                trials: &[],
                real: Spread::from_sample(real),
                simulated: Spread::from_sample(&[0.0; 4]),
                compared: None,
                picture: Some(Path::new("trials.svg")),
            })
        };
        let alike = told(&[0.0; 2]);
        assert!(alike.contains("real       mean 0.000  sd 0.000  2 runs\nsimulated  mean 0.000"), "{alike}");
        assert!(alike.contains("all trials have the same fitness") && alike.contains("figure: trials.svg"), "{alike}");
        assert!(told(&[0.5]).contains("fewer than two trials count") && told(&[]).contains("simulated  mean 0.000"));
    }
}

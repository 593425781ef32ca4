//! A million islands on paper and by simulation: what topologies of geneservers and peers cost and give. Pure and
//! deterministic: a seed gives the same digits.
//!
//! [`mod@takeover`] follows one gene in continuous time, with delays and islands that come and go; [`mod@climb`] follows fitness on all
//! islands in generations, by a [`mod@law`] that measured runs fit; [`Traffic`] is arithmetic.

pub mod climb;
pub mod figure;
pub mod law;
pub mod network;
pub mod takeover;
pub mod topology;
pub mod traffic;

pub use traffic::Traffic;

use climb::{Standing, climb};
use law::Law;
use network::Network;
use serde::Serialize;
use takeover::arrivals;
use topology::Topology;

/// A geneserver joins the one above it so often, s: `xpuck_hub_service::geneserver`.
pub const SERVER_PERIOD: f64 = 1.0;
/// What an answer costs a geneserver, s: `xpuck dev bench geneserver` measured 0.44 ms from the moment when an emigrant was due to
/// its answer, at the median and on shared cores, so this is an upper bound.
pub const SERVICE: f64 = 0.000_4;

// What draws are for; part of their counter. Levels of a tree are added to the first two, and there are at most 20.
const PHASE: u32 = 100;
const DELAY: u32 = 200;
const PRESENCE: u32 = 300;
const GRAPH: u32 = 301;
const PARTNER: u32 = 302;
const ORIGIN: u32 = 303;
const CLIMB: u32 = 304;

/// Points of a takeover's curve.
const POINTS: usize = 200;

/// What is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Plan {
    /// Islands, 2 or more.
    pub islands: usize,
    /// What lies between them.
    pub network: Network,
    /// An island's generation, after which it exchanges, s.
    pub period: f64,
    /// Generations of the climb.
    pub generations: u32,
    /// How islands improve.
    pub law: Law,
    /// Seed.
    pub seed: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        let (network, law) = (Network::Volunteers, Law::Steps);
        Plan { islands: 1_000_000, network, period: 10.0, generations: 180, law, seed: 1 }
    }
}

impl Plan {
    /// Time between two exchanges of an island that is on, s: longer than its generation if more of them ask one server than it
    /// can answer.
    pub fn island_period(&self, topology: Topology) -> f64 {
        self.period.max(topology.fan_out(self.islands) as f64 * self.network.on() * SERVICE)
    }

    /// The same of a server that has one above, s.
    pub fn server_period(&self, topology: Topology) -> f64 {
        SERVER_PERIOD.max(topology.fan_out(self.islands) as f64 * SERVICE)
    }
}

/// When islands have a gene, s after it came up; infinite if fewer ever have it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Spread {
    /// Half of all islands.
    pub half: f64,
    /// Nine of ten.
    pub most: f64,
    /// All, those that were away included.
    pub all: f64,
    /// Its mean age when an island gets it.
    pub age: f64,
}

/// Sorts the times and sums them up; there must be one at least.
pub fn spread(times: &mut [f64]) -> Spread {
    times.sort_by(f64::total_cmp);
    let n = times.len();
    let at = |share: f64| times[((share * n as f64).ceil() as usize).clamp(1, n) - 1];
    Spread { half: at(0.5), most: at(0.9), all: times[n - 1], age: times.iter().sum::<f64>() / n as f64 }
}

/// What came out for a topology.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Row {
    /// Its name; "alone" where nobody exchanges.
    pub topology: String,
    /// Geneservers.
    pub servers: usize,
    /// Levels of geneservers.
    pub levels: usize,
    /// What goes over the wires.
    pub traffic: Option<Traffic>,
    /// When one gene was everywhere.
    pub takeover: Option<Spread>,
    /// The same as a curve: time, s, and share of the islands.
    pub curve: Vec<(f64, f64)>,
    /// Champions after each generation.
    pub course: Vec<Standing>,
}

/// The study.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ScaleStudy {
    /// What was simulated.
    pub plan: Plan,
    /// Each topology; the last row is of islands that are alone.
    pub rows: Vec<Row>,
}

/// Simulates each topology, and islands that never exchange. `progress` is called [`steps`] times, after each generation; with its
/// answer true the study ends and there is none.
pub fn study(plan: &Plan, topologies: &[Topology], progress: &dyn Fn() -> bool) -> Option<ScaleStudy> {
    let stopped = std::cell::Cell::new(false);
    let mut step = || {
        stopped.set(stopped.get() || progress());
        stopped.get()
    };
    let mut rows = Vec::new();
    for topology in topologies.iter().copied().map(Some).chain([None]) {
        let (mut takeover, mut curve) = (None, Vec::new());
        if let Some(topology) = topology {
            let mut times = arrivals(plan, topology, &|| stopped.get());
            takeover = Some(spread(&mut times));
            let n = times.len();
            let place = |i: usize| (i * (n - 1)) / POINTS.min(n - 1).max(1);
            let points = (0..=POINTS.min(n - 1)).map(|i| (times[place(i)], (place(i) + 1) as f64 / n as f64));
            curve = points.filter(|(time, _)| time.is_finite()).collect();
        }
        let servers = topology.map_or(Vec::new(), |topology| topology.servers(plan.islands));
        let row = Row {
            topology: topology.map_or("alone".into(), |topology| topology.to_string()),
            servers: servers.iter().sum(),
            levels: servers.len(),
            traffic: topology.map(|topology| Traffic::of(plan, topology)),
            takeover,
            curve,
            course: climb(plan, plan.law, topology, &mut step),
        };
        rows.push(row);
        if stopped.get() {
            return None;
        }
    }
    Some(ScaleStudy { plan: *plan, rows })
}

/// How often a study of so many topologies calls back.
pub fn steps(plan: &Plan, topologies: usize) -> u64 {
    u64::from(plan.generations) * (topologies as u64 + 1)
}

impl ScaleStudy {
    /// The result in a sentence.
    pub fn sentence(&self) -> String {
        let finished = |row: &&Row| row.takeover.is_some_and(|spread| spread.half.is_finite());
        let half = |row: &Row| row.takeover.map_or(f64::INFINITY, |spread| spread.half);
        let soonest = self.rows.iter().filter(finished).min_by(|a, b| half(a).total_cmp(&half(b)));
        let Some(soonest) = soonest else { return "No gene reached half of the islands".into() };
        let mean = |row: &Row| row.course.last().map_or(0.0, |s| s.mean);
        let fittest = self.rows.iter().max_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap_or(soonest);
        format!(
            "A gene is on half of {} islands soonest with {}, after {}; after {} generations champions are worth {:.3} on \
             average with {}, the most, and {:.3} where all are alone",
            self.plan.islands,
            soonest.topology,
            duration(half(soonest)),
            self.plan.generations,
            xpuck_stats::figure::Figure(mean(fittest)),
            fittest.topology,
            xpuck_stats::figure::Figure(self.rows.last().map_or(0.0, mean))
        )
    }
}

/// A time in the unit that fits.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() => "never".into(),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.1} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn a_study_has_a_row_for_each_and_counts_its_steps() {
        let plan = Plan { islands: 300, generations: 5, ..Plan::default() };
        let topologies = [Topology::Star, Topology::Tree(10), Topology::Ring];
        let count = Cell::new(0);
        let progress = || {
            count.set(count.get() + 1);
            false
        };
        let found = study(&plan, &topologies, &progress).unwrap();
        assert_eq!((found.rows.len(), count.get()), (4, steps(&plan, 3)));
        assert_eq!((found.rows[1].servers, found.rows[1].levels), (34, 3));
        assert!(found.rows[0].curve.len() > 100 && found.rows[3].takeover.is_none());
        assert!(found.sentence().contains("300 islands"), "{}", found.sentence());
        assert_eq!(study(&plan, &topologies, &|| false), Some(found.clone()));
        assert_eq!(study(&plan, &topologies, &|| true), None);
        let svg = figure::draw(&found);
        assert!(svg.contains("tree:10") && svg.contains("alone"));
    }

    #[test]
    fn a_spread_is_of_all_islands() {
        let mut times: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(spread(&mut times), Spread { half: 50.0, most: 90.0, all: 100.0, age: 50.5 });
        assert!(spread(&mut [1.0, f64::INFINITY]).all.is_infinite());
        assert_eq!(duration(90.0), "90.0 s");
        assert_eq!(duration(864_000.0), "10.0 days");
    }
}

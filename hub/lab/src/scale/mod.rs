//! Study of the scaling to a million islands: cost and performance of topologies of geneservers and peers. Equal
//! seeds give identical results.
//!
//! [`mod@takeover`] simulates the spread of one gene in continuous time, with delays and islands that join and leave.
//! [`mod@climb`] simulates the fitness of all islands generation by generation, with a [`mod@law`] fitted to measured
//! runs. [`Traffic`] is calculated without simulation.

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

/// Interval at which a geneserver contacts its parent server (s), as in `xpuck_hub_service::geneserver`.
pub const SERVER_PERIOD: f64 = 1.0;
/// Assumed service time of a geneserver per answer (s). `xpuck dev bench geneserver` measured a median of 0.44 ms from
/// the due time of an emigrant to the answer, on shared cores.
pub const SERVICE: f64 = 0.000_4;

// Each purpose of random draws has its own number in the counter of the generator. The level of a node in the tree of
// servers is added to PHASE and DELAY. A tree has at most 20 levels.
const PHASE: u32 = 100;
const DELAY: u32 = 200;
const PRESENCE: u32 = 300;
const GRAPH: u32 = 301;
const PARTNER: u32 = 302;
const ORIGIN: u32 = 303;
const CLIMB: u32 = 304;

/// Number of points of a takeover curve.
const POINTS: usize = 200;

/// Parameters of the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Plan {
    /// Number of islands, >= 2.
    pub islands: usize,
    /// Network between the islands.
    pub network: Network,
    /// Duration of a generation of an island (s). The island exchanges genes after each generation.
    pub period: f64,
    /// Number of generations for which the fitness is simulated.
    pub generations: u32,
    /// Growth law of the islands.
    pub law: Law,
    /// Seed of all random numbers.
    pub seed: u64,
}

impl Default for Plan {
    fn default() -> Plan {
        let (network, law) = (Network::Volunteers, Law::Steps);
        Plan { islands: 1_000_000, network, period: 10.0, generations: 180, law, seed: 1 }
    }
}

impl Plan {
    /// Returns the interval between two exchanges of an island that is always on (s). The interval is longer than a
    /// generation if the requests of a server's islands exceed the server's capacity.
    pub fn island_period(&self, topology: Topology) -> f64 {
        self.period.max(topology.fan_out(self.islands) as f64 * self.network.on() * SERVICE)
    }

    /// Returns the interval between two exchanges of a server with its parent (s).
    pub fn server_period(&self, topology: Topology) -> f64 {
        SERVER_PERIOD.max(topology.fan_out(self.islands) as f64 * SERVICE)
    }
}

/// Times until a gene has reached given shares of the islands (s since the gene arose). A time is infinite if the
/// gene never reaches the share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Spread {
    /// Time until half of the islands have the gene.
    pub half: f64,
    /// Time until 90 % of the islands have the gene.
    pub most: f64,
    /// Time until all islands have the gene, including islands that were off for a time.
    pub all: f64,
    /// Mean age of the gene on arrival at an island (s).
    pub age: f64,
}

/// Sorts and summarises the times at which a gene arrives at the islands (s). `times` must not be empty.
pub fn spread(times: &mut [f64]) -> Spread {
    times.sort_by(f64::total_cmp);
    let n = times.len();
    let at = |share: f64| times[((share * n as f64).ceil() as usize).clamp(1, n) - 1];
    Spread { half: at(0.5), most: at(0.9), all: times[n - 1], age: times.iter().sum::<f64>() / n as f64 }
}

/// Results of a topology.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Row {
    /// Name of the topology; "alone" for islands without exchange.
    pub topology: String,
    /// Number of geneservers.
    pub servers: usize,
    /// Number of levels of geneservers.
    pub levels: usize,
    /// Network traffic; `None` for islands without exchange.
    pub traffic: Option<Traffic>,
    /// Takeover times of one gene; `None` for islands without exchange.
    pub takeover: Option<Spread>,
    /// Takeover curve: time (s), and share of the islands that have the gene (0..=1).
    pub curve: Vec<(f64, f64)>,
    /// Fitness of the champions after each generation.
    pub course: Vec<Standing>,
}

/// Results of the scaling study.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ScaleStudy {
    /// Parameters of the simulation.
    pub plan: Plan,
    /// Results of each topology; the last row is for islands without exchange.
    pub rows: Vec<Row>,
}

/// Simulates each topology, and islands without exchange. `progress` is called after each generation, [`steps`] times
/// in total. If `progress` returns true, the study is cancelled and the result is `None`.
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
            traffic: topology.map(|topology| Traffic::from_plan(plan, topology)),
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

/// Returns the number of progress calls of a study with `topologies` topologies.
pub fn steps(plan: &Plan, topologies: usize) -> u64 {
    u64::from(plan.generations) * (topologies as u64 + 1)
}

impl ScaleStudy {
    /// Returns the result as a sentence.
    pub fn sentence(&self) -> String {
        let finished = |row: &&Row| row.takeover.is_some_and(|spread| spread.half.is_finite());
        let half = |row: &Row| row.takeover.map_or(f64::INFINITY, |spread| spread.half);
        let soonest = self.rows.iter().filter(finished).min_by(|a, b| half(a).total_cmp(&half(b)));
        let Some(soonest) = soonest else { return "No gene reached half of the islands".into() };
        let mean = |row: &Row| row.course.last().map_or(0.0, |s| s.mean);
        let fittest = self.rows.iter().max_by(|a, b| mean(a).total_cmp(&mean(b))).unwrap_or(soonest);
        format!(
            "A gene reaches half of {} islands soonest with {}, after {}; after {} generations the mean fitness of \
             champions is {:.3} with {}, the highest, and {:.3} without exchange",
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

/// Formats a duration with a suitable unit.
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
    fn study_has_row_per_topology_and_counts_steps() {
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
    fn spread_covers_all_islands() {
        let mut times: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(spread(&mut times), Spread { half: 50.0, most: 90.0, all: 100.0, age: 50.5 });
        assert!(spread(&mut [1.0, f64::INFINITY]).all.is_infinite());
        assert_eq!(duration(90.0), "90.0 s");
        assert_eq!(duration(864_000.0), "10.0 days");
    }
}

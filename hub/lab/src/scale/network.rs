//! Network model: delays between islands, and islands that join and leave.

use serde::Serialize;
use xpuck_kernels::random::{Draws, Stream, normal_pair};

/// Interval after which the on/off states of islands are drawn independently of all previous states (s). The state at
/// any time can thus be computed without the draws of previous intervals.
const WINDOW: f64 = 7.0 * 86_400.0;

/// A kind of network. Delays are one-way and log-normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// A cluster with a median delay of 0.1 ms. All islands are always on.
    Cluster,
    /// A local network with a median delay of 0.2 ms. All islands are always on.
    Lan,
    /// Volunteers over the internet. The median delay is 40 ms, with a long tail. On average, an island is on for
    /// four hours, then off for two hours.
    Volunteers,
}

impl Network {
    /// Returns the median of a one-way delay (s), and the standard deviation of its logarithm.
    pub fn delay(self) -> (f64, f64) {
        match self {
            Network::Cluster => (0.000_1, 0.2),
            Network::Lan => (0.000_2, 0.2),
            Network::Volunteers => (0.040, 1.2),
        }
    }

    /// Returns the mean times for which an island is on and off (s); `None` if all islands are always on.
    pub fn churn(self) -> Option<(f64, f64)> {
        (self == Network::Volunteers).then_some((4.0 * 3600.0, 2.0 * 3600.0))
    }

    /// Returns the mean share of islands that are on (0..=1).
    pub fn on(self) -> f64 {
        self.churn().map_or(1.0, |(on, off)| on / (on + off))
    }
}

/// A network with random delays and random presence of islands.
#[derive(Clone, Copy, Debug)]
pub struct NetworkModel {
    network: Network,
    seed: u64,
}

impl NetworkModel {
    /// Creates the model of a network for a seed.
    pub fn new(network: Network, seed: u64) -> NetworkModel {
        NetworkModel { network, seed }
    }

    /// Returns the one-way delay of a message (s). `level` and `number` identify the node, and `which` identifies the
    /// message.
    pub fn delay(&self, level: usize, number: usize, which: u32) -> f64 {
        let (median, deviation) = self.network.delay();
        let body = super::DELAY + level as u32;
        let mut draws = Draws::new(self.seed, number as u32, body, which, Stream::Migration);
        let (normal, _) = normal_pair(draws.word(), draws.word());
        median * (deviation * f64::from(normal)).exp()
    }

    /// Returns whether an island is on at time `at` (s), and the time until which the island keeps this state (s).
    pub fn presence(&self, island: usize, at: f64) -> (bool, f64) {
        let Some((mean_on, mean_off)) = self.network.churn() else { return (true, f64::INFINITY) };
        let window = (at / WINDOW).floor().max(0.0);
        let end = (window + 1.0) * WINDOW;
        let mut draws = Draws::new(self.seed, island as u32, super::PRESENCE, window as u32, Stream::Migration);
        let mut on = f64::from(draws.unit()) < self.network.on();
        let mut until = window * WINDOW;
        loop {
            until += -(1.0 - f64::from(draws.unit())).ln() * if on { mean_on } else { mean_off };
            if until > at || until >= end {
                return (on, until.min(end));
            }
            on = !on;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_have_their_median_and_volunteers_their_tail() {
        for network in [Network::Cluster, Network::Lan, Network::Volunteers] {
            let weather = NetworkModel::new(network, 3);
            let mut all: Vec<f64> = (0..20_001).map(|i| weather.delay(0, i, 0)).collect();
            all.sort_by(f64::total_cmp);
            let (median, deviation) = network.delay();
            assert!((all[10_000] / median - 1.0).abs() < 0.05, "{}", all[10_000]);
            let tail = (deviation * 2.326).exp();
            assert!((all[19_800] / median / tail - 1.0).abs() < 0.15, "{}", all[19_800]);
        }
    }

    #[test]
    fn two_thirds_of_the_volunteers_are_on_at_any_time() {
        let weather = NetworkModel::new(Network::Volunteers, 3);
        for hours in [0.0, 1.0, 30.0, 167.9, 168.1, 1000.0] {
            let on = (0..30_000).filter(|i| weather.presence(*i, hours * 3600.0).0).count();
            assert!((on as f64 / 30_000.0 - 2.0 / 3.0).abs() < 0.01, "{on} at {hours} h");
        }
        let (on, until) = weather.presence(5, 100.0);
        assert_eq!(weather.presence(5, until - 1e-3).0, on);
        assert_ne!(weather.presence(5, until).0, on);
    }
}

//! Network model: delays between islands, and islands that join and leave.

use serde::Serialize;
use xpuck_kernels::random::{Draws, Stream, normal_pair};

/// Interval after which the presence of islands is drawn anew (s), so that a draw does not depend on all earlier
/// ones.
const WINDOW: f64 = 7.0 * 86_400.0;

/// A kind of network. Delays are one-way and log-normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// A cluster: 0.1 ms, all islands stay.
    Cluster,
    /// A local network: 0.2 ms, all islands stay.
    Lan,
    /// Volunteers over the internet: median 40 ms with a long tail; on average four hours on and two hours off.
    Volunteers,
}

impl Network {
    /// Median (s) and standard deviation of the logarithm of a one-way delay.
    pub fn delay(self) -> (f64, f64) {
        match self {
            Network::Cluster => (0.000_1, 0.2),
            Network::Lan => (0.000_2, 0.2),
            Network::Volunteers => (0.040, 1.2),
        }
    }

    /// Mean time on and off (s); `None` if all islands stay.
    pub fn churn(self) -> Option<(f64, f64)> {
        (self == Network::Volunteers).then_some((4.0 * 3600.0, 2.0 * 3600.0))
    }

    /// Share of islands that are on.
    pub fn on(self) -> f64 {
        self.churn().map_or(1.0, |(on, off)| on / (on + off))
    }
}

/// A network with its random numbers.
#[derive(Clone, Copy, Debug)]
pub struct NetworkModel {
    network: Network,
    seed: u64,
}

impl NetworkModel {
    /// Creates the network for a seed.
    pub fn new(network: Network, seed: u64) -> NetworkModel {
        NetworkModel { network, seed }
    }

    /// Returns the one-way delay of a message (s); `level` and `number` identify the node, `which` the message.
    pub fn delay(&self, level: usize, number: usize, which: u32) -> f64 {
        let (median, deviation) = self.network.delay();
        let body = super::DELAY + level as u32;
        let mut draws = Draws::new(self.seed, number as u32, body, which, Stream::Migration);
        let (normal, _) = normal_pair(draws.word(), draws.word());
        median * (deviation * f64::from(normal)).exp()
    }

    /// Returns whether an island is on at time `at` (s), and the end of that state.
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

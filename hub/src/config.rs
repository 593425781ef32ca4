//! The hub's file: where poses come from, how virtual senses are made, where runs are recorded.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use xpuck_wire::{FileError, Swarm, file};

/// `hub.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HubFile {
    /// The swarm file, relative to this file.
    pub swarm: PathBuf,
    /// Motion capture.
    pub mocap: Mocap,
    /// Virtual compass and range and bearing.
    #[serde(default)]
    pub senses: Senses,
    /// Records.
    pub record: Record,
    /// The arena.
    #[serde(default)]
    pub arena: Arena,
}

/// Motion capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mocap {
    /// Which protocol the server speaks.
    #[serde(default)]
    pub kind: MocapKind,
    /// Address and port of the server; usual ports are 801 (Vicon) and 3883 (VRPN). `vicon` is another name of this key.
    #[serde(alias = "vicon")]
    pub address: String,
    /// The frisbee's subject name.
    pub frisbee: String,
    /// Which poses are believed.
    #[serde(default)]
    pub gates: Gates,
}

/// A motion-capture protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MocapKind {
    /// Vicon DataStream.
    #[default]
    Vicon,
    /// VRPN; we connect by TCP.
    Vrpn,
    /// VRPN; we ask by UDP, and the server connects to us.
    VrpnUdp,
}

/// Which poses are believed ([`crate::mocap::gates`]).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gates {
    /// No robot moves faster, m/s, 0.01 to 10. An e-puck's wheels make 0.13.
    pub v_max_m_s: f64,
    /// One that seems to be elsewhere is believed when it stays there for so long, s, 0 to 60.
    pub settle_s: f64,
    /// Least quality, 0 to 1, where the protocol tells it. What is normal differs between systems: 0 takes all.
    pub min_quality: f64,
    /// Oldest pose, s, 0.001 to 1: the system's own latency, or for VRPN the time since the body was last heard of.
    pub max_age_s: f64,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates { v_max_m_s: 0.3, settle_s: 1.0, min_quality: 0.0, max_age_s: 0.2 }
    }
}

/// How virtual senses are made from poses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Senses {
    /// Messages a second to each robot, 1 to 100.
    pub rate_hz: f64,
    /// Poses are held back so long, s, 0 to 2; the thesis measured 0.2 in all (7.3.3).
    pub latency_s: f64,
    /// Range of range and bearing, m.
    pub range_m: f32,
    /// Standard deviation of ranges, m.
    pub range_noise_m: f32,
    /// Standard deviation of bearings, rad.
    pub bearing_noise_rad: f32,
    /// Probability that a neighbour is not heard in a message.
    pub loss: f32,
}

impl Default for Senses {
    fn default() -> Senses {
        Senses { rate_hz: 25.0, latency_s: 0.06, range_m: 0.5, range_noise_m: 0.0, bearing_noise_rad: 0.0, loss: 0.0 }
    }
}

/// Records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Each run gets a directory in this one; relative to this file.
    pub directory: PathBuf,
}

/// The arena.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Arena {
    /// Length along x, m.
    pub length_m: f32,
    /// Width along y, m.
    pub width_m: f32,
    /// Radius of the frisbee, m.
    pub frisbee_radius_m: f32,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena { length_m: 2.0, width_m: 1.5, frisbee_radius_m: 0.105 }
    }
}

/// Everything the hub needs to know to start.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The hub's own file, with paths resolved.
    pub hub: HubFile,
    /// What all share.
    pub swarm: Swarm,
}

impl Config {
    /// Reads the hub's file and the swarm file that it names.
    pub fn read(path: &Path) -> Result<Config, FileError> {
        let name = path.display().to_string();
        let mut hub: HubFile = file::read(path)?;
        let here = path.parent().unwrap_or(Path::new("."));
        hub.swarm = here.join(&hub.swarm);
        hub.record.directory = here.join(&hub.record.directory);
        hub.check(&name)?;
        let swarm = Swarm::read(&hub.swarm)
            .map_err(|error| FileError::value(&name, format!("swarm = {:?}: {error}", hub.swarm)))?;
        Ok(Config { hub, swarm })
    }
}

impl HubFile {
    fn check(&self, name: &str) -> Result<(), FileError> {
        let (s, a, g) = (&self.senses, &self.arena, &self.mocap.gates);
        let rows = [
            ("mocap.gates.v_max_m_s", g.v_max_m_s, 0.01, 10.0),
            ("mocap.gates.settle_s", g.settle_s, 0.0, 60.0),
            ("mocap.gates.min_quality", g.min_quality, 0.0, 1.0),
            ("mocap.gates.max_age_s", g.max_age_s, 0.001, 1.0),
            ("senses.rate_hz", s.rate_hz, 1.0, 100.0),
            ("senses.latency_s", s.latency_s, 0.0, 2.0),
            ("senses.range_m", s.range_m.into(), 0.0, 10.0),
            ("senses.range_noise_m", s.range_noise_m.into(), 0.0, 1.0),
            ("senses.bearing_noise_rad", s.bearing_noise_rad.into(), 0.0, 3.2),
            ("senses.loss", s.loss.into(), 0.0, 1.0),
            ("arena.length_m", a.length_m.into(), 0.3, 20.0),
            ("arena.width_m", a.width_m.into(), 0.3, 20.0),
            ("arena.frisbee_radius_m", a.frisbee_radius_m.into(), 0.01, 1.0),
        ];
        for (key, value, low, high) in rows {
            if !(low..=high).contains(&value) {
                return Err(FileError::value(name, format!("{key} = {value} is outside {low}..={high}")));
            }
        }
        Ok(())
    }
}

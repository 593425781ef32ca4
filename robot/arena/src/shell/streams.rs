//! Motion-capture servers of the arena. Vicon is always served. VRPN and NatNet are served if the settings enable
//! them.

use super::{FRAME_DELAY_US, Listening};
use crate::mocap::{natnet, vicon, vrpn};
use crate::settings::{ArenaError, Settings};
use std::sync::atomic::AtomicBool;
use std::thread::Scope;
use std::time::Duration;
use xpuck_kernels::world::Pose;

/// Motion-capture servers of an arena.
pub(super) struct Streams {
    vicon: vicon::serve::Server,
    vrpn: Option<vrpn::serve::Server>,
    natnet: Option<natnet::serve::Server>,
    robots: usize,
}

impl Streams {
    /// Binds all servers that the settings enable.
    pub fn bind(settings: &Settings) -> Result<Streams, ArenaError> {
        let subjects = vicon::subjects(&settings.robots, settings.discs());
        let vicon = |address| vicon::serve::Server::bind(address, subjects.clone());
        let vrpn = |address| vrpn::serve::Server::bind(address, subjects.clone());
        let natnet = |one| natnet::serve::Server::bind(one, subjects.clone());
        let named = |address| move |source| ArenaError::Mocap { address, source };
        Ok(Streams {
            robots: settings.robots.len(),
            vicon: vicon(settings.mocap).map_err(named(settings.mocap))?,
            vrpn: settings.vrpn.map(|address| vrpn(address).map_err(named(address))).transpose()?,
            natnet: settings.natnet.as_ref().map(|one| natnet(one).map_err(named(one.address.into()))).transpose()?,
        })
    }

    /// Returns the addresses of the motion-capture servers. The addresses of all other servers are `None`.
    pub fn listening(&self) -> Listening {
        Listening {
            mocap: self.vicon.address(),
            devices: None,
            overhead: None,
            vrpn: self.vrpn.as_ref().map(vrpn::serve::Server::address),
            natnet: self.natnet.as_ref().map(natnet::serve::Server::address),
        }
    }

    /// Accepts waiting connections and answers waiting requests.
    pub fn admit<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, stop: &'scope AtomicBool) {
        self.vicon.accept(scope, stop);
        if let Some(vrpn) = &self.vrpn {
            vrpn.admit(scope, stop);
        }
        if let Some(natnet) = &self.natnet {
            natnet.answer();
        }
    }

    /// Sends a frame through all servers. `number` is the number of the frame, and `poses` are the poses at the arena
    /// time `moment`.
    pub fn publish(&self, number: u32, moment: Duration, poses: &[Pose]) {
        self.vicon.publish(vicon::frame(number, poses, self.robots));
        if let Some(vrpn) = &self.vrpn {
            vrpn.publish(moment, vrpn::poses(poses, self.robots));
        }
        if let Some(natnet) = &self.natnet {
            let sent = moment + Duration::from_micros(FRAME_DELAY_US);
            natnet.publish(&natnet::encode::Frame {
                number,
                exposed: moment,
                sent,
                poses: natnet::poses(poses, self.robots),
            });
        }
    }
}

//! Checks of motion capture: whether poses arrive, and whether the gates reject any.

use super::{Finding, Hub};
use crate::mocap::probe::probe;
use std::time::Duration;
use xpuck_hub_core::config::{Mocap, MocapKind};

/// Time limit for an answer of the motion-capture server.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns the findings about motion capture. They are based on the running hub's status or, without a hub, on a
/// probe of the server.
pub(super) fn findings(mocap: &Mocap, hub: Option<&Hub>) -> Vec<Finding> {
    vec![poses(mocap, hub), believed(hub)]
}

fn poses(mocap: &Mocap, hub: Option<&Hub>) -> Finding {
    let promise = "poses are received";
    let place = mocap.place();
    let remedy = match mocap.kind {
        MocapKind::Replay => "check the record and mocap.file",
        _ => "check the motion-capture server, its stream, mocap.kind and mocap.address",
    };
    match hub.map(|hub| &hub.status) {
        Some(status) if status.tracking && !status.names.is_empty() => Finding::broken(
            promise,
            status.names.clone(),
            "give bodies and robots the same names, or map them in hub.toml",
        ),
        Some(status) if status.tracking => {
            Finding::on(promise, format!("{} bodies are tracked at {place}", status.bodies.len()))
        }
        Some(_) => Finding::broken(promise, format!("the hub has received no poses from {place} for 1 s"), remedy),
        None => match probe(mocap, PATIENCE) {
            Ok(seen) => Finding::on(promise, format!("{place}: {seen}")),
            Err(error) => Finding::off(promise, format!("{place}: {error}"), remedy),
        },
    }
}

/// Reports the numbers of poses that the gates rejected.
fn believed(hub: Option<&Hub>) -> Finding {
    let promise = "impossible poses are rejected";
    let Some(Hub { status, .. }) = hub else { return Finding::off(promise, "no hub is running", "start the hub") };
    let counts: Vec<String> =
        status.refused_poses.iter().filter(|(_, n)| *n > 0).map(|(reason, n)| format!("{reason} {n}")).collect();
    match counts.is_empty() {
        true => Finding::on(promise, "none so far"),
        false => {
            let remedy = "if the numbers rise quickly, check the motion-capture system and mocap.gates".into();
            Finding { remedy, ..Finding::on(promise, format!("so far {}", counts.join(", "))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use xpuck_arena::mocap::natnet::{Version, encode};
    use xpuck_wire::{Body, Status};

    /// Returns the verdict and the evidence for a motion-capture server if no hub is running.
    fn found(kind: MocapKind, address: impl ToString) -> (Verdict, String) {
        let mocap = Mocap { kind, address: address.to_string(), ..Mocap::default() };
        let Finding { verdict, evidence, .. } = poses(&mocap, None);
        (verdict, evidence)
    }

    #[test]
    fn servers_that_are_connected_to_accept_or_not() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let seen = (Verdict::On, format!("{address}: accepts connections"));
        assert_eq!(found(MocapKind::Vicon, address), seen);
        assert_eq!(found(MocapKind::Vrpn, address), seen);
        // The server accepts TCP connections, but does not answer over UDP.
        let (verdict, evidence) = found(MocapKind::Natnet, address);
        assert!(verdict == Verdict::Off && evidence.ends_with(": no answer for 1 s"), "{evidence}");
        drop(listener);
        let (verdict, evidence) = found(MocapKind::Vicon, address);
        assert!(verdict == Verdict::Off && evidence.contains("refused"), "{evidence}");
    }

    #[test]
    fn natnet_server_is_probed_by_udp_and_disconnected() {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let asked = std::thread::spawn(move || {
            let (mut requests, mut bytes) = (Vec::new(), [0; 64]);
            while requests.last() != Some(&encode::id::DISCONNECT) {
                let (_, from) = server.recv_from(&mut bytes).unwrap();
                requests.push(u16::from_le_bytes([bytes[0], bytes[1]]));
                server.send_to(&encode::server_info(Version::V3_1, None), from).unwrap();
            }
            requests
        });
        let (verdict, evidence) = found(MocapKind::Natnet, address);
        assert_eq!((verdict, evidence), (Verdict::On, format!("{address}: \"xpuck arena\" answered, NatNet 3.1")));
        assert_eq!(asked.join().unwrap(), [encode::id::CONNECT, encode::id::DISCONNECT]);
    }

    #[test]
    fn vrpn_server_is_asked_to_call_back() {
        let server = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap();
        let (verdict, evidence) = found(MocapKind::VrpnUdp, address);
        assert!(verdict == Verdict::Off && evidence.contains("did not connect"), "{evidence}");
        let called = std::thread::spawn(move || {
            let mut bytes = [0; 64];
            // The server first reads the request of the probe above, which no longer listens at its address. Such
            // requests are skipped.
            loop {
                let n = server.recv(&mut bytes).unwrap();
                let place = String::from_utf8_lossy(&bytes[..n - 1]).replace(' ', ":");
                if TcpStream::connect(&place).is_ok() {
                    return;
                }
            }
        });
        let seen = (Verdict::On, format!("{address}: connected back after a UDP request"));
        assert_eq!(found(MocapKind::VrpnUdp, address), seen);
        called.join().unwrap();
    }

    #[test]
    fn replay_record_is_inspected() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("run.mcap");
        let mocap = Mocap { kind: MocapKind::Replay, file: Some(file.clone()), ..Mocap::default() };
        let missing = poses(&mocap, None);
        assert!(missing.verdict == Verdict::Off && missing.remedy.contains("mocap.file"), "{missing:?}");
        assert!(missing.evidence.contains("run.mcap") && missing.evidence.contains("No such file"), "{missing:?}");
        let mut record = mcap::Writer::new(std::fs::File::create(&file).unwrap()).unwrap();
        let channel = record.add_channel(0, "/poses", "json", &Default::default()).unwrap();
        for time in 1..=2 {
            let header =
                mcap::records::MessageHeader { channel_id: channel, sequence: time, log_time: 1, publish_time: 1 };
            record.write_to_known_channel(&header, format!("{{\"time\":{time},\"bodies\":[]}}").as_bytes()).unwrap();
        }
        record.finish().unwrap();
        let whole = poses(&mocap, None);
        assert_eq!(whole.evidence, format!("{}: the record contains 2 frames", file.display()));
        assert_eq!(whole.verdict, Verdict::On);
        // If a hub is running, its status is used and the record is not read. The evidence still contains the
        // record's path.
        let bodies = vec![Body { name: "xp01".into(), pose: [0.0; 3] }];
        let hub = |tracking| Hub {
            status: Status { tracking, bodies: bodies.clone(), ..Status::default() },
            answered: Duration::ZERO,
        };
        assert_eq!(poses(&mocap, Some(&hub(true))).evidence, format!("1 bodies are tracked at {}", file.display()));
        assert_eq!(poses(&mocap, Some(&hub(false))).verdict, Verdict::Broken);
    }
}

//! Tests with the synthetic server of the `natnet` crate, which produces genuine NatNet datagrams.

use super::*;
use natnet::serverinfo::ConnectionInfo;
use natnet::{DataSet, ModelDef, PlannedBody, RigidBodyDef, SyntheticServer};
use std::f32::consts::FRAC_1_SQRT_2;

const CLOCK: u64 = 1_000_000;

fn info(version: Version) -> Vec<u8> {
    let connection = ConnectionInfo { data_port: 1511, multicast: false, multicast_group: [239, 255, 42, 99] };
    let info = ServerInfo {
        application_name: "Motive".into(),
        server_version: version,
        protocol_version: version,
        high_res_clock_frequency: CLOCK,
        connection,
    };
    info.to_datagram().unwrap()
}

fn model(version: Version, names: &[&str]) -> Vec<u8> {
    let body = |(id, name): (i32, &&str)| {
        DataSet::RigidBody(RigidBodyDef {
            name: (*name).into(),
            id,
            parent_id: -1,
            offset: [0.0; 3],
            // The description of the body ends with the number of its markers, which is zero.
            tail: 0i32.to_le_bytes().to_vec(),
        })
    };
    let datasets = (7..).zip(names).map(body).collect();
    SyntheticServer::new(version, CLOCK).model_def_datagram(&ModelDef { datasets }).unwrap()
}

fn session(version: Version, up: UpAxis) -> Session {
    let mut session = Session::new(up);
    assert_eq!(session.take_outgoing().len(), 1, "the connection is asked for");
    assert_eq!(session.feed(&info(version)), Ok(None));
    assert_eq!(session.take_outgoing().len(), 1, "and then the names");
    assert_eq!(session.feed(&model(version, &["xp01", "frisbee"])), Ok(None));
    session
}

#[test]
fn up_axis_becomes_z_and_untracked_body_is_absent() {
    // The body has made a quarter turn about the upward axis, and its y coordinate on the hub's axes is 0.3 m.
    for (up, position, orientation) in [
        (UpAxis::Y, [1.0, 0.1, -0.3], [0.0, FRAC_1_SQRT_2, 0.0, FRAC_1_SQRT_2]),
        (UpAxis::Z, [1.0, 0.3, 0.1], [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2]),
    ] {
        for version in [OLDEST, Version::V4_1] {
            let mut session = session(version, up);
            let server = SyntheticServer::new(version, CLOCK);
            let bodies = [PlannedBody::tracked(7, position, orientation), PlannedBody::dropout(8)];
            let frame = session.feed(&server.datagram(42, 2.5, &bodies).unwrap()).unwrap().unwrap();
            assert_eq!((frame.number, frame.bodies.len()), (42, 1));
            assert!((frame.time_s - 2.5).abs() < 1e-6);
            let body = &frame.bodies[0];
            let expected = [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
            assert_eq!(body.name, "xp01");
            assert!(body.place.iter().zip([1.0, 0.3, 0.1]).all(|(a, b)| (a - b).abs() < 1e-6), "{body:?}");
            assert!(body.rotation.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{body:?}");
        }
    }
}

#[test]
fn unnamed_body_is_queried_at_limited_rate() {
    let mut session = session(Version::V4_1, UpAxis::Y);
    let server = SyntheticServer::new(Version::V4_1, CLOCK);
    let stranger = [PlannedBody::tracked(99, [0.0; 3], [0.0, 0.0, 0.0, 1.0])];
    let mut asked = 0;
    for number in 0..200 {
        let frame = session.feed(&server.datagram(number, 0.01 * f64::from(number), &stranger).unwrap()).unwrap();
        assert!(frame.unwrap().bodies.is_empty());
        asked += session.take_outgoing().len();
    }
    assert_eq!(asked, 4);
}

/// Sets the bit in a frame that announces a change of the list of bodies. The frame's parameters, which contain this
/// bit, are the two bytes before the last four bytes.
fn changed(mut datagram: Vec<u8>) -> Vec<u8> {
    let params = datagram.len() - 6;
    datagram[params] |= 2;
    datagram
}

#[test]
fn stale_body_list_discards_poses() {
    let version = Version::V4_1;
    let mut session = session(version, UpAxis::Y);
    let server = SyntheticServer::new(version, CLOCK);
    let body = [PlannedBody::tracked(7, [0.0; 3], [0.0, 0.0, 0.0, 1.0])];
    let frame = |number: u32| server.datagram(number as i32, 0.01 * f64::from(number), &body).unwrap();
    let names = |frame: Option<RawFrame>| frame.unwrap().bodies.into_iter().map(|b| b.name).collect::<Vec<_>>();
    assert_eq!(names(session.feed(&frame(1)).unwrap()), ["xp01"]);
    for number in 2..30 {
        assert!(names(session.feed(&changed(frame(number))).unwrap()).is_empty());
    }
    assert_eq!(session.take_outgoing().len(), 1, "asked at once, and once");
    assert_eq!(session.feed(&model(version, &["frisbee", "xp01"])), Ok(None));
    assert_eq!(names(session.feed(&changed(frame(30))).unwrap()), ["frisbee"]);
    assert_eq!(
        session.take_notes(),
        ["names changed: body 7 was xp01 and is now frisbee, body 8 was frisbee and is now xp01"]
    );
    // The session requests the list from time to time, even without an announced change.
    (31..600).for_each(|number| drop(session.feed(&frame(number)).unwrap()));
    assert_eq!(session.take_outgoing().len(), 1);
    // A second announced change is detected like the first.
    assert!(names(session.feed(&changed(frame(600))).unwrap()).is_empty());
    assert_eq!(session.take_outgoing().len(), 1);
}

#[test]
fn malformed_data_and_old_servers_are_rejected() {
    let mut good = session(Version::V4_1, UpAxis::Y);
    let server = SyntheticServer::new(Version::V4_1, CLOCK);
    let datagram = server.datagram(1, 0.0, &[PlannedBody::tracked(7, [0.0; 3], [0.0, 0.0, 0.0, 1.0])]).unwrap();
    for length in 0..datagram.len() {
        assert!(good.feed(&datagram[..length]).is_err(), "{length} of {} bytes", datagram.len());
    }
    // The datagram claims more bodies than it can contain.
    let mut hostile = datagram.clone();
    for byte in &mut hostile[8..] {
        *byte = 0x7f;
    }
    assert!(good.feed(&hostile).is_err());
    for (major, minor) in [(2, 10), (4, 10), (5, 0)] {
        let refused = Session::new(UpAxis::Y).feed(&info(Version::new(major, minor, 0, 0))).unwrap_err();
        assert!(refused.contains(&format!("uses NatNet {major}.{minor}; supported versions are 3.0")), "{refused}");
    }
    // A frame before the server's answer is ignored, regardless of its version.
    assert_eq!(Session::new(UpAxis::Y).feed(&datagram), Ok(None));
    // The session passes on an invalid pose, which the hub's pose filter rejects.
    let nan = [PlannedBody::tracked(7, [f32::NAN; 3], [0.0; 4])];
    let frame = good.feed(&server.datagram(2, 0.01, &nan).unwrap()).unwrap().unwrap();
    assert!(frame.bodies[0].place[0].is_nan());
}

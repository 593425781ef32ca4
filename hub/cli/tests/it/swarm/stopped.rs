//! Tests a hub whose process is suspended and continued, as with Ctrl-Z or by a debugger.

use crate::rig::{Swarm, send_signal, xpuck};
use nix::sys::signal::Signal;
use std::time::Duration;

/// Duration for which the hub is suspended. It is longer than the timeout of a motion-capture read, and shorter than
/// the silence after which a motion-capture server counts as lost.
const STOPPED: Duration = Duration::from_millis(800);

#[test]
fn stopped_and_continued_hub_keeps_its_motion_capture() {
    let mut swarm = Swarm::of_one_robot();
    let folder = &swarm.folder;
    // A second arena serves the protocols other than Vicon.
    let port = folder.ports()[2];
    let mocap = format!("mocap = \"{}\"", folder.mocap());
    folder.write("more.toml", &folder.read("arena.toml"));
    folder.replace("more.toml", "\"devices\"", "\"elsewhere\"");
    folder.replace("more.toml", &mocap, &format!("mocap = \"127.0.0.1:0\"\nvrpn = \"127.0.0.1:{port}\""));
    folder.append("more.toml", &format!("[natnet]\naddress = \"127.0.0.2:{port}\"\n"));
    let hub = folder.read("hub.toml");
    let address = format!("address = \"{}\"", folder.mocap());
    swarm.start_service_as("more", xpuck().args(["serve", "arena"]), "more.toml");
    for mocap in ["vicon", "vrpn", "vrpn-udp", "natnet"] {
        if mocap != "vicon" {
            let host = if mocap == "natnet" { "127.0.0.2" } else { "127.0.0.1" };
            swarm.folder.write("hub.toml", &hub);
            swarm.folder.replace("hub.toml", &address, &format!("kind = \"{mocap}\"\naddress = \"{host}:{port}\""));
            swarm.kill("hub");
            swarm.start_service("hub");
        }
        swarm.wait_for_robots();
        for _ in 0..3 {
            send_signal(swarm.id("hub"), Signal::SIGSTOP);
            std::thread::sleep(STOPPED);
            send_signal(swarm.id("hub"), Signal::SIGCONT);
            std::thread::sleep(Duration::from_millis(200));
            swarm.wait("poses", |s| s.tracking);
        }
        let log = swarm.log("hub");
        assert!(!log.contains("motion capture at") && !log.contains("nterrupted"), "{mocap}: {log}");
    }
}

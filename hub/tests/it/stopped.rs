//! A hub that is stopped and continued, as by a terminal's Ctrl-Z or a debugger.

use crate::lab::Lab;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::time::Duration;

/// Longer than a read of motion capture waits, and shorter than what counts as a server's silence.
const STOPPED: Duration = Duration::from_millis(800);

#[test]
fn a_hub_that_is_stopped_and_continued_keeps_its_motion_capture() {
    let mut lab = Lab::start();
    // Another arena serves the other protocols.
    let (arena, hub) =
        ["arena.toml", "hub.toml"].map(|name| std::fs::read_to_string(lab.path().join(name)).unwrap()).into();
    let address = format!("127.0.0.1:{}", lab.port());
    let of = |text: &str| text.lines().find(|line| line.contains("127.0.0.1")).unwrap().to_string();
    let more = arena.replace("\"devices\"", "\"elsewhere\"");
    let more = more.replace(&of(&arena), &format!("mocap = \"127.0.0.1:0\"\nvrpn = \"{address}\""));
    std::fs::write(lab.path().join("more.toml"), format!("{more}[natnet]\naddress = \"127.0.0.2:{}\"\n", lab.port()))
        .unwrap();
    lab.serve_as(crate::common::xpuck(), "arena", "more.toml");
    for mocap in ["vicon", "vrpn", "vrpn-udp", "natnet"] {
        if mocap != "vicon" {
            let address = if mocap == "natnet" { address.replace("0.0.1", "0.0.2") } else { address.clone() };
            let other = hub.replace(&of(&hub), &format!("kind = \"{mocap}\"\naddress = \"{address}\""));
            std::fs::write(lab.path().join("hub.toml"), other).unwrap();
            lab.kill(1);
            lab.serve("hub");
            let hub = lab.children.pop().unwrap();
            lab.children.insert(1, hub);
        }
        lab.wait("poses", |s| s.robots[0].alive && s.tracking);
        let hub = Pid::from_raw(lab.children[1].id() as i32);
        for _ in 0..3 {
            kill(hub, Signal::SIGSTOP).unwrap();
            std::thread::sleep(STOPPED);
            kill(hub, Signal::SIGCONT).unwrap();
            std::thread::sleep(Duration::from_millis(200));
            lab.wait("poses", |s| s.tracking);
        }
        let said = lab.log("hub");
        assert!(!said.contains("motion capture at") && !said.contains("nterrupted"), "{mocap}: {said}");
    }
}

//! The publisher for Groot2: another tree under the same sockets, and never a wait.

use std::time::{Duration, Instant};
use xpuck_kernels::tree::Tree;
use xpuck_robot::controller::Controller;
use xpuck_robot::groot::Publisher;

fn controller(text: &str) -> Controller {
    Controller::new(Tree::parse(text).unwrap()).unwrap()
}

fn ask(viewer: &zmq::Socket) -> Vec<Vec<u8>> {
    viewer.send(&[2u8, b'T', 7, 0, 0, 0][..], 0).unwrap();
    viewer.recv_multipart(0).expect("an answer within 5 s")
}

#[test]
fn the_tree_changes_and_the_sockets_stay() {
    let endpoint = "tcp://127.0.0.1:17667";
    let mut publisher = Publisher::start(endpoint).unwrap();
    let viewer = zmq::Context::new().socket(zmq::REQ).unwrap();
    viewer.set_rcvtimeo(5000).unwrap();
    viewer.connect(endpoint).unwrap();
    assert_eq!(ask(&viewer)[0], b"error", "no tree yet");

    publisher.show(Some(&controller("successl\n")));
    let first = ask(&viewer);
    publisher.show(Some(&controller("failurel\n")));
    let second = ask(&viewer);
    assert!(String::from_utf8_lossy(&first[1]).contains("AlwaysSuccess"));
    assert!(String::from_utf8_lossy(&second[1]).contains("AlwaysFailure"));
    assert_eq!(first[0][..6], second[0][..6]);
    assert_ne!(first[0][6..], second[0][6..], "another tree has another id");
    publisher.show(Some(&controller("successl\n")));
    assert_eq!(ask(&viewer), first, "the same tree has the same id");
    publisher.show(None);
    assert_eq!(ask(&viewer)[0], b"error");

    let taken = Publisher::start(endpoint).err().unwrap().to_string();
    assert!(taken.contains("17667") && taken.contains("in use"), "{taken}");
}

#[test]
fn viewers_that_ask_without_end_delay_nothing() {
    let endpoint = "tcp://127.0.0.1:17669";
    let mut publisher = Publisher::start(endpoint).unwrap();
    let wide = controller(&format!("seq\n{}", "  successl\n".repeat(1999)));
    publisher.show(Some(&wide));
    let until = Instant::now() + Duration::from_millis(500);
    let viewers: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(move || {
                let viewer = zmq::Context::new().socket(zmq::REQ).unwrap();
                viewer.set_rcvtimeo(5000).unwrap();
                viewer.connect(endpoint).unwrap();
                let mut answers = 0;
                while Instant::now() < until {
                    assert_eq!(ask(&viewer).len(), 2);
                    answers += 1;
                }
                answers
            })
        })
        .collect();
    let mut shown = 0;
    let mut slowest = Duration::ZERO;
    while Instant::now() < until {
        let start = Instant::now();
        publisher.show(Some(&wide));
        slowest = slowest.max(start.elapsed());
        shown += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
    let answers: u32 = viewers.into_iter().map(|v| v.join().unwrap()).sum();
    assert!(answers > 10 && shown > 10, "{answers} answers, {shown} updates");
    // Far below the update period of 100 ms, even where the machine is busy with other tests.
    assert!(slowest < Duration::from_millis(50), "{slowest:?}");
}

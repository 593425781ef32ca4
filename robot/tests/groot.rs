//! Tests of the publisher for Groot2: it keeps its sockets when the tree changes, and it never blocks the caller.

use std::time::{Duration, Instant};
use xpuck_kernels::random::{Draws, Stream};
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
fn tree_changes_without_reopening_sockets() {
    let endpoint = "tcp://127.0.0.1:17667";
    let mut publisher = Publisher::start(endpoint).unwrap();
    let viewer = zmq::Context::new().socket(zmq::REQ).unwrap();
    viewer.set_rcvtimeo(5000).unwrap();
    viewer.connect(endpoint).unwrap();
    assert_eq!(ask(&viewer)[0], b"error", "no tree yet");

    publisher.publish(Some(&controller("successl\n")));
    let first = ask(&viewer);
    publisher.publish(Some(&controller("failurel\n")));
    let second = ask(&viewer);
    assert!(String::from_utf8_lossy(&first[1]).contains("AlwaysSuccess"));
    assert!(String::from_utf8_lossy(&second[1]).contains("AlwaysFailure"));
    assert_eq!(first[0][..6], second[0][..6]);
    assert_ne!(first[0][6..], second[0][6..], "another tree has another id");
    publisher.publish(Some(&controller("successl\n")));
    assert_eq!(ask(&viewer), first, "the same tree has the same id");
    publisher.publish(None);
    assert_eq!(ask(&viewer)[0], b"error");

    let taken = Publisher::start(endpoint).err().unwrap().to_string();
    assert!(taken.contains("17667") && taken.contains("in use"), "{taken}");
}

#[test]
fn viewers_that_ask_without_end_delay_nothing() {
    let endpoint = "tcp://127.0.0.1:17669";
    let mut publisher = Publisher::start(endpoint).unwrap();
    let wide = controller(&format!("seq\n{}", "  successl\n".repeat(1999)));
    publisher.publish(Some(&wide));
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
        publisher.publish(Some(&wide));
        slowest = slowest.max(start.elapsed());
        shown += 1;
        std::thread::sleep(Duration::from_millis(1));
    }
    let answers: u32 = viewers.into_iter().map(|v| v.join().unwrap()).sum();
    assert!(answers > 10 && shown > 10, "{answers} answers, {shown} updates");
    // Even on a busy machine, publishing a snapshot takes much less than the update period of 100 ms.
    assert!(slowest < Duration::from_millis(50), "{slowest:?}");
}

#[test]
#[ignore = "needs BehaviorTree.CPP; tools/btcpp/test.sh builds it"]
fn answers_as_the_publisher_of_behaviortree_cpp() {
    use std::process::{Command, Stdio};
    let program = std::env::var("XPUCK_BTCPP_GROOT").expect("the program of tools/btcpp/test.sh");
    let mut theirs = Command::new(program).arg("17681").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(theirs.stdout.as_mut().unwrap()), &mut ready).unwrap();
    let mut publisher = Publisher::start("tcp://127.0.0.1:17683").unwrap();
    let mut ours = controller("seq\n  successl\n  failurel\n");
    let context = zmq::Context::new();
    let viewer = |port: u16| {
        let viewer = context.socket(zmq::REQ).unwrap();
        viewer.set_rcvtimeo(5000).unwrap();
        viewer.connect(&format!("tcp://127.0.0.1:{port}")).unwrap();
        viewer
    };
    let viewers = [viewer(17681), viewer(17683)];
    publisher.publish(Some(&ours));
    // Property of the answer's second part that must be equal: its content, its presence, or its length.
    enum Of {
        All,
        There,
        Length,
    }
    let requests: [(&[&[u8]], Of); 25] = [
        (&[&[2, b'T', 1, 2, 3, 4]], Of::There),
        (&[&[1, b'T', 1, 2, 3, 4]], Of::There),
        (&[&[2, b'S', 1, 0, 0, 0]], Of::Length),
        (&[&[1, b'S', 1, 0, 0, 0]], Of::Length),
        (&[&[2, b'B', 1, 0, 0, 0], b"xpuck"], Of::There),
        (&[&[2, b'B', 1, 0, 0, 0], b"nobody"], Of::All),
        (&[&[2, b'B', 1, 0, 0, 0]], Of::All),
        (&[&[2, b'D', 1, 0, 0, 0]], Of::All),
        (&[&[2, b'A', 1, 0, 0, 0]], Of::All),
        (&[&[2, b'X', 1, 0, 0, 0]], Of::All),
        (&[&[2, b'R', 1, 0, 0, 0]], Of::All),
        (&[&[2, b'R', 1, 0, 0, 0], b"{\"uid\": 2, \"position\": 0}"], Of::All),
        (
            &[
                &[2, b'U', 1, 0, 0, 0],
                b"{\"uid\": 2, \"position\": 0, \"desired_status\": \"SUCCESS\", \"remove_when_done\": true}",
            ],
            Of::All,
        ),
        (&[&[2, b'U', 1, 0, 0, 0]], Of::All),
        (&[&[2, b'r', 1, 0, 0, 0]], Of::All),
        (&[&[2, b'r', 1, 0, 0, 0], b"start"], Of::Length),
        (&[&[2, b't', 1, 0, 0, 0]], Of::All),
        (&[&[2, b'r', 1, 0, 0, 0], b"stop"], Of::All),
        (&[&[2, b'r', 1, 0, 0, 0], b"pause"], Of::All),
        (&[&[2, b'?', 1, 0, 0, 0]], Of::All),
        (&[&[2, 0, 1, 0, 0, 0]], Of::All),
        (&[b"tree, please"], Of::There),
        (&[b""], Of::There),
        (&[&[2, b'I', 1, 0, 0, 0]], Of::All),
        (&[&[2, b'S', 9, 9, 9, 9]], Of::Length),
    ];
    for (request, of) in requests {
        let [theirs, ours] = [0, 1].map(|i| {
            viewers[i].send_multipart(request, 0).unwrap();
            viewers[i].recv_multipart(0).expect("an answer within 5 s")
        });
        let asked = format!("{request:?}: {theirs:?} and {ours:?}");
        assert_eq!(theirs.len(), ours.len(), "{asked}");
        // The first part of an answer starts with a header of six bytes. The bytes after the header differ, because
        // each publisher has its own tree id.
        assert_eq!(theirs[0].get(..6), ours[0].get(..6), "{asked}");
        assert_eq!(theirs[0].len(), ours[0].len(), "{asked}");
        match of {
            Of::All => assert_eq!(theirs.get(1), ours.get(1), "{asked}"),
            Of::Length => assert_eq!(theirs[1].len(), ours[1].len(), "{asked}"),
            Of::There => {}
        }
    }
    // Three nodes change their state while a viewer records. BehaviorTree.CPP records each change when it happens. This
    // publisher records the states after each update.
    for viewer in &viewers {
        viewer.send_multipart([&[2, b'r', 1, 0, 0, 0][..], b"start"], 0).unwrap();
        viewer.recv_multipart(0).unwrap();
    }
    std::io::Write::write_all(theirs.stdin.as_mut().unwrap(), b"tick\n").unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(theirs.stdout.as_mut().unwrap()), &mut ready).unwrap();
    let mut draws = Draws::new(1, 0, 0, 0, Stream::Controller);
    ours.tick(&xpuck_kernels::tree::Senses::default(), &mut draws);
    publisher.publish(Some(&ours));
    let ended = |viewer: &zmq::Socket| {
        viewer.send_multipart([&[2, b't', 1, 0, 0, 0][..]], 0).unwrap();
        let changes = viewer.recv_multipart(0).unwrap().remove(1);
        let changes = changes.chunks(9).map(|c| (u16::from_le_bytes([c[6], c[7]]), c[8]));
        let mut ended: Vec<(u16, u8)> = changes.filter(|(_, state)| *state > 1).collect();
        ended.sort();
        ended
    };
    let [theirs_ended, ours_ended] = [0, 1].map(|i| ended(&viewers[i]));
    assert_eq!(theirs_ended, ours_ended);
    assert_eq!(ours_ended, [(1, 3), (2, 2), (3, 3)]);
    theirs.kill().unwrap();
    theirs.wait().unwrap();
}

//! Tests of the camera's thread with well-behaved and faulty servers on this machine.

use super::*;
use std::net::TcpListener;

const HEAD: &[u8] = b"HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=b\r\n\r\n";

fn file(number: u8) -> Vec<u8> {
    let mut file = vec![0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 8, 0, 16, 1, 1, 0x11, 0];
    file.extend([number; 40]);
    file.extend([0xff, 0xd9]);
    file
}

fn part(number: u8) -> Vec<u8> {
    [b"--b\r\nContent-Type: image/jpeg\r\n\r\n".to_vec(), file(number), b"\r\n".to_vec()].concat()
}

/// Starts a server, and the thread that reads pictures from this server. `serve` handles each connection. Its first
/// argument is the number of earlier connections.
fn watch(serve: impl Fn(usize, TcpStream) + Send + 'static) -> (Receiver<Event>, Arc<AtomicBool>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/stream", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (n, stream) in listener.incoming().flatten().enumerate() {
            let mut asked = [0; 512];
            let length = (&stream).read(&mut asked).unwrap_or(0);
            assert!(asked[..length].starts_with(b"GET /stream HTTP/1.0\r\nHost: 127.0.0.1:"));
            serve(n, stream);
        }
    });
    let stop = Arc::new(AtomicBool::new(false));
    let config = Overhead { frames_per_second: 15.0, ..Overhead::at(url) };
    (start(&config, stop.clone()).unwrap(), stop)
}

fn next(events: &Receiver<Event>) -> Event {
    events.recv_timeout(Duration::from_secs(60)).expect("an event")
}

fn number(event: Event) -> u8 {
    match event {
        Event::Picture(shot, at) => {
            assert!(shot.size == [16, 8] && at.elapsed() < Duration::from_secs(60));
            shot.jpeg[20]
        }
        Event::Trouble(why) => panic!("{why}"),
        Event::Comes => panic!("they came before"),
    }
}

#[test]
fn pictures_come_at_most_as_often_as_they_are_wanted() {
    let (events, stop) = watch(|_, mut stream| {
        let _ = stream.write_all(HEAD);
        for n in 0..=255 {
            if stream.write_all(&part(n)).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let (begun, mut last) = (Instant::now(), None);
    for _ in 0..6 {
        let number = number(next(&events));
        assert!(last.is_none_or(|last| number > last), "{number} after {last:?}");
        last = Some(number);
    }
    assert!(begun.elapsed() > Duration::from_millis(300), "six of 15 a second");
    stop.store(true, Relaxed);
}

#[test]
fn failing_camera_is_reported_once_and_retried() {
    let (events, stop) = watch(|n, mut stream| {
        let answer = match n {
            0 | 1 => b"HTTP/1.1 401 Unauthorized\r\n\r\n".to_vec(),
            _ => [HEAD, &part(9)[..], b"--b--\r\n"].concat(),
        };
        let _ = stream.write_all(&answer);
    });
    let Event::Trouble(why) = next(&events) else { panic!("it fails first") };
    assert!(why.contains("http://127.0.0.1:") && why.contains("401"), "{why}");
    assert!(matches!(next(&events), Event::Comes), "the second failure is the first's");
    assert_eq!(number(next(&events)), 9);
    stop.store(true, Relaxed);
}

#[test]
fn camera_with_single_pictures_is_polled_for_each() {
    let (events, stop) = watch(|n, mut stream| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n", file(0).len());
        let _ = stream.write_all(&[head.as_bytes(), &file(n as u8)].concat());
    });
    assert_eq!([(); 3].map(|()| number(next(&events))), [0, 1, 2]);
    stop.store(true, Relaxed);
}

#[test]
fn faulty_cameras_do_not_block() {
    // The server sends in turn: endless single bytes, a header without an end, a picture of 4 GiB, and noise. After
    // that it sends a valid picture.
    let (events, stop) = watch(|n, mut stream| match n {
        0 => {
            let _ = stream.write_all(HEAD);
            while stream.write_all(b"-").is_ok() {
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        1 => {
            let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n");
            while stream.write_all(&b"X: y\r\n".repeat(100)).is_ok() {}
        }
        2 => {
            let _ = stream.write_all(&[HEAD, b"--b\r\nContent-Length: 4294967296\r\n\r\n"].concat());
            while stream.write_all(&[1; 4096]).is_ok() {}
        }
        3 => {
            let _ = stream.write_all(&[HEAD, &b"--b\r\n\r\n"[..]].concat());
            while stream.write_all(&[0x55; 65536]).is_ok() {}
        }
        _ => {
            let _ = stream.write_all(&[HEAD, &part(5)[..], b"--b"].concat());
            std::thread::sleep(Duration::from_secs(5));
        }
    });
    for wanted in ["no complete picture for 10 s", "longer than 16384", "larger than 4 MiB"] {
        let Event::Trouble(why) = next(&events) else { panic!("{wanted}") };
        assert!(why.contains(wanted), "{why}");
    }
    // The fourth failure has the same text as the third one, so it is not reported again.
    assert!(matches!(next(&events), Event::Comes));
    assert_eq!(number(next(&events)), 5);
    stop.store(true, Relaxed);
}

//! Tests the hub's reader of the overhead camera against the arena's camera through a real socket. Reader and camera
//! share no code.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use xpuck_arena::{Arena, Fittings, Settings, run};
use xpuck_hub_core::config::Overhead;
use xpuck_hub_service::overhead::{self, Event};
use xpuck_kernels::world::Scenario;
use xpuck_testing::patience;

#[test]
fn hub_reads_the_overhead_camera_of_the_arena() {
    let dir = tempfile::tempdir().unwrap();
    let local = (Ipv4Addr::LOCALHOST, 0).into();
    let settings = Settings {
        seed: 4,
        scenario: Scenario::B,
        fittings: Fittings { overhead: Some(local), ..Fittings::default() },
        ..Settings::with_defaults(2, dir.path())
    };
    assert!(Arena::new(&settings).is_ok());
    let stop = AtomicBool::new(false);
    let (tell, told) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            run(&settings, &stop, |listening| tell.send(listening.overhead).unwrap(), |_, _| {}, &mut ()).unwrap()
        });
        let address = told.recv_timeout(patience()).unwrap().expect("the camera's address");
        let ends = Arc::new(AtomicBool::new(false));
        let events = overhead::start(&Overhead::at(format!("http://{address}/")), ends.clone()).unwrap();
        let begun = Instant::now();
        for _ in 0..3 {
            let Ok(Event::Picture(shot, _)) = events.recv_timeout(patience()) else { panic!("a picture") };
            // A row of 480 pixels covers 2.1 m. A column covers 1.6 m and has 368 pixels, which is a multiple of the
            // JPEG block size.
            assert_eq!(shot.size, [480, 368]);
            assert!((2_000..100_000).contains(&shot.jpeg.len()), "{} bytes", shot.jpeg.len());
        }
        assert!(begun.elapsed() > Duration::from_millis(800), "two pictures a second are kept of five");
        ends.store(true, Relaxed);
        stop.store(true, Relaxed);
    });
}

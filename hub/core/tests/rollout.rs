//! Tests of an update of nine robots. One robot is updated first, then a few at once. After the first failure, no
//! further robot is updated.

use xpuck_hub_core::rollout::{Action, BundleReport, MAX_PARALLEL, OFFER_EVERY, Rollout, SILENT, UpdateState};

fn robots() -> Vec<String> {
    (1..=9).map(|i| format!("xp{i:02}")).collect()
}

/// Behaviour of a robot during the update.
#[derive(Clone, Copy, PartialEq)]
enum Nature {
    Well,
    GoesBack,
    Refuses,
    Silent,
    Vanishes,
}

/// Simulates an update in steps of 1 s. Returns the maximum number of simultaneously updated robots, and the duration
/// (s).
fn play(rollout: &mut Rollout, begin: f64, of: impl Fn(&str) -> Nature) -> (usize, f64) {
    let (mut most, mut now) = (0, begin);
    while !rollout.is_done() {
        assert!(now < begin + 2000.0, "it ends: {rollout:?}");
        now += 1.0;
        let names: Vec<String> = rollout.rows().iter().map(|row| row.robot.clone()).collect();
        for robot in &names {
            let stand = rollout.rows().iter().find(|row| row.robot == *robot).unwrap().stand.clone();
            let nature = of(robot);
            if nature == Nature::Silent || (nature == Nature::Vanishes && stand == UpdateState::Trial) {
                continue;
            }
            rollout.heard(robot, now);
            match (stand, nature) {
                (UpdateState::Offered, Nature::Refuses) => {
                    rollout.on_report(robot, "d", BundleReport::Refused("another board".into()), now);
                }
                (UpdateState::Offered, _) => assert!(rollout.on_request(robot, "d", 0, now)),
                (UpdateState::Loading { offset: 3.. }, _) => rollout.on_report(robot, "d", BundleReport::Trial, now),
                (UpdateState::Loading { offset }, _) => assert!(rollout.on_request(robot, "d", offset + 1, now)),
                (UpdateState::Trial, Nature::GoesBack) => {
                    rollout.on_report(robot, "d", BundleReport::Reverted("ill".into()), now)
                }
                (UpdateState::Trial, _) => rollout.on_report(robot, "d", BundleReport::Good, now),
                _ => {}
            }
        }
        rollout.step(now, false);
        most = most.max(rollout.rows().iter().filter(|row| row.stand.is_busy()).count());
    }
    (most, now - begin)
}

fn count(rollout: &Rollout, of: impl Fn(&UpdateState) -> bool) -> usize {
    rollout.rows().iter().filter(|row| of(&row.stand)).count()
}

#[test]
fn nine_robots_are_updated_one_first_and_then_a_few_at_once() {
    let mut rollout = Rollout::new("d", "2", &robots(), 1);
    let now = 1.0;
    robots().iter().for_each(|robot| rollout.heard(robot, now));
    assert_eq!(rollout.step(now, false), [Action::Offer("xp01".into())]);
    assert_eq!(rollout.step(now + 1.0, false), [], "an offer waits for its answer");
    assert_eq!(rollout.step(now + OFFER_EVERY, false), [Action::Offer("xp01".into())]);
    let (most, _) = play(&mut rollout, now + 3.0, |_| Nature::Well);
    assert_eq!((most, count(&rollout, |s| *s == UpdateState::Good)), (MAX_PARALLEL, 9));
    assert_eq!(rollout.stopped(), None);
}

#[test]
fn failed_robot_stops_rollout_to_remaining_robots() {
    for (nature, why) in [
        (Nature::GoesBack, "xp01 reverted from 2: ill"),
        (Nature::Refuses, "xp01 refuses 2: another board"),
        (Nature::Vanishes, "xp01 did not report the result of its trial within 240 s"),
    ] {
        let mut rollout = Rollout::new("d", "2", &robots(), 1);
        let (most, _) = play(&mut rollout, 0.0, |robot| if robot == "xp01" { nature } else { Nature::Well });
        assert_eq!((most, count(&rollout, |s| *s == UpdateState::Skipped)), (1, 8), "eight are untouched");
        assert_eq!(rollout.stopped(), Some(why));
    }
    // One of the later robots fails. Robots that are being updated complete their updates, and no further update
    // starts.
    let mut rollout = Rollout::new("d", "2", &robots(), 2);
    play(&mut rollout, 0.0, |robot| if robot == "xp04" { Nature::GoesBack } else { Nature::Well });
    assert_eq!(count(&rollout, |s| matches!(s, UpdateState::Reverted(_))), 1);
    assert_eq!(count(&rollout, |s| *s == UpdateState::Skipped), 3);
}

#[test]
fn silent_robots_are_named_at_the_end_and_keep_nobody_waiting() {
    let mut rollout = Rollout::new("d", "2", &robots(), 1);
    let silent = |robot: &str| if ["xp01", "xp05"].contains(&robot) { Nature::Silent } else { Nature::Well };
    let (_, took) = play(&mut rollout, 0.0, silent);
    assert_eq!((count(&rollout, |s| *s == UpdateState::Good), count(&rollout, |s| *s == UpdateState::Silent)), (7, 2));
    assert!(took < 120.0, "{took}");
    let mut nobody = Rollout::new("d", "2", &robots(), 1);
    play(&mut nobody, 0.0, |_| Nature::Silent);
    assert_eq!(count(&nobody, |s| *s == UpdateState::Silent), 9);
}

#[test]
fn neither_run_nor_update_begins_during_the_other() {
    let mut rollout = Rollout::new("d", "2", &robots(), 1);
    rollout.heard("xp01", 0.0);
    assert_eq!(rollout.step(0.5, true), []);
    assert_eq!(rollout.step(0.6, false).len(), 1);
    assert!(rollout.blocks_run().unwrap().starts_with("xp01 is being updated"));
    rollout.abort("an operator stopped it");
    assert!(rollout.is_done() && rollout.blocks_run().is_none());
}

#[test]
fn update_resumes_after_hub_restart() {
    let mut rollout = Rollout::new("d", "2", &robots(), 1);
    rollout.heard("xp01", 100.0);
    rollout.step(100.0, false);
    assert!(rollout.on_request("xp01", "d", 7, 101.0));
    assert!(!rollout.on_request("xp02", "d", 0, 101.0), "nobody offered it to that one");
    assert!(!rollout.on_request("xp01", "other", 0, 101.0));
    let text = serde_json::to_string(&rollout).unwrap();
    let mut again: Rollout = serde_json::from_str(&text).unwrap();
    // After the restart, the robot gets an offer only when it has sent a message. It then continues the download at the
    // offset it had reached.
    assert_eq!(again.step(1.0, false), []);
    again.heard("xp01", 2.0);
    assert_eq!(again.step(2.0, false), [Action::Offer("xp01".into())]);
    assert!(again.on_request("xp01", "d", 7, 3.0));
    let (_, _) = play(&mut again, 4.0, |_| Nature::Well);
    assert_eq!(count(&again, |s| *s == UpdateState::Good), 9);
}

#[test]
fn aborted_update_ends_if_loading_robot_is_lost() {
    let mut rollout = Rollout::new("d", "2", &robots(), 1);
    rollout.heard("xp01", 0.0);
    rollout.step(0.0, false);
    assert!(rollout.on_request("xp01", "d", 7, 1.0));
    rollout.abort("an operator stopped it");
    rollout.step(2.0, false);
    assert!(!rollout.is_done(), "it still loads");
    rollout.step(1.5 + SILENT, false);
    assert!(rollout.is_done() && rollout.blocks_run().is_none(), "{:?}", rollout.rows()[0]);
}

#[test]
fn reports_of_earlier_attempt_do_not_stop_rollout() {
    let mut rollout = Rollout::new("d", "2", &robots(), 1);
    rollout.on_report("xp01", "d", BundleReport::Reverted("then".into()), 0.0);
    rollout.on_report("xp02", "other", BundleReport::Good, 0.0);
    assert_eq!(count(&rollout, |s| *s == UpdateState::Waiting), 9);
    rollout.on_report("xp03", "d", BundleReport::Good, 0.0);
    assert_eq!(count(&rollout, |s| *s == UpdateState::Good), 1);
}

#[test]
fn one_that_is_heard_and_gets_no_further_is_lost() {
    for loads in [false, true] {
        let mut rollout = Rollout::new("d", "2", &robots(), 1);
        let mut offers = 0;
        for second in 0..=100 {
            let now = f64::from(second);
            rollout.heard("xp01", now);
            offers += rollout.step(now, false).len();
            if loads && second > 0 {
                rollout.on_request("xp01", "d", 7, now);
            }
        }
        assert!(offers > 20, "it may have started again, and is offered the bundle again: {offers}");
        assert_eq!(rollout.stopped(), Some("xp01 made no progress for 60 s"));
        assert_eq!(
            (rollout.rows()[0].stand.clone(), count(&rollout, |s| *s == UpdateState::Skipped)),
            (UpdateState::Lost, 8)
        );
    }
}

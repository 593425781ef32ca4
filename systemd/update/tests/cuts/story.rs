//! One robot's update, told by what the units of systemd do: a start, an installation where a bundle lies ready, a judgement.

use crate::faulty::FaultyDisk;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::sync::OnceLock;
use xpuck_update::Release;
use xpuck_update::bundle::{Kind, seal, write};
use xpuck_update::health::Verdict;
use xpuck_update::release::RELEASE;
use xpuck_update::slots::{
    self, Disk, INCOMING, Installed, PAYLOAD, PROGRAM, Phase, READY, Robot, STARTS, STATE, Source, State, Target,
};
use xpuck_wire::keys::Secret;

/// What a version is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Nature {
    Good,
    /// It ends at once, so nobody judges it before its starts are used up.
    Crashes,
    /// It runs, and the judge finds it ill.
    Unhealthy,
}

struct Bare;

impl Source<FaultyDisk> for Bare {
    fn tar(&self, disk: &FaultyDisk) -> std::io::Result<Box<dyn Read>> {
        Ok(Box::new(Cursor::new(disk.read(PAYLOAD).expect("the payload is there"))))
    }
}

fn signer() -> &'static Secret {
    static SIGNER: OnceLock<Secret> = OnceLock::new();
    SIGNER.get_or_init(|| Secret::generate("alice").unwrap())
}

fn release(counter: u64) -> Release {
    Release { version: format!("0.{counter}"), counter }
}

fn program(counter: u64) -> Vec<u8> {
    (0..70_000u64).map(|i| (i * counter) as u8).collect()
}

fn tar_of(counter: u64) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    let mut add = |path: &str, bytes: &[u8], mode| {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(mode);
        tar.append_data(&mut header, path, bytes).unwrap();
    };
    add("./usr/bin/xpuckd", &program(counter), 0o755);
    add("./usr/lib/systemd/system/xpuckd.service", b"[Unit]\n", 0o644);
    add("./usr/lib/xpuck/release", release(counter).to_text().as_bytes(), 0o644);
    tar.into_inner().unwrap()
}

fn bundle(counter: u64) -> &'static [u8] {
    static MADE: [OnceLock<Vec<u8>>; 4] = [const { OnceLock::new() }; 4];
    MADE[counter as usize].get_or_init(|| {
        let payload = tar_of(counter);
        let any = ["any".to_string()];
        let head = seal(Kind::App, &any, "any", &release(counter), &payload[..], signer()).unwrap();
        let mut bundle = Vec::new();
        write(&head, &payload[..], &mut bundle).unwrap();
        bundle
    })
}

/// One robot.
pub struct Story {
    pub disk: FaultyDisk,
    pub told: String,
    robot: Robot,
    nature: Nature,
    /// The counter of the update.
    update: u64,
    /// Counters of versions that were good.
    good: Vec<u64>,
    /// Starts of the update before it was good.
    starts: u8,
    /// The highest counter that was committed.
    floor: u64,
    /// The state was damaged, so a good version may be tried anew.
    damaged: bool,
}

impl Story {
    /// A robot that runs its packaged version, or an update of it, with the next update ready.
    pub fn begin(nature: Nature, from_slot: bool, seed: u64) -> Story {
        let operators = BTreeMap::from([("alice".to_string(), signer().public.ed25519)]);
        let robot = Robot { board: "pi5".into(), arch: "arm64".into(), operators, packaged: release(1) };
        let mut story = Story {
            disk: FaultyDisk::new(seed),
            told: String::new(),
            robot,
            nature: Nature::Good,
            update: 2,
            good: vec![1],
            starts: 0,
            floor: 0,
            damaged: false,
        };
        story.disk.make_folder(INCOMING).unwrap();
        story.disk.sync_folder("").unwrap();
        story.start();
        if from_slot {
            story.deliver();
            story.go_on();
            story.end(true);
            (story.update, story.starts) = (3, 0);
        }
        story.nature = nature;
        story.disk.operations = 0;
        story.disk.writes = 0;
        story.deliver();
        story
    }

    /// The bundle lies ready, whole and on the disk.
    pub fn deliver(&mut self) {
        self.disk.place(READY, bundle(self.update));
        self.starts = 0;
    }

    /// Power is back after a cut.
    pub fn power_is_back(&mut self, seed: u64) {
        self.disk = self.disk.clone().restart(seed);
        self.check("before the start");
    }

    /// The same, and the state's file is damaged. True if there was one.
    pub fn power_is_back_damaged(&mut self, seed: u64) -> bool {
        self.power_is_back(seed);
        self.damaged = true;
        self.starts = 0;
        let there = self.disk.exists(STATE);
        self.disk.damage(STATE, &b"phase = \"trial\"\ncurrent = \"a\"\n\0\0\0"[..20 + (seed % 10) as usize]);
        there
    }

    fn start(&mut self) -> bool {
        let Ok(boot) = slots::boot(&mut self.disk, &self.robot.packaged) else { return false };
        self.check("after a start");
        let counter = self.counter_of(boot.runs);
        if !self.good.contains(&counter) {
            self.starts += 1;
            assert!(self.starts <= STARTS, "{}: version {counter} starts {} times", self.told, self.starts);
        }
        true
    }

    /// What systemd does, until nothing happens any more or the power is cut.
    pub fn go_on(&mut self) {
        for _ in 0..8 {
            if !self.start() {
                return;
            }
            if self.disk.exists(READY) {
                match slots::install(&mut self.disk, &self.robot, &Bare) {
                    Ok(Installed::Trial(_)) => continue,
                    Ok(_) => {}
                    Err(_) => return,
                }
                self.check("after an installation");
            }
            let Ok(trial) = slots::on_trial(&mut self.disk, &self.robot.packaged) else { return };
            let Some(candidate) = trial else { return };
            let runs = self.disk.target("current").ok();
            if runs.as_deref() != Some(candidate.slot.folder()) {
                // On a full disk the version before runs; nobody is there to be judged.
                return;
            }
            let well = self.good.contains(&candidate.release.counter) || self.nature == Nature::Good;
            let verdict = match (well, self.nature) {
                (true, _) => Verdict::Healthy,
                (false, Nature::Crashes) => continue,
                (false, _) => Verdict::Unhealthy("the hub was not heard".into()),
            };
            if verdict == Verdict::Healthy {
                self.good.push(candidate.release.counter);
            }
            if slots::settle(&mut self.disk, &self.robot.packaged, &candidate, verdict).is_err() {
                return;
            }
            self.check("after a judgement");
        }
    }

    fn counter_of(&self, target: Target) -> u64 {
        let Some(slot) = target.slot() else { return self.robot.packaged.counter };
        let release = slots::whole(&self.disk, slot).unwrap_or_else(|| panic!("{}: {slot:?} is not whole", self.told));
        let at = |path: &str| self.disk.read(&format!("{}/{path}", slot.folder()));
        assert_eq!(at(PROGRAM).as_deref(), Some(&program(release.counter)[..]), "{}: the program is torn", self.told);
        assert_eq!(at(RELEASE), Some(release.to_text().into_bytes()), "{}", self.told);
        release.counter
    }

    fn check(&mut self, when: &str) {
        if self.disk.is_dead() {
            return;
        }
        let link = self.disk.target("current").unwrap_or_else(|_| panic!("{}: nothing runs {when}", self.told));
        let target = Target::of_link(&link).unwrap_or_else(|| panic!("{}: `{link}` runs {when}", self.told));
        let state = self.disk.read(STATE).and_then(|text| State::parse(str::from_utf8(&text).ok()?).ok());
        let counter = self.counter_of(target);
        let counted = state.as_ref().is_some_and(|state| {
            let candidate = state.candidate.as_ref();
            matches!(state.phase, Phase::Trial | Phase::Reverting)
                && candidate.is_some_and(|c| Target::from(c.slot) == target && c.release.counter == counter)
        });
        assert!(self.good.contains(&counter) || counted, "{}: {counter} runs uncounted {when}: {state:?}", self.told);
        if let Some(state) = state {
            assert!(state.good.counter >= self.floor, "{}: the counter falls {when}: {state:?}", self.told);
            self.floor = state.good.counter;
        }
    }

    /// All is done. With `expected` the update runs if it is good, and what ran before runs if it is not; else any good one.
    pub fn end(&mut self, expected: bool) {
        self.check("at the end");
        let target = Target::of_link(&self.disk.target("current").unwrap()).unwrap();
        let runs = self.counter_of(target);
        let state = slots::on_trial(&mut self.disk, &self.robot.packaged).unwrap();
        assert_eq!(state, None, "{}", self.told);
        match expected {
            true if self.nature == Nature::Good => assert_eq!(runs, self.update, "{}", self.told),
            true if !self.damaged => assert_eq!(runs, self.update - 1, "{}", self.told),
            _ => assert!(self.good.contains(&runs), "{}: {runs} runs", self.told),
        }
        assert!(!self.disk.exists(READY), "{}", self.told);
    }
}

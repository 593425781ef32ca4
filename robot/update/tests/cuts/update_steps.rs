//! Simulates an update of one robot, with the steps of the board's first program and the systemd units. The steps are
//! boot, start, installation of a waiting bundle, and verdict.

use crate::faulty::FaultyDisk;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::sync::OnceLock;
use xpuck_update::Release;
use xpuck_update::bundle::{Kind, seal, write};
use xpuck_update::health::Verdict;
use xpuck_update::release::RELEASE;
use xpuck_update::slots::roots::ROOTS;
use xpuck_update::slots::{
    self, BaseVersions, Disk, INCOMING, Installed, PAYLOAD, PROGRAM, Phase, READY, ROOT_STARTS, Restart, Robot, Roots,
    STARTS, STATE, Slot, Source, State, Target,
};
use xpuck_wire::keys::Secret;

/// Behaviour of a version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Behaviour {
    Good,
    /// The version exits at once, so it uses up its starts without a verdict.
    Crashes,
    /// The version runs, and the verdict is unhealthy.
    Unhealthy,
    /// No program of the version runs, so that only reboots can end the trial. Only images have this behaviour.
    Dead,
}

/// Version before the update, and kind of the update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Baseline {
    /// The packaged version, updated by a package.
    Packaged,
    /// A version in a slot, updated by a package.
    Slot,
    /// The root of a card with two roots, updated by an image.
    Root,
    /// A version in a slot of a card with two roots, updated by an image.
    RootAndSlot,
}

impl Baseline {
    fn is_root(self) -> bool {
        matches!(self, Baseline::Root | Baseline::RootAndSlot)
    }
}

struct TarSource;

impl Source<FaultyDisk> for TarSource {
    fn tar(&self, disk: &FaultyDisk) -> std::io::Result<Box<dyn Read>> {
        Ok(Box::new(Cursor::new(disk.read(PAYLOAD).expect("the payload is there"))))
    }

    fn root(&self, disk: &mut FaultyDisk, slot: Slot) -> std::io::Result<Release> {
        disk.remove(slot.folder())?;
        let tar = self.tar(disk)?;
        slots::unpack(disk, slot, tar).map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(slots::complete_release(disk, slot).expect("the root is whole"))
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

fn bundle(kind: Kind, counter: u64) -> &'static [u8] {
    static MADE: [OnceLock<Vec<u8>>; 8] = [const { OnceLock::new() }; 8];
    MADE[counter as usize + if kind == Kind::Image { 4 } else { 0 }].get_or_init(|| {
        let payload = tar_of(counter);
        let any = ["any".to_string()];
        let head = seal(kind, &any, "any", &release(counter), &payload[..], signer()).unwrap();
        let mut bundle = Vec::new();
        write(&head, &payload[..], &mut bundle).unwrap();
        bundle
    })
}

/// Robot with an update, on a disk with simulated faults.
pub struct UpdateScenario {
    pub disk: FaultyDisk,
    pub label: String,
    robot: Robot,
    nature: Behaviour,
    from: Baseline,
    /// Whether the waiting bundle is an image.
    image: bool,
    /// Whether the board is on. For a card without two roots, the simulated boot does nothing else.
    on: bool,
    /// Number of boots of a root on trial, counted from the delivery of the bundle or from damage to the state file.
    boots: u8,
    /// Release counter of the update.
    update: u64,
    /// Release counters of the versions that were found healthy.
    good: Vec<u64>,
    /// Number of starts of a version on trial, counted from the delivery of the bundle or from damage to the state
    /// file.
    starts: u8,
    /// Counter of the highest healthy release, as last stored. The stored counter must never decrease.
    floor: u64,
    /// Whether the disk is full at some time in the test.
    pub full: bool,
    /// Whether the state file was damaged, so that a trial may be repeated.
    damaged: bool,
}

impl UpdateScenario {
    /// Creates a robot that runs the version `from`, and delivers an update with the behaviour `nature`.
    pub fn begin(nature: Behaviour, from: Baseline, seed: u64) -> UpdateScenario {
        let operators = BTreeMap::from([("alice".to_string(), signer().public.ed25519)]);
        let root = from.is_root().then_some(Slot::RootA);
        let here = BaseVersions { packaged: release(1), root };
        let robot = Robot { board: "pi5".into(), arch: "arm64".into(), operators, here };
        let mut story = UpdateScenario {
            disk: FaultyDisk::new(seed),
            label: String::new(),
            robot,
            nature: Behaviour::Good,
            from,
            image: false,
            on: true,
            boots: 0,
            update: 2,
            good: vec![1],
            starts: 0,
            floor: 0,
            full: false,
            damaged: false,
        };
        story.disk.make_folder(INCOMING).unwrap();
        if let Some(root) = root {
            story.disk.place(ROOTS, Roots::settled(root).to_text().as_bytes());
        }
        story.disk.sync_folder("").unwrap();
        story.start();
        if matches!(from, Baseline::Slot | Baseline::RootAndSlot) {
            story.deliver();
            story.run();
            story.assert_final(true);
            (story.update, story.starts) = (3, 0);
        }
        story.nature = nature;
        story.image = from.is_root();
        story.disk.operations = 0;
        story.disk.writes = 0;
        story.deliver();
        story
    }

    /// Writes the bundle of the update to the disk as a completely received and synchronised file.
    pub fn deliver(&mut self) {
        let kind = if self.image { Kind::Image } else { Kind::App };
        self.disk.place(READY, bundle(kind, self.update));
        (self.starts, self.boots) = (0, 0);
    }

    /// Restores power after a power failure.
    pub fn power_is_back(&mut self, seed: u64) {
        self.disk = self.disk.clone().restart(seed);
        self.on = false;
        if !self.from.is_root() {
            self.check("before the start");
        }
    }

    /// Emulates the board's first program (`systemd/image/src/init.sh`); returns false if the power fails meanwhile.
    fn power_on(&mut self) -> bool {
        self.on = true;
        if !self.from.is_root() {
            return true;
        }
        let text = self.disk.read(ROOTS).expect("a card says which root runs");
        let mut roots = Roots::parse(str::from_utf8(&text).unwrap()).expect("and it makes sense");
        let mut root = roots.next();
        if roots.trial == Some(root) {
            roots.starts -= 1;
            let new = format!("{ROOTS}.init");
            let disk = &mut self.disk;
            let counted = disk.remove(&new).is_ok()
                && disk.create(&new, false).is_ok()
                && disk.append(&new, roots.to_text().as_bytes()).is_ok()
                && disk.sync_file(&new).is_ok()
                && disk.rename(&new, ROOTS).is_ok()
                && disk.sync_folder("").is_ok();
            if !counted && self.disk.is_dead() {
                return false;
            }
            if !counted {
                root = roots.current;
            }
            self.boots += u8::from(counted);
            // If the state was damaged or could not be stored, the trial may be repeated once.
            let most = if self.damaged || self.full { 2 * STARTS } else { STARTS };
            assert!(self.boots <= most, "{}: it boots {} times", self.label, self.boots);
        }
        let packaged = match root {
            Slot::RootA => release(1),
            root => slots::complete_release(&self.disk, root)
                .unwrap_or_else(|| panic!("{}: {root:?} is not whole", self.label)),
        };
        self.robot.here = BaseVersions { packaged, root: Some(root) };
        true
    }

    /// Restores power and damages the state file; returns whether there was a state file.
    pub fn power_is_back_damaged(&mut self, seed: u64) -> bool {
        self.power_is_back(seed);
        self.damaged = true;
        (self.starts, self.boots) = (0, 0);
        let there = self.disk.exists(STATE);
        self.disk.damage(STATE, &b"phase = \"trial\"\ncurrent = \"a\"\n\0\0\0"[..20 + (seed % 10) as usize]);
        there
    }

    fn start(&mut self) -> bool {
        let Ok(boot) = slots::boot(&mut self.disk, &self.robot.here) else { return false };
        self.check("after a start");
        let counter = self.counter_of(boot.runs);
        if !self.good.contains(&counter) && !boot.reboot {
            self.starts += 1;
            let most = if self.image { ROOT_STARTS } else { STARTS };
            assert!(self.starts <= most, "{}: version {counter} starts {} times", self.label, self.starts);
        }
        self.on = !boot.reboot;
        true
    }

    /// Emulates systemd until the update is complete or the power fails.
    pub fn run(&mut self) {
        for _ in 0..40 {
            if !self.on && !self.power_on() {
                return;
            }
            let dead = self.nature == Behaviour::Dead && !self.good.contains(&self.robot.here.packaged.counter);
            if dead {
                // No program runs, so a user switches the board off and on.
                self.on = false;
                continue;
            }
            if !self.start() {
                return;
            }
            if !self.on {
                continue;
            }
            if self.disk.exists(READY) {
                match slots::install(&mut self.disk, &self.robot, &TarSource) {
                    Ok(Installed::Trial(candidate)) => {
                        self.on = !candidate.slot.is_root();
                        continue;
                    }
                    Ok(_) => {}
                    Err(_) => return,
                }
                self.check("after an installation");
            }
            let Ok(trial) = slots::on_trial(&mut self.disk, &self.robot.here) else { return };
            let Some(candidate) = trial else { return };
            let runs = self.disk.target("current").ok();
            if runs.as_deref() != Some(Target::from(candidate.slot).link()) {
                // The start could not be counted on a full disk. The previous version runs instead of the candidate, so
                // the candidate is not evaluated.
                return;
            }
            let well = self.good.contains(&candidate.release.counter) || self.nature == Behaviour::Good;
            let verdict = match (well, self.nature) {
                (true, _) => Verdict::Healthy,
                (false, Behaviour::Crashes) => continue,
                (false, _) => Verdict::Unhealthy("the hub did not answer".into()),
            };
            if verdict == Verdict::Healthy {
                self.good.push(candidate.release.counter);
            }
            match slots::conclude_trial(&mut self.disk, &self.robot.here, &candidate, verdict) {
                Ok(again) => self.on = again != Restart::Board,
                Err(_) => return,
            }
            self.check("after a judgement");
        }
    }

    fn counter_of(&self, target: Target) -> u64 {
        let Some(slot) = target.slot() else { return self.robot.here.packaged.counter };
        let release = slots::complete_release(&self.disk, slot)
            .unwrap_or_else(|| panic!("{}: {slot:?} is not whole", self.label));
        let at = |path: &str| self.disk.read(&format!("{}/{path}", slot.folder()));
        assert_eq!(at(PROGRAM).as_deref(), Some(&program(release.counter)[..]), "{}: the program is torn", self.label);
        assert_eq!(at(RELEASE), Some(release.to_text().into_bytes()), "{}", self.label);
        release.counter
    }

    fn check(&mut self, when: &str) {
        if self.disk.is_dead() {
            return;
        }
        let link = self.disk.target("current").unwrap_or_else(|_| panic!("{}: nothing runs {when}", self.label));
        let target = Target::from_link(&link).unwrap_or_else(|| panic!("{}: `{link}` runs {when}", self.label));
        let state = self.disk.read(STATE).and_then(|text| State::parse(str::from_utf8(&text).ok()?).ok());
        let counter = self.counter_of(target);
        let counted = state.as_ref().is_some_and(|state| {
            let candidate = state.candidate.as_ref();
            matches!(state.phase, Phase::Trial | Phase::Reverting)
                && candidate.is_some_and(|c| Target::from(c.slot) == target && c.release.counter == counter)
        });
        // A rejected root may still run until the next boot, if another root is selected for that boot.
        let roots = self.disk.read(ROOTS).and_then(|text| Roots::parse(str::from_utf8(&text).ok()?));
        let left = roots.is_some_and(|roots| roots.wants_boot(self.robot.here.root.unwrap()));
        assert!(
            self.good.contains(&counter) || counted || left,
            "{}: {counter} runs uncounted {when}: {state:?}",
            self.label
        );
        if let Some(state) = state {
            assert!(state.good.counter >= self.floor, "{}: the counter falls {when}: {state:?}", self.label);
            self.floor = state.good.counter;
        }
    }

    /// Finishes the update and checks the running version. If `expected` is true, a good update must run, and a bad
    /// update must be reverted to the previous version. If `expected` is false, any healthy version may run.
    pub fn assert_final(&mut self, expected: bool) {
        while !self.on {
            self.run();
        }
        self.check("at the end");
        let target = Target::from_link(&self.disk.target("current").unwrap()).unwrap();
        let runs = self.counter_of(target);
        let state = slots::on_trial(&mut self.disk, &self.robot.here).unwrap();
        assert_eq!(state, None, "{}", self.label);
        match expected {
            true if self.nature == Behaviour::Good => assert_eq!(runs, self.update, "{}", self.label),
            true if !self.damaged => assert_eq!(runs, self.update - 1, "{}", self.label),
            _ => assert!(self.good.contains(&runs), "{}: {runs} runs", self.label),
        }
        assert!(!self.disk.exists(READY), "{}", self.label);
    }
}

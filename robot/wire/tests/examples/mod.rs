//! Examples of messages with typical contents. Every kind of message has an example.

use xpuck_wire::bytes::Bytes;
use xpuck_wire::message::{
    Birth, Directive, Emigrant, Estimate, Event, HeardRobot, LogLine, Operator, Order, PeerEstimates, Picture,
    Population, Poses, Reply, Request, RobotMessage, Sampled, Sensors, Severity, State, StoredPicture, TagSeen, Tags,
    ToRobot, ToWorker, WorkerMessage,
};
use xpuck_wire::park::{ParkOrder, ParkReport, ParkRow, ParkState};
use xpuck_wire::peer::{PeerMessage, RunName};
use xpuck_wire::peers_report::PeersReport;
use xpuck_wire::rollout::{BundleHead, Installed, RobotUpdate, Stage, UpdateReport, UpdateRow};
use xpuck_wire::seal::Sealed;
use xpuck_wire::settings::Answer;
use xpuck_wire::signed::Signed;
use xpuck_wire::telemetry::Telemetry;
use xpuck_wire::updates::{Packer, Update, Updates};
use xpuck_wire::witness::{LastDirectiveReport, ObeyedDirective};
use xpuck_wire::{Body, Phase, PushAnswer, PushRow, RobotRow, Segment, Status};

fn gene() -> Emigrant {
    Emigrant {
        island: 3,
        number: 4711,
        epoch: 0,
        tree: "mulav v_goal v_up 0.5 v_prox".into(),
        count: [4, 4],
        sum: [0.5, 0.75],
        square: [0.0625, 0.140_625],
    }
}

fn estimate() -> Estimate {
    Estimate { parameter: "frisbee-mass".into(), simulated: 0.0625, value: 0.25, sd: 0.125, evidence: 9.5, windows: 34 }
}

fn telemetry() -> Telemetry {
    let mut telemetry = Telemetry { time: 12.5, state: State::Run, obeyed: 1_700_000_000_003, ..Telemetry::default() };
    telemetry.power.battery_v = Some(3.75);
    telemetry.senses.neighbours = 2;
    telemetry.motion.wheels = [0.0625, 0.09375];
    telemetry
}

fn updates() -> Updates {
    let mut packer = Packer::default();
    let update = Update { state: State::Run, ticked: true, nodes: vec![2, 3], ..Update::default() };
    packer.push(&update);
    packer.push(&Update { after_us: 100_000, ..update });
    Updates { session: 81_985_529, first: 17, count: 2, nodes: 2, data: packer.finish_batch(), ..Updates::default() }
}

/// Returns a signed experiment.
pub fn signed() -> Signed {
    let text = "name = \"transport\"\nminutes = 16.0\nsegment_minutes = 2.0\ntask = \"transport\"\n";
    Signed {
        manifest: format!("experiment = {text:?}\n"),
        signer: "operator".into(),
        signature: "5a".repeat(64),
        files: Default::default(),
    }
}

/// Returns a sealed message to a robot.
pub fn sealed() -> Sealed {
    Sealed { session: 81_985_529, hub: 1_700_000_000_000, count: 42, message: ToRobot::Ping { stamp: 12.5 } }
}

fn answer() -> PushAnswer {
    let now = vec!["calibration.drive.left".into()];
    PushAnswer { number: 1_700_000_000_004, now, ..PushAnswer::default() }
}

fn bundle() -> BundleHead {
    let manifest = "kind = \"app\"\nboards = [\"pi5\"]\narch = \"arm64\"\nversion = \"0.3.0\"\ncounter = 1700000000\n";
    let manifest = format!("{manifest}size = 9000000\nsha256 = \"{}\"\n", "5a".repeat(32));
    BundleHead { manifest, signer: "operator".into(), signature: "5a".repeat(64) }
}

fn installed() -> Installed {
    let update = RobotUpdate {
        number: 1_700_000_000_005,
        digest: "5a".repeat(32),
        stage: Stage::Loading,
        received: 262_144,
        why: String::new(),
    };
    let (board, arch) = ("pi5".into(), "arm64".into());
    Installed { version: "0.2.0".into(), counter: 1_690_000_000, board, arch, update: Some(update) }
}

fn update_report() -> UpdateReport {
    let row = |robot: &str, stand: &str| UpdateRow {
        robot: robot.into(),
        version: "0.2.0".into(),
        stand: stand.into(),
        ..UpdateRow::default()
    };
    UpdateReport {
        version: "0.3.0".into(),
        counter: 1_700_000_000,
        digest: "5a".repeat(32),
        size: 9_000_000,
        by: "operator".into(),
        rows: vec![UpdateRow { received: 262_144, ..row("xp01", "loading") }, row("xp02", "waiting")],
        ..UpdateReport::default()
    }
}

fn status() -> Status {
    Status {
        time: 61.0,
        phase: Phase::Running,
        experiment: "transport".into(),
        run_seconds: 60.0,
        run_length: 960.0,
        tracking: true,
        segments: vec![Segment { number: 0, fitness: 0.125, seconds: 60.0, phase: "evolve".into(), value: None }],
        robots: vec![RobotRow { id: "xp01".into(), version: "0.1.0".into(), alive: true, ..RobotRow::default() }],
        bodies: vec![Body { name: "xp01".into(), pose: [0.25, -0.5, 1.5] }],
        half_arena: [1.0, 0.75],
        events: vec!["1.0 robot xp01 is here".into()],
        ..Status::default()
    }
}

fn tags() -> Tags {
    let tag = TagSeen { id: 7, range: 0.75, bearing: -0.25, height: 0.0625, facing: 3.0 };
    Tags { age: 0.125, tags: vec![tag], looks: 4711, doubled: 2, look_ms: 24.0 }
}

/// Returns messages from a robot to the hub.
pub fn from_robot() -> Vec<RobotMessage> {
    vec![
        RobotMessage::Hello {
            version: "0.1.0".into(),
            session: 0x1234_5678_9abc,
            seen: (1_700_000_000_000, 41),
            witness: LastDirectiveReport {
                told: Some(ObeyedDirective {
                    directive: 1_700_000_000_003,
                    state: State::Run,
                    run: 1_700_000_000_001,
                    held: false,
                    stops: 2,
                }),
                silent_s: Some(1.5),
            },
        },
        RobotMessage::Telemetry(Box::new(telemetry())),
        RobotMessage::Kept(1_700_000_000_003),
        RobotMessage::Ping { stamp: 7.5 },
        RobotMessage::Pong { stamp: 7.5 },
        RobotMessage::Experiment { number: 1_700_000_000_001, answer: Answer::Accepted },
        RobotMessage::Genes {
            generation: 12,
            emigrant: gene(),
            births: vec![Birth {
                number: 4711,
                parents: vec![(3, 4650), (1, 4402)],
                fitness: 0.125,
                operator: Operator::Crossover,
            }],
        },
        RobotMessage::Loaded { segment: 1, gene: gene() },
        RobotMessage::Settings(answer()),
        RobotMessage::Updates(Box::new(updates())),
        RobotMessage::Log(LogLine::new(Severity::Warn, 1_700_000_000_000, "xpuckd xp01: no poses")),
        RobotMessage::Samples {
            generation: 12,
            samples: vec![Sampled { island: 3, number: 4650, samples: 8, fitness: 0.125 }],
        },
        RobotMessage::Estimates(vec![estimate()]),
        RobotMessage::Population(Population { generation: 12, size: 256, distinct: 250, mean_nodes: 23.5, step: 0 }),
        RobotMessage::Picture(Picture { width: 1, height: 1, rgb: Bytes(vec![255, 128, 0]) }),
        RobotMessage::Want { digest: "5a".repeat(32), offset: 262_144 },
        RobotMessage::Installed(Box::new(installed())),
        RobotMessage::Tags(tags()),
        RobotMessage::Sensors(Box::new(Sensors {
            time: 7.5,
            acceleration: Some([0.125, -0.25, 9.75]),
            light: Some([0.125, 0.25, 0.5, 0.75, 0.5, 0.25, 0.125, 0.0625]),
            loudness: vec![0.125, 0.25, 0.125],
            sound_from: Some(1.5),
            steps: Some([1200, -300]),
            selector: Some(10),
            button: Some(false),
            heading: Some(-0.5),
            tilt: None,
            turn: None,
            magnetic: None,
            ground: None,
            ahead: Some(0.25),
            heard: vec![HeardRobot { robot: 3, bearing: 0.5, strength: 700 }],
            trouble: String::new(),
        })),
        RobotMessage::Peers(Box::new(PeersReport {
            generation: 12,
            from: vec![3, 7],
            in_range: 2,
            asked: 40,
            answered: 38,
            genes: 51,
            ..PeersReport::default()
        })),
    ]
}

/// Returns messages between robots.
pub fn between_robots() -> Vec<PeerMessage> {
    let run = RunName { number: 1_700_000_000_003, seed: 1 };
    vec![
        PeerMessage::Ask { number: 17, run, after: 11 },
        PeerMessage::Genes { number: 17, run, generation: 12, genes: vec![(12, gene())] },
        PeerMessage::Say { session: 81_985_529_216_486_895, count: 3, bytes: Bytes(b"here".to_vec()) },
    ]
}

/// Returns messages from the hub to a robot.
pub fn to_robot() -> Vec<ToRobot> {
    vec![
        ToRobot::Welcome { island: 1 },
        ToRobot::Experiment { number: 1_700_000_000_001, seed: 1, robots: 9, signed: signed() },
        ToRobot::Directive(Directive {
            number: 1_700_000_000_003,
            state: State::Run,
            segment: 1,
            run: 1_700_000_000_001,
            phase: 0,
            tree: None,
            expires: 64.5,
            ..Directive::default()
        }),
        ToRobot::Poses(Box::new(Poses {
            me: [0.5, -0.25, 1.5],
            disc: Some([0.625, -0.25, 0.0]),
            mates: vec![(2, [0.25, 0.5, -1.5], [0.0625, 0.125])],
            age: 0.03125,
        })),
        ToRobot::Estimates(vec![PeerEstimates { island: 2, age: 1.5, estimates: vec![estimate()] }]),
        ToRobot::Senses { up: -1.5, neighbours: vec![(2, 0.25, 0.5).into()], age: 0.0625 },
        ToRobot::Genes { generation: 12, immigrants: vec![gene()] },
        ToRobot::Ping { stamp: 7.5 },
        ToRobot::Pong { stamp: 7.5, time: 61.5 },
        ToRobot::Settings { number: 1_700_000_000_004, text: "[calibration.drive]\nleft = 1.01\n".into() },
        ToRobot::Watch { picture: true },
        ToRobot::Identify,
        ToRobot::Reboot,
        ToRobot::Offer { number: 1_700_000_000_005, bundle: bundle() },
        ToRobot::Chunk { digest: "5a".repeat(32), offset: 262_144, bytes: Bytes(vec![33, 60, 97]) },
        ToRobot::Drive(xpuck_wire::message::DriveCommand {
            wheels: [0.05, -0.05],
            lamps: Some([0, 40, 40]),
            hold_ms: 250,
            expires: 62.5,
        }),
    ]
}

/// Returns messages from a worker to the hub.
pub fn from_worker() -> Vec<WorkerMessage> {
    vec![
        WorkerMessage::Join { island: 3, generation: 12 },
        WorkerMessage::Emigrant { island: 3, generation: 13, gene: gene() },
        WorkerMessage::Done { island: 3, generation: 40 },
    ]
}

/// Returns messages from the hub to a worker.
pub fn to_worker() -> Vec<ToWorker> {
    vec![
        ToWorker::Noted { island: 3, generation: 12 },
        ToWorker::Immigrants { island: 3, generation: 13, immigrants: vec![gene()] },
        ToWorker::Refused { island: 3, why: "migrant 3.4711: line 1: unknown node `movcw`".into() },
    ]
}

/// Returns requests of an operator to the hub.
pub fn requests() -> Vec<Request> {
    vec![
        Request::Status,
        Request::Start { signed: signed(), seed: 1 },
        Request::Pause,
        Request::Resume,
        Request::Next,
        Request::Stop,
        Request::Trees,
        Request::Note { text: "the frisbee was waxed".into() },
        Request::Order { robot: "xp01".into(), order: Order::Identify },
        Request::Watch { robot: "xp01".into(), picture: false },
        Request::Events { after: 41 },
        Request::Link,
        Request::Push { text: "[calibration.drive]\nleft = 1.01\n".into(), robots: vec!["xp01".into()] },
        Request::Pushed,
        Request::Upload { bundle: bundle(), offset: 0, bytes: Bytes(vec![33, 60, 97]) },
        Request::Update { digest: "5a".repeat(32), robots: vec!["xp01".into()], canary: 1 },
        Request::Updated,
        Request::AbortUpdate,
        Request::Drive { robot: "xp01".into(), wheels: [0.05, -0.05], lamps: Some([0, 40, 40]) },
        Request::Shutdown,
        Request::Picture { robot: "xp01".into() },
        Request::StartAnyway { signed: signed(), seed: 1 },
        Request::Park(ParkOrder {
            poses: vec![[-0.75, 0.25, 1.5]],
            robots: vec!["xp03".into()],
            ..ParkOrder::default()
        }),
        Request::Parked,
        Request::Enrol { robots: vec!["xp01".into(), "xp02".into()], peers: Vec::new() },
    ]
}

/// Returns replies of the hub to an operator.
pub fn replies() -> Vec<Reply> {
    vec![
        Reply::Done,
        Reply::DoneBut("not durable: a hub that restarts will wait for START (runs/a: no space left on device)".into()),
        Reply::Refused("nothing to pause: the hub is idle".into()),
        Reply::Status(Box::new(status())),
        Reply::Trees(vec![("xp01".into(), gene())]),
        Reply::Pushed(vec![PushRow { robot: "xp01".into(), answer: Some(answer()) }]),
        Reply::Uploaded(262_144),
        Reply::Updated(Some(Box::new(update_report()))),
        Reply::Events(vec![Event {
            number: 42,
            time: 61.0,
            level: Severity::Info,
            who: "operator".into(),
            text: "paused".into(),
        }]),
        Reply::Link(format!("http://127.0.0.1:7600/#link={}", "5a".repeat(32))),
        Reply::Picture(StoredPicture {
            picture: Some(Picture { width: 1, height: 1, rgb: Bytes(vec![255, 128, 0]) }),
            age: 0.25,
            camera_age: Some(0.125),
        }),
        Reply::Parked(Some(Box::new(ParkReport {
            over: true,
            parked: true,
            said: "the robots are parked".into(),
            seconds: 24.5,
            frisbee_moved_m: Some(0.0),
            robots: vec![ParkRow {
                robot: "xp03".into(),
                goal: [-0.75, 0.25, 1.5],
                off_m: Some(0.00625),
                off_deg: Some(1.5),
                state: ParkState::Parked,
            }],
        }))),
    ]
}

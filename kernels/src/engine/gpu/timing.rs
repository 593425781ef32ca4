use super::*;
use crate::engine::Team;
use crate::tree::Tree;
use crate::world::WorldSpec;

const EXPLORE: &str = "explore 20";

#[test]
#[ignore]
fn timing() {
    let text = std::env::var("TREE").ok();
    let program = |t: &str| [Program::compile(&Tree::parse(t).unwrap()).unwrap()];
    let explore = program(text.as_deref().unwrap_or(EXPLORE));
    let circle = program("movcv v_goal 60deg");
    let spec = WorldSpec::benchmark(16);
    let worlds: u32 = std::env::var("WORLDS").map_or(256, |w| w.parse().unwrap());
    let seconds: u32 = std::env::var("SECONDS_").map_or(10, |w| w.parse().unwrap());
    let job = |world| Job { spec: &spec, start: world as usize, team: Team::all(0), seed: 1, world, updates: 10 * seconds };
    let jobs: Vec<Job<'_>> = (0..worlds).map(job).collect();
    let mut gpu = Gpu::open().unwrap();
    if let Ok(l) = std::env::var("LANE") { gpu.lane = Some(if l == "body" { Lane::Body } else { Lane::World }); }
    let mut run = |name: &str, sensing, programs: &[Program]| {
        gpu.sensing = Some(sensing);
        let mut best = f64::MAX;
        for _ in 0..3 {
            let t = clock();
            gpu.run(programs, &jobs);
            best = best.min(t.elapsed().as_secs_f64());
        }
        println!("{name}: {:.2} us  r_acc {:.0} {:?}", best * 1e6 / f64::from(worlds * 16 * seconds), f64::from(worlds * 16 * seconds) / best, gpu.notice());
    };
    let only = std::env::var("ONLY").is_ok();
    run("physics", Sensing::NONE, &circle);
    if only { return; }
    run("+prox", Sensing::PROXIMITY, &circle);
    run("+cam", Sensing::ALL, &circle);
    run("all", Sensing::ALL, &explore);
}

#[test]
#[ignore]
fn compile_times() {
    let spec = WorldSpec::benchmark(16);
    let programs = vec![Program::compile(&Tree::parse(EXPLORE).unwrap()).unwrap()];
    let world = World::new(&spec, 0, 1, 0);
    let scene = Scene::of(&world);
    let job = Job { spec: &spec, start: 0, team: Team::all(0), seed: 1, world: 0, updates: 0 };
    let device = Device::open(&AdapterChoice::Best, source).unwrap();
    let lanes = match std::env::var("LANE").as_deref() { Ok("body") => vec![Lane::Body], Ok(_) => vec![Lane::World], _ => vec![Lane::Body, Lane::World] };
    let only = std::env::var("ENTRY").ok();
    for lane in lanes {
        let layout = Layout::of(lane, 17, device.subgroup);
        for entry in ["only_random", "only_friction", "only_contacts", "only_integrate", "only_proximity", "only_camera", "only_messages", "only_tick", "only_task", "only_score", "advance"] {
            if only.as_deref().is_some_and(|o| o != entry) { continue; }
            let columns = layout.worlds(17);
            let state = State::of(std::slice::from_ref(&world), &[&job], &Code::of(&programs), columns);
            let params = Params::of(&scene, None, Sensing::ALL, &layout, columns);
            let t = clock();
            let mut flight = device.begin_stage(&Batch { layout, params, state: &state.words, programs: &Code::of(&programs).words, table: &[0], memory: 4096, work: 1 << 16, past: 64, outcome: [16, 16] }, entry).unwrap();
            let made = t.elapsed();
            device.advance(&mut flight, 1, 1);
            device.wait(&flight).unwrap();
            let first = t.elapsed();
            device.advance(&mut flight, 1, 1);
            device.wait(&flight).unwrap();
            println!("{lane:?} {entry}: pipeline {:.2} s, first {:.2} s, again {:.4} s", made.as_secs_f64(), (first - made).as_secs_f64(), (t.elapsed() - first).as_secs_f64());
        }
    }
}

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

//! Table of the mean number of robots in each region of a mission, by segment.

use super::collect::RunFacts;
use crate::sweep::summary::Readable;
use xpuck_stats::figure::Figure;

/// Returns the table of the mean number of robots in each region. `None` if the runs have no regions.
pub fn table(runs: &[&RunFacts], segments: usize) -> Option<Readable> {
    let names = runs.first()?.regions.names();
    if names.is_empty() {
        return None;
    }
    let row = |run: &RunFacts, region: usize| -> Vec<String> {
        let cell = |segment| run.regions.mean(segment, region);
        let cells =
            (1..=segments as u32).map(|segment| cell(segment).map_or("-".into(), |n| format!("{:.2}", Figure(n))));
        [run.name.clone(), names[region].into()].into_iter().chain(cells).collect()
    };
    let same = runs.iter().filter(|run| run.regions.names() == names);
    let rows = same.flat_map(|run| (0..names.len()).map(|region| row(run, region))).collect();
    let head = ["run".to_string(), "region".into()].into_iter().chain((1..=segments).map(|i| format!("robots {i}")));
    Some(Readable { title: "Mean number of robots in each region".into(), head: head.collect(), rows })
}

#[cfg(test)]
mod tests {
    use super::super::trees;
    use super::*;
    use crate::behaviour::RegionMeter;
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::world::Task;
    use xpuck_kernels::world::task::{Region, objective};
    use xpuck_kernels::world::zone::{Zone, ZoneShape};

    #[test]
    fn table_has_mean_robots_of_each_region_and_segment() {
        let spot = ZoneShape::Simple(Region::Disc { at: vec2(0.5, 0.0), radius: 0.3 });
        let zone = Zone { name: "spot".into(), shapes: vec![spot], without: Vec::new() };
        let task = Task::Objective(objective::parse("mean(n(spot))", &[zone], 0.0, 2.0).unwrap().into());
        let mut meter = RegionMeter::new(&task);
        meter.add_sample(1, &[vec2(0.5, 0.1), vec2(0.4, 0.0), vec2(0.0, 0.0)]);
        meter.add_sample(1, &[vec2(0.5, 0.1), vec2(0.9, 0.0), vec2(0.0, 0.0)]);
        let mut run = trees::tests::run(&[]);
        assert!(table(&[&run], 2).is_none(), "a run without a mission");
        run.regions = meter;
        let table = table(&[&run], 2).unwrap();
        assert_eq!(table.rows, [["a", "spot", "1.50", "-"]]);
        assert_eq!(table.head, ["run", "region", "robots 1", "robots 2"]);
    }
}

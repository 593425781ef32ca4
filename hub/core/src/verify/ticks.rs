//! Ticks recorded trees again on recorded blackboards. Statuses, registers and wheel speeds must be bit-exact.

use serde::Serialize;
use std::collections::BTreeMap;
use xpuck_kernels::hash::fnv1a;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::exchange::from_compact;
use xpuck_kernels::tree::{Memory, Program, Senses, Status, Tree, scalar_name};
use xpuck_kernels::world::Colour;
use xpuck_kernels::world::floor::Shade;
use xpuck_kernels::world::physics::steer;
use xpuck_kernels::world::robot::Wheels;
use xpuck_kernels::world::senses::light::light_vector;
use xpuck_kernels::world::senses::tags::vector_from_range_and_bearing;
use xpuck_kernels::world::senses::{Blobs, Neighbour, attraction, proximity_vector};
use xpuck_wire::updates::{Update, Updates};

/// First difference between the record and the repeated tick.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Difference {
    /// Robot id.
    pub robot: String,
    /// Time of the update on the clock of the robot's program (us).
    pub time_us: u64,
    /// Number of the update.
    pub update: u32,
    /// Location: a node of the tree, a register, the wheels, or the tree's memory.
    pub what: String,
    /// Recorded value.
    pub wanted: String,
    /// Value of the repeated tick.
    pub found: String,
}

/// Verification counts of one robot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RobotTicks {
    /// Number of updates.
    pub updates: u64,
    /// Number of updates with a tick of the tree.
    pub ticks: u64,
    /// Number of updates that cannot be ticked, because the record does not contain their tree.
    pub unknown: u64,
    /// Number of updates whose result differs from the record.
    pub different: u64,
    /// Number of gaps in the sequence of updates.
    pub gaps: u64,
    /// Number of missing updates in the gaps.
    pub missing: u64,
    /// Number of repeated batches, which are not verified again.
    pub repeated: u64,
}

/// State at the end of a robot's last batch.
#[derive(Clone, Debug)]
struct Ended {
    batch: (u64, u64, String),
    next: u32,
    memory: Memory,
}

#[derive(Clone, Debug, Default)]
struct Robot {
    count: RobotTicks,
    /// Number of updates of each batch, by session, run and number of the first update.
    batches: BTreeMap<(u64, u64, u32), u16>,
    ended: Option<Ended>,
}

/// Verifies the updates of a run.
#[derive(Clone, Debug)]
pub struct TickVerifier {
    seed: u64,
    wheels: Wheels,
    programs: BTreeMap<String, (Tree, Program)>,
    robots: BTreeMap<String, Robot>,
    first: Option<Difference>,
}

impl TickVerifier {
    /// Creates a verifier for a run with this seed.
    pub fn new(seed: u64) -> TickVerifier {
        TickVerifier {
            seed,
            wheels: Wheels::default(),
            programs: BTreeMap::new(),
            robots: BTreeMap::new(),
            first: None,
        }
    }

    /// Sets the wheels of the robots. The default is the wheels of the reference model.
    pub fn set_wheels(&mut self, wheels: Wheels) {
        self.wheels = wheels;
    }

    /// Adds the tree of a batch, if the batch contains it. Other batches identify this tree only by its hash.
    pub fn learn(&mut self, updates: &Updates) {
        if !updates.compact.0.is_empty()
            && let Ok(tree) = from_compact(&updates.compact.0)
        {
            self.learn_tree(tree);
        }
    }

    /// Adds a tree that controls a robot.
    pub fn learn_tree(&mut self, tree: Tree) {
        let hash = format!("{:016x}", fnv1a(tree.key()));
        if !self.programs.contains_key(&hash)
            && let Ok(program) = Program::compile(&tree)
        {
            self.programs.insert(hash, (tree, program));
        }
    }

    /// Verifies a batch of robot `robot` with island `island`. The batches of a robot must come in the order of their
    /// numbers.
    ///
    /// # Errors
    /// If the batch cannot be decoded.
    pub fn verify_batch(&mut self, robot: &str, island: u16, updates: &Updates) -> Result<(), String> {
        let unpacked = updates.unpack().map_err(|error| format!("robot {robot}, update {}: {error}", updates.first))?;
        self.learn(updates);
        let known = self.robots.entry(robot.into()).or_default();
        if known.batches.insert((updates.session, updates.run, updates.first), updates.count).is_some() {
            known.count.repeated += 1;
            return Ok(());
        }
        known.count.updates += unpacked.len() as u64;
        let mut batch = Batch {
            seed: self.seed,
            wheels: &self.wheels,
            island,
            robot,
            updates,
            count: &mut known.count,
            first: &mut self.first,
        };
        if updates.tree.is_empty() {
            unpacked.iter().zip(updates.first..).for_each(|(update, number)| batch.resting(update, number));
            known.ended = None;
            return Ok(());
        }
        let Some((tree, program)) = self.programs.get(&updates.tree) else {
            known.count.unknown += unpacked.len() as u64;
            known.ended = None;
            return Ok(());
        };
        let scratch = updates.scratch.map(f32::from_bits);
        let Some(mut memory) = Memory::resume(program, &updates.memory, scratch) else {
            batch.differs(0, updates.first, "the tree's memory", &updates.memory, "not a possible memory");
            known.ended = None;
            return Ok(());
        };
        let name = (updates.session, updates.run, updates.tree.clone());
        // A batch that contains its tree may follow a reload of the same tree. The reload clears the memory, so the
        // memories are not compared.
        let goes_on =
            |ended: &Ended| ended.batch == name && ended.next == updates.first && updates.compact.0.is_empty();
        if let Some(ended) = known.ended.take().filter(goes_on) {
            let bits = |memory: &Memory| (memory.node_words(), memory.board.scratch().map(f32::to_bits));
            if bits(&ended.memory) != bits(&memory) {
                let (wanted, found) = (bits(&memory), bits(&ended.memory));
                batch.differs(0, updates.first, "the tree's memory", &wanted, found);
            }
        }
        for (update, number) in unpacked.iter().zip(updates.first..) {
            if update.ticked {
                batch.ticked(update, number, (tree, program), &mut memory);
            } else {
                batch.resting(update, number);
            }
        }
        known.ended = Some(Ended { batch: name, next: updates.first.wrapping_add(updates.count.into()), memory });
        Ok(())
    }

    /// Returns the first difference, if any.
    pub fn first(&self) -> Option<&Difference> {
        self.first.as_ref()
    }

    /// Returns the verification counts by robot id.
    pub fn robots(&self) -> BTreeMap<String, RobotTicks> {
        self.robots.iter().map(|(robot, known)| (robot.clone(), known.counted())).collect()
    }
}

impl Robot {
    /// Returns the counts, including the gaps. Missing updates at the end of a program or a run cannot be detected.
    fn counted(&self) -> RobotTicks {
        let mut count = self.count.clone();
        let mut before: Option<(u64, u64, u32)> = None;
        for ((session, run, first), updates) in &self.batches {
            if let Some((_, _, next)) = before.filter(|(s, r, next)| (s, r) == (session, run) && next < first) {
                count.gaps += 1;
                count.missing += u64::from(first - next);
            }
            before = Some((*session, *run, first.saturating_add((*updates).into())));
        }
        count
    }
}

/// Batch of updates, with the counters of its robot.
struct Batch<'a> {
    seed: u64,
    wheels: &'a Wheels,
    island: u16,
    robot: &'a str,
    updates: &'a Updates,
    count: &'a mut RobotTicks,
    first: &'a mut Option<Difference>,
}

impl Batch<'_> {
    fn ticked(&mut self, update: &Update, number: u32, (tree, program): (&Tree, &Program), memory: &mut Memory) {
        self.count.ticks += 1;
        let recorded = update.cells.map(f32::from_bits);
        let mut nodes = vec![0u8; tree.nodes().len()];
        let mut observe = |node: usize, status: Status| {
            nodes[node] = match status {
                Status::Running => 1,
                Status::Success => 2,
                Status::Failure => 3,
            }
        };
        let mut draws = Draws::new(self.seed, u32::from(self.island), 0, number, Stream::Controller);
        let (_, goal) = memory.tick_observed(program, &Senses::of_cells(&recorded), &mut draws, &mut observe);
        let name = |status: u8| ["not ticked", "running", "success", "failure"][usize::from(status & 3)];
        let node = nodes.iter().zip(&update.nodes).position(|(found, wanted)| found != wanted);
        let cells = memory.board.cells().map(f32::to_bits);
        let cell = (0..cells.len()).find(|cell| cells[*cell] != update.cells[*cell]);
        let wheels = steer(goal, self.wheels).map(f32::to_bits);
        if nodes.len() != update.nodes.len() {
            self.differs(update.after_us, number, "the number of nodes", update.nodes.len(), nodes.len());
        } else if let Some(node) = node {
            let what = format!("node {node} (`{}`)", tree.nodes()[node]);
            self.differs(update.after_us, number, what, name(update.nodes[node]), name(nodes[node]));
        } else if let Some(cell) = cell {
            let what = format!("register {}", scalar_name(cell as u8));
            self.differs(update.after_us, number, what, bits(update.cells[cell]), bits(cells[cell]));
        } else if wheels != [update.wheels[0], update.wheels[1]] {
            let both = |wheels: [u32; 2]| wheels.map(bits);
            let wanted = both([update.wheels[0], update.wheels[1]]);
            self.differs(update.after_us, number, "the wheels", wanted, both(wheels));
        } else if let Some((sense, wanted, found)) = misread(update) {
            self.differs(update.after_us, number, sense, wanted.map(bits), found.map(bits));
        }
    }

    fn resting(&mut self, update: &Update, number: u32) {
        let still = [0.0f32.to_bits(); 2];
        if update.wheels[..2] != still && !update.driven {
            let wanted = [update.wheels[0], update.wheels[1]].map(bits);
            self.differs(update.after_us, number, "the wheels without a tick", wanted, still.map(bits));
        } else if let Some(node) = update.nodes.iter().position(|status| *status != 0) {
            let what = format!("node {node} without a tick");
            self.differs(update.after_us, number, what, update.nodes[node], 0);
        }
    }

    fn differs(
        &mut self,
        after_us: u32,
        update: u32,
        what: impl Into<String>,
        wanted: impl std::fmt::Debug,
        found: impl std::fmt::Debug,
    ) {
        self.count.different += 1;
        let time_us = (self.updates.start * 1e6) as u64 + u64::from(after_us);
        let text = |value: String| value.trim_matches('"').to_string();
        self.first.get_or_insert_with(|| Difference {
            robot: self.robot.into(),
            time_us,
            update,
            what: what.into(),
            wanted: text(format!("{wanted:?}")),
            found: text(format!("{found:?}")),
        });
    }
}

/// Formats a number with its bits, because different bits may have the same decimal form.
fn bits(word: u32) -> String {
    format!("{} ({word:08x})", f32::from_bits(word))
}

/// Returns the first sense register that does not follow from the data of the devices and the hub: its name, recorded
/// value and correct value. `None` if all registers are correct.
fn misread(update: &Update) -> Option<(&'static str, [u32; 2], [u32; 2])> {
    let mut blobs = Blobs::default();
    for (colour, segments) in blobs.0.iter_mut().enumerate() {
        for (segment, seen) in segments.iter_mut().enumerate() {
            *seen = update.used[0] && update.blobs & Update::blob(colour, segment) != 0;
        }
    }
    let heard = |(_, range, bearing): &(u16, u32, u32)| Neighbour {
        range: f32::from_bits(*range),
        bearing: f32::from_bits(*bearing),
    };
    let neighbours: Vec<Neighbour> = update.neighbours.iter().map(heard).collect();
    let ahead = Senses::default();
    let (up, attr, count) = match update.used[1] {
        true => (Vec2::unit(f32::from_bits(update.up)), attraction(&neighbours), neighbours.len() as f32),
        // Without data from the hub, v_up is zero and v_attr points ahead, as in the robot's core.
        false => (Vec2::ZERO, ahead.attr, ahead.neighbours),
    };
    let senses = Senses {
        prox: proximity_vector(&update.proximity.map(f32::from_bits)),
        up,
        attr,
        colours: [Colour::Red, Colour::Green, Colour::Blue].map(|colour| blobs.vector(colour)),
        neighbours: count,
        light: update.light.map_or(Vec2::ZERO, |light| light_vector(&light.map(f32::from_bits))),
        tag: update.tag.map_or(Vec2::ZERO, |tag| vector_from_range_and_bearing(tag.map(f32::from_bits))),
        ground: update.ground.map_or(0.0, |level| Shade::of_level(f32::from_bits(level)).value()),
    };
    let read = Senses::of_cells(&update.cells.map(f32::from_bits));
    let rows = |s: &Senses| {
        let vector = |v: Vec2| [v.x.to_bits(), v.y.to_bits()];
        let [red, green, blue] = s.colours.map(vector);
        let [count, ground] = [s.neighbours, s.ground].map(|value| [value.to_bits(), 0]);
        [vector(s.prox), vector(s.up), vector(s.attr), red, green, blue, count, vector(s.light), vector(s.tag), ground]
    };
    let names = ["v_prox", "v_up", "v_attr", "v_red", "v_green", "v_blue", "s_n", "v_light", "v_tag", "s_ground"];
    let pairs = rows(&read).into_iter().zip(rows(&senses));
    names.into_iter().zip(pairs).find(|(_, (read, made))| read != made).map(|(name, (read, made))| (name, read, made))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::tree::exchange::to_compact;
    use xpuck_wire::bytes::Bytes;
    use xpuck_wire::updates::Packer;

    /// Returns a batch with one update of a tree that reads the light. The recorded senses are computed from `light`,
    /// but the recorded sensor data are `told`.
    fn lit(light: [f32; 8], told: [f32; 8]) -> Updates {
        let senses = Senses { up: Vec2::ZERO, light: light_vector(&light), ..Senses::default() };
        let told = Update { light: Some(told.map(f32::to_bits)), ..Update::default() };
        batch("mulav v_goal v_zero 4 v_light\n", &senses, told)
    }

    /// Returns a batch with one update: a tick of `tree` with `senses`. The sensor data of the update are those of
    /// `told`.
    fn batch(tree: &str, senses: &Senses, told: Update) -> Updates {
        let tree = Tree::parse(tree).unwrap();
        let program = Program::compile(&tree).unwrap();
        let mut memory = Memory::new(&program);
        let (_, goal) = memory.tick(&program, senses, &mut Draws::new(9, 1, 0, 5, Stream::Controller));
        let [left, right] = steer(goal, &Wheels::default()).map(f32::to_bits);
        let update = Update {
            ticked: true,
            cells: memory.board.cells().map(f32::to_bits),
            wheels: [left, right, left, right],
            nodes: vec![2],
            ..told
        };
        let mut packer = Packer::default();
        packer.push(&update);
        let hash = format!("{:016x}", fnv1a(tree.key()));
        let compact = Bytes(to_compact(&tree));
        Updates { first: 5, count: 1, tree: hash, nodes: 1, compact, data: packer.finish_batch(), ..Updates::default() }
    }

    #[test]
    fn light_read_by_tree_is_verified_from_sensors() {
        let light = [0.1, 0.1, 0.9, 0.4, 0.1, 0.1, 0.1, 0.1];
        let mut good = TickVerifier::new(9);
        good.verify_batch("xp01", 1, &lit(light, light)).unwrap();
        assert_eq!((good.first(), good.robots()["xp01"].ticks), (None, 1));
        let mut other = light;
        other[2] = 0.8;
        let mut bad = TickVerifier::new(9);
        bad.verify_batch("xp01", 1, &lit(light, other)).unwrap();
        assert_eq!(bad.first().unwrap().what, "v_light");
    }

    #[test]
    fn tag_read_by_tree_is_verified_from_range_and_bearing() {
        let told = |told: [f32; 2]| {
            let senses = Senses { up: Vec2::ZERO, tag: vector_from_range_and_bearing([0.6, 0.2]), ..Senses::default() };
            batch(
                "mulav v_goal v_zero 4 v_tag\n",
                &senses,
                Update { tag: Some(told.map(f32::to_bits)), ..Update::default() },
            )
        };
        let verified = |updates: &Updates| {
            let mut verifier = TickVerifier::new(9);
            verifier.verify_batch("xp01", 1, updates).unwrap();
            verifier.first().map(|difference| difference.what.to_string())
        };
        assert_eq!(verified(&told([0.6, 0.2])), None);
        assert_eq!(verified(&told([0.6, 0.3])).as_deref(), Some("v_tag"));
    }

    #[test]
    fn shade_read_by_tree_is_verified_from_brightness() {
        let verified = |level: f32| {
            let senses = Senses { up: Vec2::ZERO, ground: -1.0, ..Senses::default() };
            let told = Update { ground: Some(level.to_bits()), ..Update::default() };
            let mut verifier = TickVerifier::new(9);
            verifier.verify_batch("xp01", 1, &batch("mulas v_goal.x s_ground 1 s_zero\n", &senses, told)).unwrap();
            verifier.first().map(|difference| difference.what.to_string())
        };
        assert_eq!(verified(0.1), None);
        assert_eq!(verified(0.5).as_deref(), Some("s_ground"));
    }
}

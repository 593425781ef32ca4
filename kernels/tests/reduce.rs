//! Tests of the automatic reduction of trees: each rule alone, the tree of the thesis, and random trees, which are
//! compared with their reductions.

use xpuck_kernels::analysis::reduce::{Options, reduce};
use xpuck_kernels::engine::{Engine, Job, Reference, Team};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Group, Kind, Memory, Node, Operand, Program, RegisterMap, Senses, Tree};
use xpuck_kernels::world::senses::{Blobs, proximity_vector};
use xpuck_kernels::world::{Colour, Scenario, WorldSpec};

const WIDE: Options = Options { executable: false };
const NARROW: Options = Options { executable: true };

fn reduced(text: &str) -> String {
    reduce(&Tree::parse(text).unwrap_or_else(|e| panic!("{e}")), WIDE).tree.to_string()
}

/// Checks that the reduction of `from` is `to`. The trees are compared in text form.
#[track_caller]
fn becomes(from: &str, to: &str) {
    assert_eq!(reduced(from), Tree::parse(to).unwrap().to_string());
}

#[track_caller]
fn stays(text: &str) {
    becomes(text, text);
}

const STRAIGHT: &str = "movcv v_goal 0deg";

fn nest(parent: &str, children: &[&str]) -> String {
    let mut text = format!("{parent}\n");
    for line in children.iter().flat_map(|child| child.lines()) {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

fn seq(children: &[&str]) -> String {
    nest("seq", children)
}

fn sel(children: &[&str]) -> String {
    nest("sel", children)
}

#[test]
fn decorated_queries_and_known_trees() {
    becomes(&seq(&["successd\n  ifquad v_prox 1", STRAIGHT]), STRAIGHT);
    becomes(&sel(&["failed\n  ifquad v_prox 1", STRAIGHT]), STRAIGHT);
    becomes(
        &seq(&["successd\n  movcs v_goal.x 1", "movcs v_goal.y 2"]),
        &seq(&["movcs v_goal.x 1", "movcs v_goal.y 2"]),
    );
    becomes("invert\n  movcv v_goal 0deg", STRAIGHT);
    stays(&seq(&["invert\n  ifquad v_prox 1", STRAIGHT]));
    let fails = seq(&["movcs v_goal.x 1", "failurel"]);
    becomes(&sel(&[&fails, "movcs v_goal.y 1"]), &sel(&["failed\n  movcs v_goal.x 1", "movcs v_goal.y 1"]));
}

#[test]
fn every_reduction_step_is_listed_with_rule() {
    let reduction = reduce(&Tree::parse("sel\n  invert\n    movcv v_goal 0deg\n  successl\n").unwrap(), WIDE);
    let steps: Vec<String> =
        reduction.steps.iter().map(|s| format!("{} > {}: {}", s.before, s.after, s.rule.meaning())).collect();
    let expected = [
        "successl > : no effect and no influence on the result (rules 5 and 6)",
        "sel > invert: a composite of one child is the child (rule 7)",
        "invert > movcv v_goal 0deg: the decorator changes no result that occurs and matters (rule 2)",
    ];
    assert_eq!(steps, expected);
}

#[test]
fn children_that_are_never_ticked_or_never_matter() {
    becomes(&seq(&["movcs v_goal.x 1", "failurel", "movcs v_goal.y 1"]), "movcs v_goal.x 1");
    becomes(&sel(&["movcs v_goal.x 1", "movcs v_goal.y 1"]), "movcs v_goal.x 1");
    becomes(&seq(&["successl", "ifsect v_zero 0deg 0deg", STRAIGHT]), STRAIGHT);
    becomes(&sel(&["failurel", STRAIGHT, "successl"]), STRAIGHT);
    becomes(&seq(&[STRAIGHT, "ifquad v_prox 1"]), STRAIGHT);
}

#[test]
fn composites_of_one_kind_are_one() {
    let inner = sel(&["ifquad v_prox 1", "ifquad v_prox 2", "ifquad v_prox 3"]);
    let wide = sel(&["ifquad v_up 1", "ifquad v_prox 1", "ifquad v_prox 2", "ifquad v_prox 3", STRAIGHT]);
    let nested = sel(&["ifquad v_up 1", &inner, STRAIGHT]);
    becomes(&nested, &wide);
    let narrow = reduce(&Tree::parse(&nested).unwrap(), NARROW).tree;
    assert_eq!(narrow.to_string(), Tree::parse(&nested).unwrap().to_string());
    becomes("seq\n  movcv v_goal 0deg", STRAIGHT);
    becomes(&nest("par 1", &[STRAIGHT]), STRAIGHT);
}

#[test]
fn memory_that_resumes_nothing() {
    becomes(&nest("seqm", &["ifquad v_prox 1", STRAIGHT]), &seq(&["ifquad v_prox 1", STRAIGHT]));
    stays(&nest("seqm", &[STRAIGHT, "movcv v_goal 90deg"]));
    becomes(&nest("seqm", &["repeati 1\n  ifquad v_prox 1", STRAIGHT]), &seq(&["ifquad v_prox 1", STRAIGHT]));
    becomes("repeati 9\n  movcv v_goal 0deg", STRAIGHT);
    stays(&seq(&["repeati 9\n  successl", STRAIGHT]));
}

#[test]
fn queries_that_repeat_or_cannot_be() {
    becomes(&seq(&["ifsect v_attr 3 9", "ifsect v_attr 3 9", STRAIGHT]), &seq(&["ifsect v_attr 3 9", STRAIGHT]));
    // If `bfront` succeeds, v_blue has a length of at least 1 and is within 10 degrees of straight ahead.
    becomes(&seq(&["bfront", "ifsect v_blue 0deg 20deg", STRAIGHT]), &seq(&["bfront", STRAIGHT]));
    becomes(&sel(&["ifsect v_blue 90deg 90deg", STRAIGHT]), STRAIGHT);
    becomes(&sel(&["ifsect v_zero 0deg 90deg", STRAIGHT]), STRAIGHT);
    let turn = "rotav v_scr v_up 5 v_scr";
    stays(&seq(&[turn, "ifsect v_scr 3 9", turn, "ifsect v_scr 3 9", STRAIGHT]));
    becomes(&sel(&["ifsect v_scr 3 9", STRAIGHT]), STRAIGHT);
    let ahead = seq(&["bfront", "upfield 1"]);
    becomes(&sel(&[&ahead, &seq(&["invert\n  bfront", STRAIGHT])]), &sel(&[&ahead, STRAIGHT]));
}

#[test]
fn redundant_goal_writes_are_removed() {
    becomes(&seq(&[STRAIGHT, "movcv v_goal 90deg", "movcs s_scr 3"]), STRAIGHT);
    stays(&seq(&["movcs v_goal.x 1", "movcs v_goal.y 1"]));
    becomes(&seq(&["mulav v_goal v_goal 2 v_up", STRAIGHT]), STRAIGHT);
    let both = ["movcs v_goal.x 1", "movcs v_goal.y 1", "ifquad v_prox 1", "upfield 1"];
    becomes(&seq(&both), &seq(&both[..2]));
    // If s_scr is infinite, the difference v_goal.x is NaN. The last write then takes effect, so it must be kept.
    let overflow = ["mulas s_scr v_up.x 3e38 s_scr", "mulas v_goal.x s_scr -1 s_scr", "movcs v_goal.x 3"];
    stays(&seq(&overflow));
}

#[test]
fn writes_that_nobody_reads() {
    becomes(&seq(&["movcv v_up 9deg", "movcs s_scr 4", STRAIGHT]), STRAIGHT);
    let turn = "mulav v_goal v_scr 1 v_up";
    becomes(&seq(&["movcv v_scr 0", "movcv v_scr 9", turn]), &seq(&["movcv v_scr 9", turn]));
    stays(&seq(&[turn, "mulav v_scr v_scr 1 v_prox"]));
    // v_scr is read only where the tree updates v_scr, so these nodes have no effect.
    becomes(&seq(&[STRAIGHT, &sel(&["ifsect v_scr 9 99", "mulav v_scr v_scr 1 v_prox"])]), STRAIGHT);
    becomes(&seq(&["movcv v_scr 9", "movcv v_scr 9", turn]), &seq(&["movcv v_scr 9", turn]));
}

#[test]
fn signals_stay_for_those_who_look() {
    stays(&seq(&["signal 3", "movcv v_goal 0deg"]));
    becomes(&sel(&["failurel", "movcv v_goal 0deg", "signal 3"]), "movcv v_goal 0deg");
    stays(&sel(&[&seq(&["ifquad v_light 0", "signal 2"]), "movcv v_goal 90deg"]));
    stays(&sel(&[&seq(&["ifsect s_ground 180deg 39deg", "signal 2"]), "movcv v_goal 90deg"]));
    // A signal depends on the queries before it and on the registers that the queries read, even if no node drives.
    stays(&sel(&[&seq(&["ifquad v_prox 1", "signal 2"]), "signal 1"]));
    stays(&seq(&["ifquad v_green 1", "signal 3"]));
    stays(&sel(&[&seq(&["ifquad v_scr 1", "signal 2"]), &seq(&["movcv v_scr 0deg", "signal 1"])]));
}

#[test]
fn ground_sensor_tests_stay() {
    let stop = "mulav v_goal v_zero 0 v_zero";
    let black = seq(&["ifsect s_ground 180deg 39deg", stop]);
    stays(&sel(&[&black, &seq(&["ifprob s_ground 4 0.5", "movcv v_goal 90deg"]), STRAIGHT]));
    becomes(
        &sel(&[&seq(&["ifquad s_ground 0", "movcs s_scr 3", stop]), STRAIGHT]),
        &sel(&[&seq(&["ifquad s_ground 0", stop]), STRAIGHT]),
    );
    becomes(&seq(&["movcs s_ground 1", STRAIGHT]), STRAIGHT);
}

#[test]
fn draws_keep_their_numbers() {
    let later = seq(&["ifprob s_n 1 2", STRAIGHT]);
    stays(&sel(&["failed\n  fixedprob 1", &later]));
    becomes(&sel(&[&later, "failed\n  fixedprob 1"]), &later);
    becomes("repeatr 5\n  movcv v_goal 0deg", STRAIGHT);
}

#[test]
fn subtree_leaves_stay_readable() {
    stays(&sel(&["avoiding", &seq(&["bsearch 10deg", "upfield 1"])]));
    becomes(&seq(&["bfront", "blue 0", STRAIGHT]), &seq(&["bfront", "fixedprob 0", STRAIGHT]));
}

#[test]
fn thesis_tree_reduces_to_hand_made_form() {
    let evolved = Tree::parse(include_str!("../../docs/trees/806768-evolved.bt")).unwrap();
    for options in [WIDE, NARROW] {
        let reduction = reduce(&evolved, options);
        assert!(reduction.tree.nodes().len() <= 9, "{}", reduction.tree);
        let programs = [&evolved, &reduction.tree].map(|tree| Program::compile(tree).unwrap());
        let spec = WorldSpec::scenario(9, Scenario::B);
        let run = |program| {
            let job = |world| Job { spec: &spec, start: 0, team: Team::all(program), seed: 3, world, updates: 100 };
            Reference::default().run(&programs, &(0..200).map(job).collect::<Vec<Job>>())
        };
        assert_eq!(run(0), run(1));
    }
}

/// Generator of random trees and senses. Trees consist of nodes of the node table.
struct Generator {
    draws: Draws,
    all: bool,
}

impl Generator {
    fn new(seed: u64, all: bool) -> Generator {
        Generator { draws: Draws::new(seed, 0, 0, 0, Stream::Evolution), all }
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.draws.below(of.len() as u32) as usize]
    }

    fn operand(&mut self, operand: Operand) -> f32 {
        let cells: Vec<u8> =
            if self.all { (0..20).collect() } else { (0..16).filter_map(|i| RegisterMap::InSwarm.cell(i)).collect() };
        let even: Vec<u8> = cells.iter().copied().filter(|c| c % 2 == 0).collect();
        match operand {
            Operand::ScalarDest => f32::from(self.pick(&[0u8, 1, 2, 3, 17, 18, 19])),
            Operand::VectorDest if self.all => f32::from(self.pick(&[0u8, 2, 16, 18])),
            Operand::VectorDest => f32::from(self.pick(&[0u8, 2, 18])),
            Operand::Scalar | Operand::Source => f32::from(self.pick(&cells)),
            Operand::Vector => f32::from(self.pick(&even)),
            Operand::Int8 | Operand::Angle => self.draws.below(256) as f32 - 128.0,
            Operand::Width if self.draws.below(8) == 0 => 0.0,
            Operand::Width => self.draws.below(256) as f32,
            Operand::Fixed => (self.draws.below(256) as f32 - 128.0) / 8.0,
            Operand::Float if self.all && self.draws.below(4) == 0 => self.pick(&[0.0, 1.0, -1.0, 3e38]),
            Operand::Float => self.draws.range(-32.0, 32.0),
            Operand::Gain => self.draws.range(-5.0, 5.0),
            Operand::Count if self.all => 1.0 + self.draws.below(4) as f32,
            Operand::Count => 1.0 + self.draws.below(100) as f32,
            Operand::Quadrant => self.draws.below(9) as f32 - 4.0,
            Operand::Threshold => 1.0 + self.draws.below(4) as f32,
            Operand::Entry | Operand::EntryDest | Operand::Share => unreachable!("an e-puck's nodes have none"),
        }
    }

    fn node(&mut self, kind: Kind, children: u16) -> Node {
        let operands: Vec<f32> = kind.spec().operands.iter().map(|o| self.operand(o.operand)).collect();
        Node::new(kind, children, &operands)
    }

    fn fill(&mut self, depth: usize, full: bool, nodes: &mut Vec<Node>) {
        let beyond = [Kind::Par, Kind::Ifquad, Kind::Explore, Kind::Neighbour, Kind::Fixedprob];
        let more = [Kind::Avoiding, Kind::Red, Kind::Green, Kind::Blue, Kind::Signal];
        let all = self.all;
        let allowed = move |k: &Kind| all || !(beyond.contains(k) || more.contains(k));
        let inner = |k: &Kind| matches!(k.spec().group, Group::Composite | Group::Decorator);
        let leaves: Vec<Kind> = Kind::outside_networks().filter(|k| !inner(k)).filter(allowed).collect();
        if depth == 0 || (!full && self.draws.below(4) == 0) {
            let kind = self.pick(&leaves);
            let node = self.node(kind, 0);
            nodes.push(node);
            return;
        }
        // As in the primitive set of evolution, a composite is one choice for each possible number of children.
        let mut choices: Vec<(Kind, u16)> = Vec::new();
        for kind in Kind::outside_networks().filter(inner).filter(allowed) {
            let arities: &[u16] = if kind.spec().group == Group::Decorator { &[1] } else { &[2, 3, 4] };
            choices.extend(arities.iter().map(|a| (kind, *a)));
        }
        let (kind, children) = self.pick(&choices);
        let node = self.node(kind, children);
        nodes.push(node);
        for _ in 0..children {
            self.fill(depth - 1, full, nodes);
        }
    }

    fn tree(&mut self, depth: usize, full: bool) -> Tree {
        let mut nodes = Vec::new();
        self.fill(depth, full, &mut nodes);
        Tree::from_preorder(nodes)
    }

    /// Changes the senses randomly; each sense sometimes keeps its value.
    fn senses(&mut self, senses: &mut Senses) {
        let draws = &mut self.draws;
        if draws.below(2) == 0 {
            let mut readings = [0.0; 8];
            for reading in &mut readings {
                *reading = (draws.range(-2.0, 1.0)).max(0.0);
            }
            senses.prox = proximity_vector(&readings);
        }
        if draws.below(2) == 0 {
            let angle = draws.range(-3.1, 3.1);
            senses.up = if draws.below(8) == 0 { Vec2::ZERO } else { Vec2::unit(angle) };
        }
        if draws.below(3) == 0 {
            let n = draws.below(4);
            senses.neighbours = n as f32;
            senses.attr = vec2(1.0, 0.0);
            if n > 0 {
                senses.attr = vec2(draws.range(-1.5, 1.5), draws.range(-1.5, 1.5));
            }
        }
        if draws.below(3) == 0 {
            for colour in &mut senses.colours {
                let bits = draws.below(8);
                *colour = Blobs([[bits & 1 != 0, bits & 2 != 0, bits & 4 != 0]; 3]).vector(Colour::Blue);
            }
        }
    }

    /// Ticks the original and the reduced tree with the same random senses, and checks that their goals are identical.
    fn compare(&mut self, original: &Tree, reduced: &Tree, ticks: u32) {
        let programs = [original, reduced].map(|tree| Program::compile(tree).unwrap());
        let mut memories = programs.each_ref().map(Memory::new);
        let mut senses = Senses::default();
        for tick in 0..ticks {
            self.senses(&mut senses);
            let mut goal = |i: usize| {
                let mut draws = Draws::new(1, 0, 0, tick, Stream::Controller);
                let goal = memories[i].tick(&programs[i], &senses, &mut draws).1;
                [goal.x.to_bits(), goal.y.to_bits()]
            };
            let (a, b) = (goal(0), goal(1));
            let what = || {
                let steps = reduce(original, WIDE).steps;
                let steps: Vec<String> =
                    steps.iter().map(|s| format!("{:?}: {} -> {}", s.rule, s.before, s.after)).collect();
                format!("tick {tick}\n{original}\n{reduced}\n{senses:?}\n{}", steps.join("\n"))
            };
            assert_eq!(a, b, "{}", what());
        }
    }
}

#[test]
fn random_trees_and_their_reductions_drive_alike() {
    let mut generator = Generator::new(1, true);
    for i in 0..6000 {
        let tree = generator.tree(2 + i % 4, false);
        let tree = if i % 3 == 0 { tree.under_avoiding() } else { tree };
        let reduction = reduce(&tree, if i % 5 == 0 { NARROW } else { WIDE });
        assert!(reduction.tree.nodes().len() <= tree.nodes().len());
        generator.compare(&tree, &reduction.tree, 200);
    }
}

#[test]
fn full_trees_of_the_in_swarm_nodes_shrink() {
    let mut generator = Generator::new(2, false);
    let mut kept = 0.0;
    for i in 0..100 {
        let tree = generator.tree(4 + i % 2, true).under_avoiding();
        let reduction = reduce(&tree, NARROW);
        kept += reduction.tree.nodes().len() as f64 / tree.nodes().len() as f64;
        let arities = reduction.tree.nodes().iter().filter(|n| n.kind.spec().group == Group::Composite);
        assert!(arities.into_iter().all(|n| (2..=4).contains(&n.children)), "{}", reduction.tree);
        generator.compare(&tree, &reduction.tree, 200);
    }
    let reduction = 1.0 - kept / 100.0;
    assert!(reduction > 0.87, "mean reduction {reduction}");
}

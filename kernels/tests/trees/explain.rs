//! Tests of the explanations of trees: contents for known trees, and size limits for random trees.

use crate::random;
use xpuck_kernels::analysis::explain::{Item, explain, to_markdown, to_text};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::tree::{Group, Kind, Memory, Node, Program, Senses, Tree};
use xpuck_kernels::world::physics::steer;
use xpuck_kernels::world::robot::Wheels;

/// Returns the explanation of a tree as text. Its lines are joined, so that phrases can be found across line breaks.
fn account(tree: &str) -> String {
    let text = to_text(&explain(&Tree::parse(tree).unwrap()), |_| None, |_, part| part.to_string());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn says(tree: &str, phrases: &[&str]) {
    let text = account(tree);
    for phrase in phrases {
        assert!(text.contains(phrase), "`{phrase}` is not in: {text}");
    }
}

#[test]
fn tree_806768_is_explained_as_the_thesis_does() {
    let phrases = [
        "which leaves 8.",
        "1. If an obstacle is in front (at the front left or front right), turn away from it on the spot.",
        "v_goal = -5 v_prox",
        "2. Otherwise, if the frisbee (blue) is dead ahead (within 7 deg of straight ahead)",
        "forward when it faces downfield (20.7) and left when upfield is on its left (6.55)",
        "v_goal.x = -20.7 v_up.x + v_blue.y, v_goal.y = v_prox.x + 6.55 v_up.y",
        "heading 180 (downfield) drive straight ahead, 0.092 m/s (0.092, 0.092)",
        "3. Otherwise, steer towards the frisbee (blue), biased 39 deg to the left (weights 12.3 : 1)",
        "v_goal = unit(39 deg) + 12.3 v_blue",
        "no blue circle to the left, radius 3 cm, 0.071 m/s",
    ];
    says(include_str!("../../../docs/trees/806768.bt"), &phrases);
    says(include_str!("../../../docs/trees/806768-evolved.bt"), &phrases[1..]);
}

/// Checks that the tables of an explanation agree with the program. Each row of a table describes a situation, and is
/// compared with a tick in this situation.
#[test]
fn tables_agree_with_the_interpreter() {
    let tree = Tree::parse(include_str!("../../../docs/trees/806768.bt")).unwrap();
    let program = Program::compile(&tree).unwrap();
    let side = Vec2::unit(18.7f32.to_radians());
    let blue = |when: &str| match when {
        "no blue" => Vec2::ZERO,
        "blue right" => vec2(side.x, -side.y),
        "blue centre and right" => vec2(1.0 + side.x, -side.y),
        "blue left" => side,
        "blue left and centre" => vec2(1.0 + side.x, side.y),
        _ => panic!("{when}"),
    };
    let up = |when: &str| {
        let degrees: f32 = when.trim_start_matches("heading ").split(' ').next().unwrap().parse().unwrap();
        Vec2::unit(-degrees.to_radians())
    };
    let account = explain(&tree);
    let [_, facing, else_] = account.root.children.as_slice() else { panic!("three rules") };
    assert_eq!((facing.cases.len(), else_.cases.len()), (5, 5));
    for (case, is_facing) in facing.cases.iter().map(|c| (c, true)).chain(else_.cases.iter().map(|c| (c, false))) {
        let mut senses = Senses::default();
        if is_facing {
            (senses.up, senses.colours[2]) = (up(&case.when), vec2(1.0, 0.0));
        } else {
            senses.colours[2] = blue(&case.when);
        }
        let (_, goal) = Memory::new(&program).tick(&program, &senses, &mut random::draws(1, 1));
        for (told, done) in case.wheels.into_iter().zip(steer(goal, &Wheels::default())) {
            assert!(
                (told - done).abs() < 1e-5,
                "{}: told {:?}, done {:?}",
                case.when,
                case.wheels,
                steer(goal, &Wheels::default())
            );
        }
    }
}

#[test]
fn explanation_omits_situations_handled_earlier() {
    let text = account(include_str!("../../../docs/trees/806768.bt"));
    let last = &text[text.find("3. Otherwise").unwrap()..];
    assert!(
        last.contains("blue left and centre") && !last.contains("blue centre circle"),
        "rule 2 has blue ahead: {last}"
    );
}

#[test]
fn registers_are_replaced_by_what_they_surely_hold() {
    says(
        "seq\n  movcv v_scr 90deg\n  rotav v_scr v_scr -90deg v_up\n  mulav v_goal v_scr 2 v_attr\n",
        &["v_goal = unit(90 deg) + turn(v_up, -90 deg) + 2 v_attr"],
    );
    // The value of v_scr is unknown, because an earlier update may have written it.
    let text = account(
        "sel\n  seq\n    bfront\n    mulav v_goal v_zero 1 v_scr\n  seq\n    mulav v_scr v_scr 1 v_up\n    failurel\n",
    );
    assert!(text.contains("v_goal = v_scr") && text.contains("set v_scr = v_up + v_scr"), "{text}");
    assert!(text.contains("keep their value until it is set again"), "{text}");
}

#[test]
fn first_goal_write_decides_explanation() {
    let text = account("seqm\n  movcv v_goal 0deg\n  movcv v_goal 90deg\n");
    assert!(text.contains("resuming at the one that was running"), "{text}");
    assert!(
        text.contains("199 deg/s (if an earlier rule has set v_goal: no effect, and the result is running)"),
        "{text}"
    );
    assert!(!account("seq\n  movcv v_goal 0deg\n  movcv v_goal 90deg\n").contains("90 deg"));
}

#[test]
fn chances_are_percentages() {
    let driving = |test: &str| format!("sel\n  seq\n    {test}\n    movcv v_goal 0deg\n  movcv v_goal 90deg\n");
    says(&driving("fixedprob 4"), &["If a chance of 27 % comes up, drive straight ahead"]);
    says(
        &driving("neighbour 1 2"),
        &["grows with the number of neighbours comes up (0: 12 %, 1: 27 %, 3: 73 %, 8: 99.8 %)"],
    );
    says(&driving("ifprob s_n -1 2"), &["falls with the number of neighbours comes up (0: 88 %"]);
    says(&driving("red -4"), &["If red (another robot) is seen and a chance of 73 % comes up"]);
    says(&driving("ifprob v_up.x 2 0.5"), &["1/(1 + exp(2 (0.5 - (v_up.x))))", "at 1: 73 %"]);
}

#[test]
fn conditions_are_explained_in_words() {
    let driving = |test: &str| format!("sel\n  seq\n    {test}\n    movcv v_goal 0deg\n  movcv v_goal 90deg\n");
    let cases = [
        ("bleft", "the frisbee (blue) is on the left (within 81 deg of straight left)"),
        ("bright", "the frisbee (blue) is on the right"),
        ("ifquad v_prox 2", "an obstacle is at the back left"),
        ("ifquad v_prox -4", "an obstacle is at the front left"),
        ("ifquad v_prox 0", "nothing is near"),
        ("ifquad v_blue 0", "the frisbee (blue) is not seen"),
        ("ifsect v_up 90deg 90deg", "upfield (+x) is within 45 deg of straight left"),
        ("ifsect v_attr -39deg 45deg", "the neighbours' centre is within 22 deg of 39 deg to the right"),
        ("invert\n      bleft", "it is not true that the frisbee (blue) is on the left"),
        ("ifsect s_ground 180deg 40deg", "If the floor is black, drive"),
        ("ifsect s_ground 0deg 40deg", "If the floor is white, drive"),
        ("ifquad s_ground 0", "If the floor is grey, drive"),
        ("invert\n      ifquad s_ground 0", "If it is not true that the floor is grey"),
        ("ifsect s_ground 0deg 0", "If the floor is grey, drive"),
        ("ifsect s_ground 90deg 10deg", "the floor has another shade than black, grey and white (never)"),
        ("ifprob s_ground 4 0.5", "depends on the floor comes up (black: 0.247 %, grey: 12 %, white: 88 %)"),
        ("ifsect s_n 0deg 45deg", "(s_n, 0) is within 22 deg of straight ahead"),
    ];
    for (test, phrase) in cases {
        says(&driving(test), &[phrase]);
    }
    says(
        &driving("sel\n      bleft\n      bright"),
        &["If the frisbee (blue) is on the left", " or the frisbee (blue) is on the right"],
    );
}

#[test]
fn memory_counting_and_changed_results_are_explained() {
    let cases = [
        (
            "seqm\n  repeati 50\n    upfield 1\n  upfield -1\n",
            "Once in each update, until it has succeeded 50 times: steer",
        ),
        ("seqm\n  repeatr 20\n    upfield 1\n  upfield -1\n", "succeeded a number of times drawn from 1 to 20"),
        (
            "sel\n  par 2\n    bleft\n    upfield 1\n    fixedprob 3\n  upfield -1\n",
            "All of these in every update; success if 2 succeed",
        ),
        ("seq\n  successd\n    avoiding\n  upfield 1\n", "report success, even if it failed"),
        (
            "sel\n  failed\n    seq\n      bleft\n      movcs v_goal.x 1\n  mulas v_goal.y v_up.x 1 v_up.y\n",
            "report failure, even if it succeeded",
        ),
        (
            "sel\n  invert\n    seq\n      bleft\n      movcv v_scr 90deg\n  mulav v_goal v_scr 1 v_up\n",
            "then report the opposite: failure if it succeeded, success if it failed",
        ),
        (
            "sel\n  bleft\n  upfield 1\n",
            "is on the left (within 81 deg of straight left), stop here: no later rule is tried",
        ),
        (include_str!("../../../docs/trees/explore.bt"), "the one that was running is resumed"),
        ("explore 20", "drawn from 1 to 20 (up to 2 s)"),
        ("attract 2", "With neighbours, steer away from obstacles and towards the neighbours' centre"),
        ("bsearch 90deg", "otherwise creep at a quarter of full speed with the goal straight left, and fail"),
    ];
    for (tree, phrase) in cases {
        says(tree, &[phrase]);
    }
}

#[test]
fn condition_only_tree_is_explained_as_not_driving() {
    says(
        include_str!("../../../docs/trees/bfront.bt"),
        &["Alone, this tree never moves the wheels. In a larger tree it succeeds if the frisbee"],
    );
}

/// Checks that all node indices of an explanation are valid and strictly ascending, and that its texts are of moderate
/// length.
fn check(item: &Item, nodes: usize, last: &mut Option<usize>) {
    assert!(item.node < nodes && last.is_none_or(|last| item.node > last), "{} after {last:?}", item.node);
    assert!(!item.text.is_empty() && item.text.len() < 2000 && item.cases.len() <= 40, "{}", item.text);
    *last = Some(item.node);
    item.children.iter().for_each(|child| check(child, nodes, last));
}

fn sound(tree: &Tree) -> String {
    let account = explain(tree);
    check(&account.root, account.tree.nodes().len(), &mut None);
    let text = to_text(&account, |_| None, |_, part| part.to_string());
    let markdown = to_markdown(&account, |node| Some(format!("node {node}")));
    let bound = 3000 * (account.tree.nodes().len() + 1);
    assert!(text.len() < bound && markdown.len() < bound, "{} bytes for\n{tree}", text.len());
    text
}

#[test]
fn every_node_kind_has_an_explanation() {
    for kind in Kind::outside_networks() {
        let spec = kind.spec();
        for i in 0..60 {
            let draws = &mut random::draws(500 + kind as u64, i);
            let steer = Tree::leaf(Kind::Upfield, &[1.0]);
            let subject = match spec.group {
                Group::Composite | Group::Decorator => {
                    let node: Node = random::node(kind, 1, draws);
                    let kids = [random::tree(1, draws), random::tree(2, draws)];
                    let kids = if spec.group == Group::Composite { &kids[..] } else { &kids[..1] };
                    Tree::inner(kind, &node.operands[..spec.operands.len()], kids)
                }
                _ => Tree::from_preorder(vec![random::node(kind, 0, draws)]),
            };
            for outer in [Kind::Seq, Kind::Sel, Kind::Seqm] {
                let text = sound(&Tree::inner(outer, &[], &[subject.clone(), steer.clone()]));
                assert!(!text.contains("`"), "no words for {}: {text}", spec.name);
            }
        }
    }
}

#[test]
fn random_trees_have_bounded_explanations() {
    for i in 0..4000 {
        sound(&random::tree(2 + i % 5, &mut random::draws(77, i)));
    }
}

#[test]
fn largest_trees_have_bounded_explanations() {
    let deep = (0..63).fold(Tree::leaf(Kind::Avoiding, &[]), |tree, i| {
        Tree::inner(if i % 2 == 0 { Kind::Seqm } else { Kind::Selm }, &[], &[tree, Tree::leaf(Kind::Explore, &[9.0])])
    });
    sound(&deep);
    let sums = Tree::inner(Kind::Seq, &[], &vec![Tree::leaf(Kind::Mulas, &[17.0, 17.0, 1e30, 17.0]); 2000]);
    sound(&Tree::inner(Kind::Seq, &[], &[sums, Tree::leaf(Kind::Mulas, &[2.0, 16.0, 1.0, 17.0])]));
}

/// Checks that a sense with a low weight in both components of a vector is listed once.
#[test]
fn low_weight_sense_is_listed_once() {
    let tree = "seq\n  mulas v_scr.x v_zero.x 5 v_up.x\n  mulas v_scr.x v_scr.x 0.125 v_up.y\n  \
                mulas v_scr.y v_zero.x 0.25 v_up.y\n  mulav v_goal v_scr 1 v_zero\n";
    says(tree, &["; v_up.y matters little (at most 0.25 against 5)"]);
}

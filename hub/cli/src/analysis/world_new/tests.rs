//! Tests of the texts of new worlds.

use super::answers::{Answers, Arena, Goal};
use super::text::world;
use xpuck_experiment::world_file;
use xpuck_kernels::world::Task;

const GOALS: [Goal; 8] =
    [Goal::Gather, Goal::Forage, Goal::Home, Goal::Explore, Goal::Cover, Goal::Gate, Goal::Spread, Goal::Cluster];

/// Checks that answers give a valid world.
fn check(answers: &Answers) {
    let text = world(answers);
    let spec = world_file::parse("new", &text).unwrap_or_else(|error| panic!("{answers:?}: {error}\n{text}"));
    assert!(matches!(spec.task, Task::Objective(_)) && spec.robots == answers.robots, "{text}");
    assert!(!text.contains("\n\n\n") && text.contains(&format!("--seconds {}", answers.seconds)), "{text}");
}

#[test]
fn every_answer_gives_a_valid_world() {
    let arenas = [
        Arena::Polygon { sides: 12, inradius: 1.23 },
        Arena::Polygon { sides: 3, inradius: 0.9 },
        Arena::Rectangle { length: 3.0, width: 2.0 },
        Arena::Rectangle { length: 1.5, width: 1.0 },
    ];
    for goal in GOALS {
        for arena in arenas {
            for is_end in [true, false] {
                check(&Answers { goal, spots: 2, robots: 20, arena, is_end, seconds: 120.0 });
            }
        }
    }
    let arena = arenas[0];
    for spots in 1..=4 {
        check(&Answers { goal: Goal::Gather, spots, robots: 20, arena, is_end: true, seconds: 60.0 });
        check(&Answers { goal: Goal::Forage, spots: spots.min(3), robots: 20, arena, is_end: true, seconds: 60.0 });
    }
}

#[test]
fn smallest_and_largest_arenas_have_room() {
    for goal in GOALS {
        // The smallest arenas that the questions allow.
        for (robots, arena) in [
            (2, Arena::Polygon { sides: 12, inradius: 0.3 }),
            (20, Arena::Polygon { sides: 12, inradius: 0.62 }),
            (256, Arena::Polygon { sides: 12, inradius: 2.19 }),
            (256, Arena::Rectangle { length: 20.0, width: 0.77 }),
            (256, Arena::Rectangle { length: 3.92, width: 3.92 }),
            (20, Arena::Rectangle { length: 20.0, width: 20.0 }),
        ] {
            check(&Answers { goal, spots: 1, robots, arena, is_end: false, seconds: 1.0 });
        }
    }
}

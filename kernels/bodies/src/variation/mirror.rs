//! Bodies that are mirror-symmetric with respect to the walking direction. Only one half of such a body evolves.
//!
//! The mirror is the plane x = 0, which contains the root and the walking direction y. A half consists of the parts in
//! the plane and the parts in front of it (x > 0). The whole body also has the images of these front parts behind the
//! plane.
//!
//! An instruction with id `i` in the half has id `2 i` in the whole body, and its image has id `2 i + 1`. The ids of an
//! instruction and of its image therefore stay the same when other parts of the body evolve.

use crate::part::{Axis, Direction};
use crate::{Brain, Plan, Prif};
use std::collections::BTreeMap;

/// Returns the whole body of a half. Returns `None` if an instruction of the half leads from the plane to a part behind
/// it, or if ids are too large.
///
/// Each key is the direction of its instruction, so halves that differ only in keys give the same body.
pub fn mirrored_body(half: &Prif) -> Option<Prif> {
    let mut next = Vec::with_capacity(half.next.len() + 1);
    for (_, one) in &half.next {
        match one.direction {
            Direction::Back => return None,
            Direction::Front => {
                next.push((Direction::Front, mirrored_limb(one, false)?));
                next.push((Direction::Back, mirrored_limb(one, true)?));
            }
            direction => next.push((direction, mirrored_body(one)?)),
        }
    }
    Some(Prif { id: half.id.checked_mul(2)?, next, ..half.clone() })
}

/// Returns the half of a whole body; `None` if the body is not mirror-symmetric in the form of [`mirrored_body`].
pub fn half_of_body(body: &Prif) -> Option<Prif> {
    let half = half_of(body);
    (mirrored_body(&half).as_ref() == Some(body)).then_some(half)
}

fn half_of(body: &Prif) -> Prif {
    let next = body.next.iter().filter(|(_, one)| one.direction != Direction::Back);
    let next = next.map(|(key, one)| {
        let one = if one.direction == Direction::Front { numbered_as_half(one) } else { half_of(one) };
        (*key, one)
    });
    Prif { id: body.id / 2, next: next.collect(), ..body.clone() }
}

fn numbered_as_half(body: &Prif) -> Prif {
    let next = body.next.iter().map(|(key, one)| (*key, numbered_as_half(one)));
    Prif { id: body.id / 2, next: next.collect(), ..body.clone() }
}

fn reflected(direction: Direction) -> Direction {
    match direction {
        Direction::Front => Direction::Back,
        Direction::Back => Direction::Front,
        along => along,
    }
}

/// Returns a limb in front of the plane with the ids of the whole body. If `image` is set, returns the image of this
/// limb behind the plane.
fn mirrored_limb(limb: &Prif, image: bool) -> Option<Prif> {
    let next = limb.next.iter().map(|(key, one)| Some((*key, mirrored_limb(one, image)?)));
    Some(Prif {
        id: limb.id.checked_mul(2)?.checked_add(image.into())?,
        direction: if image { reflected(limb.direction) } else { limb.direction },
        next: next.collect::<Option<_>>()?,
        ..limb.clone()
    })
}

/// Returns the brain of a whole body, made mirror-symmetric. A synapse of a neuron behind the plane gets the weight of
/// the mirrored synapse in front of the plane. Under reflection, a rotation about x keeps its sign, and a rotation
/// about y or z changes its sign.
///
/// Joints in the plane with axis y or z get weights of 0, because they would bend the body sideways.
pub fn mirror_brain(plan: &Plan, brain: &Brain) -> Brain {
    let parts = plan.parts();
    let at: BTreeMap<[i32; 3], usize> = parts.iter().enumerate().map(|(part, one)| (one.cell, part)).collect();
    let image = |part: usize| {
        let [x, y, z] = parts[part].cell;
        at.get(&[-x, y, z]).copied().unwrap_or(part)
    };
    let sensors: Vec<usize> = plan.sensors().collect();
    let neuron: BTreeMap<usize, usize> = sensors.iter().enumerate().map(|(neuron, part)| (*part, neuron)).collect();
    let first_motor = plan.motors().start;
    let mut mirrored = brain.clone();
    for (sensor, &feels) in sensors.iter().enumerate() {
        let twin = neuron.get(&image(feels)).copied().unwrap_or(sensor);
        for part in plan.motors() {
            let motor = part - first_motor;
            let turns_back = if parts[part].axis == Axis::X { 1.0 } else { -1.0 };
            let weight = match parts[part].cell[0].signum() {
                1 => continue,
                -1 => turns_back * brain.weight(twin, image(part) - first_motor),
                _ if turns_back < 0.0 => 0.0,
                _ if parts[feels].cell[0] < 0 => brain.weight(twin, motor),
                _ => continue,
            };
            mirrored.weights[sensor * brain.motors + motor] = weight;
        }
    }
    mirrored
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variation::{MutationRules, random_body};
    use crate::{EvaluationConditions, Rhythm, Robot, Start};
    use xpuck_kernels::random::{Draws, Stream};

    fn draws(seed: u64) -> Draws {
        Draws::new(seed, 0, 0, 0, Stream::Evolution)
    }

    const LIZARD: &str = "(CPG(0), [FRONT, 1, Y], {LEFT: (S(1), [LEFT, 2, X], {FRONT: (B(2), [FRONT, 1, Z], None)}), \
        FRONT: (B(3), [FRONT, 1, Y], {BOTTOM: (S(4), [BOTTOM, 1, X], None)})})";

    #[test]
    fn mirrored_body_is_symmetric_and_halves_back() {
        let half_body = Prif::parse(LIZARD).unwrap();
        let body = mirrored_body(&half_body).unwrap();
        let plan = Plan::new(&body).unwrap();
        let cells: Vec<_> = plan.parts().iter().map(|part| part.cell).collect();
        assert_eq!(cells.len(), 1 + 2 + 2 * 3, "{cells:?}");
        assert!(cells.iter().all(|[x, y, z]| cells.contains(&[-x, *y, *z])), "{cells:?}");
        assert_eq!(half_of_body(&body), Some(half_body.clone()));
        // A half is not a whole body. A half with a part directly behind the plane has no whole body.
        assert_eq!(half_of_body(&half_body), None);
        assert_eq!(
            mirrored_body(&Prif::parse("(CPG(0), [FRONT, 1, Y], {TOP: (B(1), [BACK, 1, X], None)})").unwrap()),
            None
        );
    }

    #[test]
    fn random_halves_come_back_from_their_wholes() {
        let mut made = 0;
        for seed in 0..200 {
            let Some(body) = mirrored_body(&random_body(12, MutationRules::Readme, &mut draws(seed))) else { continue };
            made += 1;
            let again = half_of_body(&body).unwrap();
            assert_eq!(mirrored_body(&again), Some(body));
        }
        assert!(made > 10, "{made}");
    }

    /// The body does not walk exactly straight. The solver processes the constraints one after another, and this order
    /// breaks the symmetry.
    #[test]
    fn mirrored_body_and_brain_start_straight_ahead() {
        let body = mirrored_body(&Prif::parse(LIZARD).unwrap()).unwrap();
        let plan = Plan::new(&body).unwrap();
        let mut sums = [0.0; 2];
        for seed in 0..20 {
            let drawn = Brain::random(&plan, &mut draws(seed));
            let brain = mirror_brain(&plan, &drawn);
            assert_eq!(mirror_brain(&plan, &brain), brain);
            let aside = |brain: &Brain| {
                let trial = EvaluationConditions { rhythm: Rhythm::Period(0.4), start: Start::OnGround };
                let mut robot = Robot::new(&plan, brain, trial).unwrap();
                let begin = robot.simulator().position()[0];
                (0..120).for_each(|_| robot.step());
                (robot.simulator().position()[0] - begin).abs()
            };
            sums[0] += aside(&brain);
            sums[1] += aside(&drawn);
        }
        assert!(sums[0] < sums[1] / 10.0, "{sums:?}");
    }
}

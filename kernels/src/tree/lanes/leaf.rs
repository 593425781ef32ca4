//! Leaves for sixteen robots; see [`tick::leaf`](crate::tree::tick::leaf).

use super::{DrawLanes, LANES, Lanes, Results, lanes_of, mask_of};
use crate::math::{Vec2, exp, vec2};
use crate::random::unit;
use crate::tree::nodes::{Kind, PROX_GAIN};
use crate::tree::program::Instruction;
use crate::tree::registers::{ACCESS, ATTR, Access, CELLS, GOAL, NEIGHBOURS, PROX, UP};
use crate::tree::tick::{SHORT, in_quadrant, in_sector};

type Cells = [Lanes; CELLS];

/// Ticks a leaf for the robots in the bit mask `robots`.
#[inline(always)]
pub(super) fn leaf(node: &Instruction, robots: u32, cells: &mut Cells, draws: &mut DrawLanes) -> Results {
    match node.kind {
        Kind::Movcs => write_scalar(cells, node.d, &[node.a; LANES], robots),
        Kind::Movcv => write_vector(cells, node.d, &[[node.a; LANES], [node.b; LANES]], robots),
        Kind::Mulas => {
            let (s1, s2) = (&cells[usize::from(node.s1)], &cells[usize::from(node.s2)]);
            let mut value = [0.0; LANES];
            for l in 0..LANES {
                value[l] = s1[l] + node.a * s2[l];
            }
            write_scalar(cells, node.d, &value, robots)
        }
        Kind::Mulav => {
            let (first, second) = (vector(cells, node.s1), vector(cells, node.s2));
            let mut value = [[0.0; LANES]; 2];
            for l in 0..LANES {
                let v = pair(first, l) + pair(second, l) * node.a;
                (value[0][l], value[1][l]) = (v.x, v.y);
            }
            write_vector(cells, node.d, &value, robots)
        }
        Kind::Rotav => {
            let (first, second) = (vector(cells, node.s1), vector(cells, node.s2));
            let mut value = [[0.0; LANES]; 2];
            for l in 0..LANES {
                let v = pair(first, l) + pair(second, l).rotate(vec2(node.a, node.b));
                (value[0][l], value[1][l]) = (v.x, v.y);
            }
            write_vector(cells, node.d, &value, robots)
        }
        Kind::Ifprob => {
            let s = &cells[usize::from(node.s1)];
            let words = draws.word(robots);
            let mut holds = [0; LANES];
            for l in 0..LANES {
                holds[l] = u32::from(unit(words[l]) < 1.0 / (1.0 + exp(node.a * (node.b - s[l]))));
            }
            test(&holds, robots)
        }
        Kind::Ifquad => {
            let v = vector(cells, node.s1);
            let quadrant = node.a as i32;
            let mut holds = [0; LANES];
            for l in 0..LANES {
                holds[l] = u32::from(in_quadrant(pair(v, l), quadrant));
            }
            test(&holds, robots)
        }
        Kind::Ifsect => {
            let v = vector(cells, node.s1);
            let mut holds = [0; LANES];
            if node.b == 0.0 {
                for l in 0..LANES {
                    holds[l] = u32::from(pair(v, l).length() < SHORT);
                }
            } else {
                for l in 0..LANES {
                    holds[l] = u32::from(in_sector(pair(v, l), node.a, node.b));
                }
            }
            test(&holds, robots)
        }
        Kind::Successl | Kind::Signal => Results { success: robots, ..Results::default() },
        Kind::Upfield => {
            let goal = towards(cells, UP, node.a);
            write_vector(cells, GOAL as u8, &goal, robots)
        }
        Kind::Attract => {
            let mut goal = towards(cells, ATTR, node.a);
            for l in 0..LANES {
                let company = cells[NEIGHBOURS][l] > 0.0;
                goal[0][l] = if company { goal[0][l] } else { 1.0 };
                goal[1][l] = if company { goal[1][l] } else { 0.0 };
            }
            write_vector(cells, GOAL as u8, &goal, robots)
        }
        _ => Results { failure: robots, ..Results::default() },
    }
}

/// Returns the two cells of a vector register.
#[inline(always)]
fn vector(cells: &Cells, cell: u8) -> [&Lanes; 2] {
    let cell = usize::from(cell & !1);
    [&cells[cell], &cells[cell + 1]]
}

#[inline(always)]
fn pair(v: [&Lanes; 2], l: usize) -> Vec2 {
    vec2(v[0][l], v[1][l])
}

/// Computes goal velocities as the vector at `cell` times `gain`, minus v_prox times [`PROX_GAIN`]. The second term
/// steers the robots away from obstacles.
#[inline(always)]
fn towards(cells: &Cells, cell: usize, gain: f32) -> [Lanes; 2] {
    let (v, prox) = (vector(cells, cell as u8), vector(cells, PROX as u8));
    let mut goal = [[0.0; LANES]; 2];
    for l in 0..LANES {
        let g = pair(v, l) * gain - pair(prox, l) * PROX_GAIN;
        (goal[0][l], goal[1][l]) = (g.x, g.y);
    }
    goal
}

#[inline(always)]
fn test(holds: &[u32; LANES], robots: u32) -> Results {
    let success = mask_of(holds) & robots;
    Results { success, failure: robots & !success, running: 0 }
}

#[inline(always)]
fn write_scalar(cells: &mut Cells, cell: u8, value: &Lanes, robots: u32) -> Results {
    let cell = usize::from(cell);
    if cell & !1 == GOAL {
        let mut free = [0; LANES];
        for l in 0..LANES {
            free[l] = u32::from(cells[cell][l].is_nan());
        }
        let success = mask_of(&free) & robots;
        set(&mut cells[cell], value, success);
        return Results { success, failure: 0, running: robots & !success };
    }
    write(cells, cell, value, robots);
    Results { success: robots, ..Results::default() }
}

#[inline(always)]
pub(super) fn write_vector(cells: &mut Cells, cell: u8, value: &[Lanes; 2], robots: u32) -> Results {
    let cell = usize::from(cell & !1);
    if cell == GOAL {
        let mut free = [0; LANES];
        for l in 0..LANES {
            free[l] = u32::from(cells[GOAL][l].is_nan() & cells[GOAL + 1][l].is_nan());
        }
        let success = mask_of(&free) & robots;
        set(&mut cells[GOAL], &value[0], success);
        set(&mut cells[GOAL + 1], &value[1], success);
        return Results { success, failure: 0, running: robots & !success };
    }
    write(cells, cell, &value[0], robots);
    write(cells, cell + 1, &value[1], robots);
    Results { success: robots, ..Results::default() }
}

#[inline(always)]
fn write(cells: &mut Cells, cell: usize, value: &Lanes, robots: u32) {
    if ACCESS[cell] == Access::Scratch {
        set(&mut cells[cell], value, robots);
    }
}

#[inline(always)]
fn set(cell: &mut Lanes, value: &Lanes, robots: u32) {
    let on = lanes_of(robots);
    for l in 0..LANES {
        cell[l] = if on[l] != 0 { value[l] } else { cell[l] };
    }
}

//! Generator of the WGSL source: constants from the Rust sources, the files of the stages, and unrolled loops.

use super::code::{FIRST_JUMP, FIRST_NEURON, JUMP_COUNT, JUMP_COUNTED, JUMP_END, JUMP_FLAG, JUMP_REPEATED, JUMP_SET};
use super::layout::{CONTACT_WORDS, HEADER, LaneWork, Layout, MAX_BODIES, MAX_PATCHES, NODE_WORDS, QUANTITIES};
use super::params::{
    SWITCH_CAMERA, SWITCH_GROUND, SWITCH_GROUND_ERRORS, SWITCH_LIGHT, SWITCH_MESSAGES, SWITCH_NEIGHBOURS,
    SWITCH_PICTURES, SWITCH_PROXIMITY, SWITCH_RELOCATION, SWITCH_TAGS, SWITCH_WALLS_BLOCK, TASK_AGGREGATION,
    TASK_COVERAGE, TASK_DISPERSION, TASK_FORAGING, TASK_OBJECTIVE,
};
use super::region::{self, SHAPE_BEYOND, SHAPE_HALF_PLANE, SHAPE_RING, SHAPE_ROUNDED, SHAPE_WORDS};
use super::robot::RobotConstants;
use super::{floor, objective};
use crate::math::coefficients as c;
use crate::tree::registers as cells;
use crate::tree::{Kind, Status};
use crate::world::floor::SENSOR_AHEAD;
use crate::world::senses::COLUMNS_PER_SEGMENT;
use crate::world::senses::camera_model::{DELAY_BIT, PICTURE_BITS, PICTURES, THRICE};
use crate::world::senses::light::MAX_LIGHTS;
use crate::world::senses::tags::{self, MAX_TAGS};
use crate::{model, random, tree};
use std::f32::consts;
use std::fmt::Write;

/// Capacity of the list of robots in reach of a robot's proximity rays. Without overlap, at most eight robots are in
/// reach.
const MOST_NEAR: usize = 16;

/// Source files of the stages.
const STAGES: [&str; 17] = [
    include_str!("../../../wgsl/state.wgsl"),
    include_str!("../../../wgsl/own.wgsl"),
    include_str!("../../../wgsl/math.wgsl"),
    include_str!("../../../wgsl/random.wgsl"),
    include_str!("../../../wgsl/integrate.wgsl"),
    include_str!("../../../wgsl/contacts.wgsl"),
    include_str!("../../../wgsl/proximity.wgsl"),
    include_str!("../../../wgsl/camera.wgsl"),
    include_str!("../../../wgsl/light.wgsl"),
    include_str!("../../../wgsl/tags.wgsl"),
    include_str!("../../../wgsl/region.wgsl"),
    include_str!("../../../wgsl/objective.wgsl"),
    include_str!("../../../wgsl/ground.wgsl"),
    include_str!("../../../wgsl/messages.wgsl"),
    include_str!("../../../wgsl/task.wgsl"),
    include_str!("../../../wgsl/tick.wgsl"),
    include_str!("../../../wgsl/advance.wgsl"),
];

/// Returns the kernel source for a layout and a robot model.
pub(super) fn source(layout: &Layout, robot: &RobotConstants) -> String {
    let mut text = String::new();
    for (name, value) in integers(layout).into_iter().chain(robot.integers()) {
        let _ = writeln!(text, "const {name}: u32 = {value}u;");
    }
    for (name, value) in floats().into_iter().chain(robot.floats()) {
        let _ = writeln!(text, "const {name}: f32 = {value:?};");
    }
    let lane = match layout.lane {
        LaneWork::Body => include_str!("../../../wgsl/lane_body.wgsl"),
        LaneWork::World => include_str!("../../../wgsl/lane_world.wgsl"),
    };
    for stage in STAGES.into_iter().chain([lane]) {
        text.push_str(stage);
        text.push('\n');
    }
    philox_written_out(&mut text, "philox", random::PHILOX_ROUNDS);
    philox_written_out(&mut text, "motion_words", random::MOTION_ROUNDS);
    text
}

/// Appends a function with the Philox rounds as an unrolled loop, because some software adapters limit loop
/// iterations.
fn philox_written_out(text: &mut String, name: &str, rounds: usize) {
    let _ = writeln!(text, "fn {name}(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {{\n    var c = counter;");
    for round in 0..rounds {
        let _ = writeln!(text, "    c = philox_round(c, key + {round}u * vec2(PHILOX_BUMP_0, PHILOX_BUMP_1));");
    }
    text.push_str("    return c;\n}\n");
}

/// Returns the names and values of the integer constants.
fn integers(layout: &Layout) -> Vec<(String, u32)> {
    let sizes = [
        ("CAPACITY", layout.capacity),
        ("WORKGROUP", layout.workgroup),
        ("OWN_BODIES", layout.own()),
        ("MOST_CONTACTS", layout.contacts()),
        ("CONTACT_WORDS", CONTACT_WORDS),
        ("CONTACTS_WORDS", layout.contact_words()),
        ("TOUCH_WORDS", layout.touch_words()),
        ("BUSY_WORDS", layout.touch_words() * layout.capacity),
        ("ROBOT_WORDS", layout.robot_words()),
        ("MOST_NEAR", MOST_NEAR),
        ("MOST_BODIES", MAX_BODIES),
        ("NODE_WORDS", NODE_WORDS),
        ("MAX_PATCHES", MAX_PATCHES),
        ("MAX_WALLS", MAX_PATCHES),
        ("MAX_LIGHTS", MAX_LIGHTS),
        ("MAX_TAGS", MAX_TAGS),
        ("HEADER_WORDS", HEADER.len()),
        ("QUANTITIES", QUANTITIES.len()),
        ("RAYS", model::PROX_ANGLES.len()),
        ("CONTACT_ITERATIONS", model::CONTACT_ITERATIONS),
        ("CAMERA_COLUMNS", model::CAMERA_COLUMNS),
        ("COLUMNS_PER_SEGMENT", COLUMNS_PER_SEGMENT),
        ("RELOCATION_TRIES", model::RELOCATION_TRIES),
        ("CELLS", cells::CELLS),
        ("CELL_GOAL", cells::GOAL),
        ("CELL_PROX", cells::PROX),
        ("CELL_UP", cells::UP),
        ("CELL_ATTR", cells::ATTR),
        ("CELL_RED", cells::RED),
        ("CELL_NEIGHBOURS", cells::NEIGHBOURS),
        ("CELL_SCRATCH_FIRST", cells::NEIGHBOURS + 1),
        ("CELL_SCRATCH_END", cells::SCRATCH + 2),
        ("CELL_LIGHT", cells::LIGHT),
        ("CELL_TAG", cells::TAG),
        ("CELL_GROUND", cells::GROUND),
        ("SHAPE_WORDS", SHAPE_WORDS),
        ("ZONE_WORDS", objective::ZONE_WORDS),
        ("QUANTITY_WORDS", objective::QUANTITY_WORDS),
        ("OP_WORDS", objective::OP_WORDS),
        ("REDUCTION_WORDS", objective::REDUCTION_WORDS),
        ("REDUCED_WORDS", objective::REDUCED_WORDS),
        ("FIRST_ROBOT_WORD", objective::SCORE.len()),
        ("FLOOR_WORDS", floor::FLOOR_WORDS),
        ("PAINT_WORDS", floor::PAINT_WORDS),
    ]
    .map(|(name, value)| (name, value as u32));
    let words = [
        ("STEPS_PER_UPDATE", model::STEPS_PER_UPDATE),
        ("SLOW_SENSES_PERIOD", model::SLOW_SENSES_PERIOD),
        ("SWITCH_PROXIMITY", SWITCH_PROXIMITY),
        ("SWITCH_CAMERA", SWITCH_CAMERA),
        ("SWITCH_NEIGHBOURS", SWITCH_NEIGHBOURS),
        ("SWITCH_RELOCATION", SWITCH_RELOCATION),
        ("SWITCH_MESSAGES", SWITCH_MESSAGES),
        ("SWITCH_PICTURES", SWITCH_PICTURES),
        ("SWITCH_LIGHT", SWITCH_LIGHT),
        ("SWITCH_TAGS", SWITCH_TAGS),
        ("SWITCH_GROUND", SWITCH_GROUND),
        ("SWITCH_GROUND_ERRORS", SWITCH_GROUND_ERRORS),
        ("SWITCH_WALLS_BLOCK", SWITCH_WALLS_BLOCK),
        ("SHAPE_ROUNDED", SHAPE_ROUNDED),
        ("SHAPE_BEYOND", SHAPE_BEYOND),
        ("SHAPE_HALF_PLANE", SHAPE_HALF_PLANE),
        ("SHAPE_RING", SHAPE_RING),
        ("PICTURE_BITS", PICTURE_BITS),
        ("THRICE", THRICE),
        ("PICTURES", PICTURES),
        ("DELAY_BIT", DELAY_BIT),
        ("TASK_AGGREGATION", TASK_AGGREGATION),
        ("TASK_DISPERSION", TASK_DISPERSION),
        ("TASK_COVERAGE", TASK_COVERAGE),
        ("TASK_FORAGING", TASK_FORAGING),
        ("TASK_OBJECTIVE", TASK_OBJECTIVE),
        ("NO_CONDITION", region::NO_CONDITION),
        ("FIRST_JUMP", FIRST_JUMP),
        ("FIRST_NEURON", FIRST_NEURON),
        ("JUMP_END", JUMP_END),
        ("JUMP_SET", JUMP_SET),
        ("JUMP_FLAG", JUMP_FLAG),
        ("JUMP_REPEATED", JUMP_REPEATED),
        ("JUMP_COUNT", JUMP_COUNT),
        ("JUMP_COUNTED", JUMP_COUNTED),
        ("SUCCESS", Status::Success as u32),
        ("FAILURE", Status::Failure as u32),
        ("RUNNING", Status::Running as u32),
        ("RUNNING_FLAG", u32::from(tree::RUNNING_FLAG)),
        ("PAR_RUNNING", u32::from(tree::PAR_RUNNING)),
        ("STREAM_MOTION", random::Stream::Motion as u32),
        ("STREAM_CONTROLLER", random::Stream::Controller as u32),
        ("STREAM_MESSAGES", random::Stream::Messages as u32),
        ("STREAM_CAMERA", random::Stream::Camera as u32),
        ("STREAM_GROUND", random::Stream::Ground as u32),
        ("STREAM_RELOCATION", random::Stream::Relocation as u32),
        ("STREAM_WHEELS", random::Stream::Wheels as u32),
        ("STREAM_PROXIMITY", random::Stream::Proximity as u32),
        ("STREAM_LIGHT", random::Stream::Light as u32),
        ("STREAM_PACKETS", random::Stream::Packets as u32),
        ("STREAM_POINTS", random::Stream::Points as u32),
        ("PHILOX_FACTOR_0", random::PHILOX_FACTORS[0]),
        ("PHILOX_FACTOR_1", random::PHILOX_FACTORS[1]),
        ("PHILOX_BUMP_0", random::PHILOX_BUMPS[0]),
        ("PHILOX_BUMP_1", random::PHILOX_BUMPS[1]),
        ("NEXT_BLOCK", random::NEXT_BLOCK),
        ("SQRT_HALF_BITS", c::SQRT_HALF_BITS),
    ];
    let mut all: Vec<(String, u32)> = sizes.into_iter().chain(words).map(|(name, v)| (name.into(), v)).collect();
    let lists = [
        ("H", HEADER),
        ("Q", QUANTITIES),
        ("O", objective::FORMULA),
        ("S", objective::SCORE),
        ("R", objective::ROBOT_ROWS),
        ("K", objective::KINDS),
        ("OP", objective::OPS),
        ("REDUCE", objective::REDUCTIONS),
    ];
    for (prefix, names) in lists {
        all.extend(names.iter().zip(0..).map(|(name, i)| (format!("{prefix}_{name}"), i)));
    }
    all.extend(Kind::all().map(|kind| (format!("KIND_{}", kind.spec().name.to_uppercase()), kind as u32)));
    all
}

/// Returns the names and values of the floating-point constants.
fn floats() -> Vec<(String, f32)> {
    let numbers = [
        ("DT", model::DT),
        ("CONTROL_PERIOD", model::CONTROL_PERIOD),
        ("FRICTION_STEEPNESS", model::FRICTION_STEEPNESS),
        ("CONTACT_SOLVED", model::CONTACT_SOLVED),
        ("PENETRATION_SLOP", model::PENETRATION_SLOP),
        ("PENETRATION_CORRECTION", model::PENETRATION_CORRECTION),
        ("SENSOR_AHEAD", SENSOR_AHEAD),
        ("TAG_STEEPEST", tags::STEEPEST),
        ("TAG_HANGS", tags::OCCLUSION_LIMIT),
        ("NEIGHBOUR_MIN", model::NEIGHBOUR_MIN),
        ("RELOCATION_RADIUS", model::RELOCATION_RADIUS),
        ("SHORT", tree::SHORT),
        ("PROX_GAIN", tree::PROX_GAIN),
        ("UNIT_STEP", random::UNIT_STEP),
        ("FIVE_BYTES_MEAN", random::FIVE_BYTES[0]),
        ("FIVE_BYTES_SCALE", random::FIVE_BYTES[1]),
        ("PI", consts::PI),
        ("FRAC_PI_2", consts::FRAC_PI_2),
        ("FRAC_2_PI", consts::FRAC_2_PI),
        ("FRAC_1_SQRT_2", consts::FRAC_1_SQRT_2),
        ("LOG2_E", consts::LOG2_E),
        ("LN_2", consts::LN_2),
        ("EXP_LIMIT", c::EXP_LIMIT),
    ];
    let lists: [(&str, &[f32]); 7] = [
        ("QUARTER_TURN", &c::QUARTER_TURN),
        ("SIN", &c::SIN),
        ("COS", &c::COS),
        ("ATAN", &c::ATAN),
        ("EXP", &c::EXP),
        ("LN_2_PART", &c::LN_2_PARTS),
        ("LOG", &c::LN),
    ];
    let mut all: Vec<(String, f32)> = numbers.map(|(name, value)| (name.into(), value)).into();
    for (name, list) in lists {
        all.extend(list.iter().enumerate().map(|(i, value)| (format!("{name}_{i}"), *value)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::params::{
        BodyParams, FrictionParams, MessageParams, Params, PatchParams, RegionParams, TaskParams,
    };
    use super::*;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    use naga::{AddressSpace, Expression, Literal, Module, TypeInner};
    use std::mem::{offset_of, size_of};

    const LAYOUTS: [LaneWork; 2] = [LaneWork::Body, LaneWork::World];

    fn module(lane: LaneWork) -> Module {
        let source = source(&Layout::select(lane, 17, 8), &RobotConstants::default());
        naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)))
    }

    #[test]
    fn generated_kernels_pass_validation() {
        for lane in LAYOUTS {
            let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
            let source = source(&Layout::select(lane, 17, 8), &RobotConstants::default());
            validator.validate(&module(lane)).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
        }
    }

    /// Checks the shared memory without a driver, because not all drivers reject a workgroup with too much memory.
    #[test]
    fn workgroups_share_no_more_memory_than_a_raspberry_pi_has() {
        for (lane, bodies) in LAYOUTS.into_iter().flat_map(|lane| [9, 17, 40, MAX_BODIES].map(|most| (lane, most))) {
            let layout = Layout::select(lane, bodies, 16);
            let module = naga::front::wgsl::parse_str(&source(&layout, &RobotConstants::default())).unwrap();
            let shared = module.global_variables.iter().filter(|(_, v)| v.space == AddressSpace::WorkGroup);
            let bytes: u32 = shared.map(|(_, v)| module.types[v.ty].inner.size(module.to_ctx())).sum();
            assert!(bytes <= 16_384, "{layout:?}: {bytes}");
            assert!(bytes > 0 || lane == LaneWork::World, "{layout:?} shares nothing");
        }
    }

    #[test]
    fn constants_arrive_bit_by_bit() {
        let module = module(LaneWork::Body);
        let literal = |name: &str| {
            let constant = module.constants.iter().find(|(_, c)| c.name.as_deref() == Some(name));
            let (_, constant) = constant.unwrap_or_else(|| panic!("no constant {name}"));
            match module.global_expressions[constant.init] {
                Expression::Literal(Literal::F32(value)) => value.to_bits(),
                Expression::Literal(Literal::U32(value)) => value,
                ref other => panic!("{name} is {other:?}"),
            }
        };
        floats().iter().for_each(|(name, value)| assert_eq!(literal(name), value.to_bits(), "{name}"));
        integers(&Layout::select(LaneWork::Body, 17, 8))
            .iter()
            .for_each(|(name, value)| assert_eq!(literal(name), *value, "{name}"));
    }

    /// Returns the size of a WGSL struct (bytes), and the names and offsets of its members.
    fn layout(module: &Module, name: &str) -> (usize, Vec<(String, usize)>) {
        let found = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name));
        let (_, found) = found.unwrap_or_else(|| panic!("no struct {name}"));
        let TypeInner::Struct { members, span } = &found.inner else { panic!("{name} is no struct") };
        let member = |m: &naga::StructMember| (m.name.clone().unwrap_or_default(), m.offset as usize);
        (*span as usize, members.iter().map(member).collect())
    }

    macro_rules! assert_same_layout {
        ($module:expr, $type:ident { $($member:ident),+ $(,)? }) => {
            let members = vec![$((stringify!($member).to_string(), offset_of!($type, $member))),+];
            // `Pod` types have no padding. Equal names, offsets and sizes therefore mean equal layouts.
            assert_eq!(layout($module, stringify!($type)), (size_of::<$type>(), members));
        };
    }

    #[test]
    fn shared_structs_have_the_same_layout() {
        let module = module(LaneWork::Body);
        assert_same_layout!(
            &module,
            Params {
                robots,
                bodies,
                updates,
                patches,
                half_arena,
                mu,
                restitution,
                noise,
                nan,
                aside,
                walls,
                switches,
                contact_step,
                past_kept,
                worlds,
                batch,
                camera_misses,
                room_light,
                lights,
                tags,
                tag_range,
                floor,
                objective,
                memory,
                task,
                messages,
                rays,
                patch_list,
                wall_list,
                light_list,
                tag_list,
                footing,
                body,
            }
        );
        assert_same_layout!(&module, TaskParams { kind, size, columns, rows, nest, food });
        assert_same_layout!(&module, RegionParams { at, half, radius, beyond, unused });
        assert_same_layout!(
            &module,
            MessageParams {
                range,
                range_noise,
                bearing_noise,
                kept,
                loss_at_range,
                sender_lobe,
                receiver_lobe,
                opaque,
            }
        );
        assert_same_layout!(&module, FrictionParams { radius, arm, half_mass, strongest });
        assert_same_layout!(&module, BodyParams { inverse_mass, inverse_inertia, tall, colour });
        assert_same_layout!(&module, PatchParams { at, half_length, colour });
    }
}

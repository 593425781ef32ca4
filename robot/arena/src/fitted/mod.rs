//! Optional devices on a robot's I2C bus: inertial unit, battery converter, ground sensors, distance sensor, and range
//! and bearing board. Each device answers at its own address.

mod ads1015;
mod bno055;
mod erandb;
mod ground;
mod vl53l0x;

use crate::unkind::streams;
use ads1015::Ads1015;
use bno055::Bno055;
use erandb::Erandb;
use ground::Ground;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vl53l0x::Vl53l0x;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::random::{Draws, Stream, normal_pair};
use xpuck_kernels::world::floor::{Floor, SENSOR_AHEAD};
use xpuck_kernels::world::physics::Physics;
use xpuck_kernels::world::senses::ray_to_walls;
use xpuck_kernels::world::{Body, Pose};

/// Optional device of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fitted {
    /// Nine-axis inertial unit.
    Bno055,
    /// The Pi-puck board's converter for battery voltages.
    Ads1015,
    /// An e-puck's ground sensors.
    Ground,
    /// An e-puck2's distance sensor.
    Vl53l0x,
    /// An e-puck's range and bearing board.
    Erandb,
}

/// Maximum number of marks on the floor.
pub const MAX_MARKS: usize = 16;

/// A disc painted on the floor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Centre, x and y (m).
    pub at_m: [f32; 2],
    /// Radius (m), 0.005 to 5.
    pub radius_m: f32,
    /// Brightness (0 to 1).
    pub brightness: f32,
}

/// Points that the ground sensors measure, in the robot's frame (m): left, centre, right.
const GROUND_SENSOR_POINTS: [Vec2; 3] =
    [vec2(SENSOR_AHEAD, 0.009), vec2(SENSOR_AHEAD, 0.0), vec2(SENSOR_AHEAD, -0.009)];

/// Returns the brightness of the floor under a robot's left, centre and right ground sensor (0 to 1). `paint` is the paint
/// of the world with the bit mask of the conditions that hold.
pub(crate) fn floor_under_sensors(pose: &Pose, marks: &[Mark], paint: (&Floor, u32)) -> [f32; 3] {
    GROUND_SENSOR_POINTS.map(|look| floor(pose.at + look.rotate(Vec2::unit(pose.heading)), marks, paint))
}

/// Returns the distance from the front of robot `me` to the nearest wall or tall body straight ahead (m). The distance
/// sensor is above low bodies.
pub(crate) fn distance_ahead(bodies: &[Body], me: usize, physics: &Physics) -> f32 {
    let Body { pose, shape, .. } = bodies[me];
    let direction = Vec2::unit(pose.heading);
    let front = pose.at + direction * shape.radius;
    let mut nearest = ray_to_walls(front, direction, physics.half_arena).max(0.0);
    for wall in &physics.walls {
        let (along, start) = (wall.to - wall.from, wall.from - front);
        let cross = |a: Vec2, b: Vec2| a.x * b.y - a.y * b.x;
        let across = cross(direction, along);
        let (distance, part) = (cross(start, along) / across, cross(start, direction) / across);
        if across != 0.0 && distance >= 0.0 && (0.0..=1.0).contains(&part) {
            nearest = nearest.min(distance);
        }
    }
    for (_, other) in bodies.iter().enumerate().filter(|(i, body)| *i != me && body.shape.tall) {
        let to = other.pose.at - front;
        let (along, square) = (to.dot(direction), to.length_squared());
        let under = other.shape.radius * other.shape.radius - (square - along * along);
        if along > 0.0 && under > 0.0 {
            nearest = nearest.min((along - under.sqrt()).max(0.0));
        }
    }
    nearest
}

/// Returns the brightness of the floor at a position (0 to 1). Marks lie on the paint of the world. If marks overlap, the
/// last one is on top.
pub(crate) fn floor(at: Vec2, marks: &[Mark], (paint, active): (&Floor, u32)) -> f32 {
    let on = |mark: &&Mark| (at - vec2(mark.at_m[0], mark.at_m[1])).length() <= mark.radius_m;
    marks.iter().rev().find(on).map_or_else(|| paint.level(at, active), |mark| mark.brightness)
}

/// Physical quantities that the optional devices measure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Surroundings {
    /// Acceleration along the robot's x and y (m/s^2).
    pub acceleration: Vec2,
    /// Heading, counter-clockwise from +x (rad). In the arena, +x is magnetic north.
    pub heading: f32,
    /// Turn rate, counter-clockwise (rad/s).
    pub spin: f32,
    /// Battery voltage (V).
    pub battery: f32,
    /// Brightness of the floor under the left, centre and right ground sensor (0 to 1).
    pub floor: [f32; 3],
    /// Distance from the robot's front to the nearest obstacle ahead (m).
    pub ahead: f32,
}

/// The optional devices of one robot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Devices {
    imu: Option<Bno055>,
    converter: Option<Ads1015>,
    ground: Option<Ground>,
    distance: Option<Vl53l0x>,
    board: Option<Erandb>,
}

impl Devices {
    /// Creates the given devices in their state after power-up.
    pub fn new(fitted: &[Fitted]) -> Devices {
        let has = |device| fitted.contains(&device);
        Devices {
            imu: has(Fitted::Bno055).then(Bno055::default),
            converter: has(Fitted::Ads1015).then(Ads1015::default),
            ground: has(Fitted::Ground).then(Ground::default),
            distance: has(Fitted::Vl53l0x).then(Vl53l0x::default),
            board: has(Fitted::Erandb).then(Erandb::default),
        }
    }

    /// Resets the devices after a power loss.
    pub fn restart(&mut self) {
        self.imu.iter_mut().for_each(|device| *device = Bno055::default());
        self.converter.iter_mut().for_each(|device| *device = Ads1015::default());
        self.ground.iter_mut().for_each(|device| *device = Ground::default());
        self.distance.iter_mut().for_each(|device| *device = Vl53l0x::default());
        self.board.iter_mut().for_each(|device| *device = Erandb::default());
    }

    /// Updates the readings of all devices.
    pub fn update(&mut self, around: &Surroundings, chance: &mut Draws) {
        self.imu.iter_mut().for_each(|device| device.feel(around, chance));
        self.converter.iter_mut().for_each(|device| device.feel(around));
        self.ground.iter_mut().for_each(|device| device.feel(around, chance));
        self.distance.iter_mut().for_each(|device| device.feel(around, chance));
    }

    /// Removes and returns the word that the range and bearing board sends, with the word's reach (m); `None` without a
    /// word or a board.
    pub fn take_sent(&mut self) -> Option<(u16, f32)> {
        self.board.as_mut().and_then(Erandb::take_sent)
    }

    /// Passes a word to the range and bearing board. The word's sender is at `towards` in the robot's frame (m).
    pub fn hear(&mut self, word: u16, towards: Vec2, chance: &mut Draws) {
        self.board.iter_mut().for_each(|board| board.hear(word, towards, chance));
    }

    /// Performs one I2C transaction. Returns false if no device acknowledges the address.
    pub fn transfer(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        self.imu.as_mut().is_some_and(|device| device.transfer(address, write, read))
            || self.converter.as_mut().is_some_and(|device| device.transfer(address, write, read))
            || self.ground.as_mut().is_some_and(|device| device.transfer(address, write, read))
            || self.distance.as_mut().is_some_and(|device| device.transfer(address, write, read))
            || self.board.as_mut().is_some_and(|device| device.transfer(address, write, read))
    }
}

/// Returns random numbers for the devices of robot `robot` in step `now`.
pub(crate) fn chance(seed: u64, robot: u32, now: u32) -> Draws {
    Draws::new(seed, streams::FITTED, robot, now, Stream::Device)
}

/// Returns random numbers for a word that the board of robot `robot` receives from robot `from` in step `now`.
pub(crate) fn hearing(seed: u64, robot: u32, from: u32, now: u32) -> Draws {
    Draws::new(seed, streams::HEARING, robot << 16 | from, now, Stream::Device)
}

/// Draws a random number from a normal distribution with mean 0 and the given standard deviation.
fn noise(deviation: f32, chance: &mut Draws) -> f32 {
    deviation * normal_pair(chance.word(), chance.word()).0
}

/// Performs a transaction with a device of consecutive one-byte registers. The first written byte sets the pointer, and
/// further bytes are values. Each value that is written or read advances the pointer.
fn answer(pointer: &mut u8, write: &[u8], read: &mut [u8], mut set: impl FnMut(u8, u8), get: impl Fn(u8) -> u8) {
    if let [first, values @ ..] = write {
        *pointer = *first;
        for value in values {
            set(*pointer, *value);
            *pointer = pointer.wrapping_add(1);
        }
    }
    for byte in read {
        *byte = get(*pointer);
        *pointer = pointer.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::sensor_levels;
    use xpuck_kernels::world::Shape;
    use xpuck_registers::{ads1015 as converter, bno055 as imu, ground as floor_sensors, vl53l0x as tof};

    fn all() -> Devices {
        Devices::new(&[Fitted::Bno055, Fitted::Ads1015, Fitted::Ground, Fitted::Vl53l0x])
    }

    fn around() -> Surroundings {
        Surroundings {
            heading: 0.5,
            spin: -1.0,
            battery: 3.9,
            floor: [0.85, 0.1, 0.85],
            ahead: 0.4,
            ..Surroundings::default()
        }
    }

    #[test]
    fn imu_measures_only_in_fusion_mode() {
        let mut devices = all();
        let read = |devices: &mut Devices, register: u8, bytes: &mut [u8]| {
            assert!(devices.transfer(imu::ADDRESS, &[register], bytes));
        };
        let mut id = [0];
        read(&mut devices, imu::CHIP_ID.0, &mut id);
        assert_eq!(id[0], imu::CHIP_ID.1);
        devices.update(&around(), &mut sensor_levels::chance(1, 0, 1));
        let mut data = [1; imu::DATA_BYTES];
        read(&mut devices, imu::DATA, &mut data);
        assert_eq!(data, [0; imu::DATA_BYTES], "it is not set up");
        assert!(devices.transfer(imu::ADDRESS, &[imu::MODE, imu::MODE_FUSION], &mut []));
        devices.update(&around(), &mut sensor_levels::chance(1, 0, 2));
        read(&mut devices, imu::DATA, &mut data);
        let told = imu::Data::decode(&data);
        assert!((told.angles[0] - (std::f32::consts::TAU - 0.5)).abs() < 0.05, "clockwise from north: {told:?}");
        assert!((told.turn[2] + 1.0).abs() < 0.05 && (told.acceleration[2] - 9.8).abs() < 0.2, "{told:?}");
        assert!(told.magnetic[0] > 10.0 && told.magnetic[1] < 0.0, "north is ahead on the right: {told:?}");
    }

    #[test]
    fn adc_converts_selected_input() {
        let mut devices = all();
        devices.update(&around(), &mut sensor_levels::chance(1, 0, 1));
        let mut value = [0; 2];
        for (input, expected) in [(converter::BATTERY_INPUT, 3.9), (converter::AUXILIARY_INPUT, 0.0)] {
            let start = converter::write(converter::CONFIGURATION, converter::start(input));
            assert!(devices.transfer(converter::ADDRESS, &start, &mut []));
            assert!(devices.transfer(converter::ADDRESS, &[converter::CONFIGURATION], &mut value));
            assert!(u16::from_be_bytes(value) & converter::START != 0, "it is done");
            devices.transfer(converter::ADDRESS, &[converter::CONVERSION], &mut value);
            assert!((converter::volts(u16::from_be_bytes(value)) - expected).abs() < 0.005);
        }
    }

    #[test]
    fn floor_and_distance_sensors_report_readings() {
        let mut devices = all();
        devices.update(&around(), &mut sensor_levels::chance(1, 0, 1));
        let mut readings = [0; floor_sensors::BYTES];
        assert!(devices.transfer(floor_sensors::ADDRESS, &[floor_sensors::READINGS], &mut readings));
        let [left, centre, right] = floor_sensors::decode(&readings);
        assert!(left > 800 && centre < 150 && right > 800, "{left} {centre} {right}");
        let mut result = [0; tof::RESULT_BYTES];
        assert!(devices.transfer(tof::ADDRESS, &[tof::RESULT], &mut result));
        assert_eq!(tof::decode(&result), None, "nothing was measured");
        devices.transfer(tof::ADDRESS, &[tof::START, 1], &mut []);
        let mut done = [0];
        devices.transfer(tof::ADDRESS, &[tof::DONE], &mut done);
        assert_eq!(done[0] & tof::DONE_MASK, 0, "it takes a step");
        (2..4).for_each(|now| devices.update(&around(), &mut sensor_levels::chance(1, 0, now)));
        devices.transfer(tof::ADDRESS, &[tof::DONE], &mut done);
        devices.transfer(tof::ADDRESS, &[tof::RESULT], &mut result);
        assert!(done[0] & tof::DONE_MASK != 0 && (tof::decode(&result).unwrap() - 0.4).abs() < 0.05);
    }

    #[test]
    fn distance_ahead_is_to_nearest_wall_or_robot() {
        let robot = |x: f32, heading| Body::at_rest(Shape::ROBOT, Pose { at: vec2(x, 0.0), heading });
        let physics = Physics::default();
        let alone = distance_ahead(&[robot(0.0, 0.0)], 0, &physics);
        assert!((alone - (1.0 - 0.0375)).abs() < 1e-5, "{alone}");
        let two = [robot(0.0, 0.0), robot(0.5, 0.0)];
        assert!((distance_ahead(&two, 0, &physics) - (0.5 - 0.075)).abs() < 1e-5);
        assert!((distance_ahead(&two, 1, &physics) - (0.5 - 0.0375)).abs() < 1e-5, "the other is behind");
    }

    #[test]
    fn missing_device_does_not_acknowledge() {
        let marks = [
            Mark { at_m: [0.0, 0.0], radius_m: 0.1, brightness: 0.2 },
            Mark { at_m: [0.05, 0.0], radius_m: 0.02, brightness: 0.9 },
        ];
        let at = |x| floor(vec2(x, 0.0), &marks, (&Floor { level: 0.7, ..Floor::default() }, 0));
        assert_eq!([at(-0.05), at(0.05), at(0.3)], [0.2, 0.9, 0.7]);
        assert!(!Devices::new(&[Fitted::Ground]).transfer(imu::ADDRESS, &[0], &mut [0]));
    }
}

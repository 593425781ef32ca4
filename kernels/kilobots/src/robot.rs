//! Parameters of a Kilobot: body, motors, messages, and variation between robots (thesis 4.1, 4.2 and Table 4.4).

/// Duration of a physics step (s). The rate is 10 Hz (thesis 4.3.1).
pub const STEP: f32 = 0.1;
/// Number of updates over which density and distances are averaged (thesis 4.3).
pub const WINDOW: usize = 5;
/// Distance that a robot sends for a region to which the robot does not know a route (mm, thesis 4.3).
pub const UNKNOWN_DISTANCE: u32 = 500;

/// Maximum distance that a robot may drive in a step (m). Parameters of faster robots are rejected.
pub(super) const MAX_STEP: f32 = 0.002;
/// Maximum displacement of a robot by contacts in a step along each axis (m). Later steps resolve the remaining
/// overlap.
pub(super) const MAX_PUSH: f32 = 0.002;
/// Maximum decrease of the distance between two robots in a step (m). Both robots may drive, and contacts may push each
/// robot by up to sqrt(2) times [`MAX_PUSH`].
const MAX_APPROACH: f32 = 2.0 * (MAX_STEP + 1.415 * MAX_PUSH);
/// Maximum magnitude of noise and bias (standard deviations). Both are computed as sums of random bytes, so their
/// magnitude is limited.
const MOST_DEVIATIONS: f32 = 3.86;

/// Rule for the results of motor nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motors {
    /// Rule of thesis 4.3: a motor node such as `mf` turns the motors on, is running for one update, and then
    /// succeeds.
    #[default]
    RunThenSucceed,
    /// Rule of the original program (Kilobox, 2016): the first motor node of an update turns the motors on and
    /// succeeds. A second motor node in the same update is running until the next update.
    SucceedAtOnce,
}

/// Parameters of a Kilobot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kilobot {
    /// Radius of the robot's disc (m).
    pub radius: f32,
    /// Speed with both motors on (m/s).
    pub forward: f32,
    /// Turning rate with one motor on (rad/s).
    pub turn: f32,
    /// Speed of the axle's midpoint with one motor on (m/s).
    pub pivot: f32,
    /// Distance of the axle behind the centre (m). During a turn, the centre swings about the midpoint of the axle.
    /// The thesis does not mention this distance; the original program uses 0.005 m.
    pub axle: f32,
    /// Standard deviations of the noise of speed (m/s) and turning rate (rad/s) in each step.
    pub noise: [f32; 2],
    /// Standard deviations of the constant bias of a robot's speed (m/s) and turning rate (rad/s).
    pub bias: [f32; 2],
    /// Range of messages between the centres of robots (m).
    pub range: f32,
    /// Probability that a message in range is received.
    pub heard: f32,
    /// Minimum hop count at which a received route is no longer used. The thesis has no such limit. Without a limit,
    /// robots that have lost contact with a region would report ever longer routes to each other.
    pub most_hops: u32,
    /// Number of physics steps per controller update.
    pub steps: u32,
    /// Rule for the results of motor nodes.
    pub motors: Motors,
}

impl Default for Kilobot {
    /// Returns the robot of the thesis. Speeds and noise are those of section 4.3.1, and messages and updates are
    /// those of sections 4.2 and 4.3. The pivot speed is half the forward speed. The thesis does not state a hop
    /// limit; the default is that of the original program (Kilobox, 2016).
    fn default() -> Kilobot {
        Kilobot {
            radius: 0.0165,
            forward: 0.008,
            turn: 0.55,
            pivot: 0.004,
            axle: 0.0,
            noise: [0.001, 0.2],
            bias: [0.0013, 0.06],
            range: 0.1,
            heard: 0.95,
            most_hops: 7,
            steps: 5,
            motors: Motors::default(),
        }
    }
}

impl Kilobot {
    /// Returns the distance beyond which two robots cannot touch before the next update (m).
    pub(super) fn contact_range(&self) -> f32 {
        2.0 * self.radius + self.steps as f32 * MAX_APPROACH
    }

    /// Checks the parameters. The error is one line that states the fault and its remedy.
    pub fn check(&self) -> Result<(), String> {
        let along = self.forward.max(self.pivot) + MOST_DEVIATIONS * (self.noise[0] + self.bias[0]);
        let across = self.axle * (self.turn + MOST_DEVIATIONS * (self.noise[1] + self.bias[1]));
        let fastest = along.hypot(across);
        let Kilobot { forward, turn, pivot, axle, noise, bias, range, .. } = *self;
        let numbers = [forward, turn, pivot, axle, noise[0], noise[1], bias[0], bias[1], range];
        if numbers.iter().any(|x| !(0.0..=10.0).contains(x)) {
            return Err("robot: speeds, noise, bias and range must be 0 to 10 in SI units".into());
        }
        if !(0.001..=0.1).contains(&self.radius) {
            return Err(format!("robot: the radius is {} m; it must be 0.001 to 0.1 m", self.radius));
        }
        if fastest * STEP > MAX_STEP {
            let most = MAX_STEP / STEP;
            return Err(format!(
                "robot: the maximum speed with noise and bias is {fastest} m/s; it must be at most {most} m/s"
            ));
        }
        if self.range > 0.5 {
            return Err(format!("robot: the range is {} m; it must be at most 0.5 m", self.range));
        }
        if !(0.0..=1.0).contains(&self.heard) {
            return Err(format!("robot: the probability of hearing a message is {}; it must be 0 to 1", self.heard));
        }
        if !(1..=10).contains(&self.steps) {
            return Err(format!("robot: the number of steps per update is {}; it must be 1 to 10", self.steps));
        }
        if !(1..=64).contains(&self.most_hops) {
            return Err(format!("robot: most_hops = {}; it must be 1 to 64", self.most_hops));
        }
        Ok(())
    }
}

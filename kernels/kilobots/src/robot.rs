//! A Kilobot as data: its body, motors, messages and what of these varies (thesis 4.1, 4.2 and Table 4.4).

/// Time between physics steps, s (thesis 4.3.1: 10 Hz).
pub const STEP: f32 = 0.1;
/// Updates over which density and ways are averaged (4.3).
pub const WINDOW: usize = 5;
/// What a robot says of its way to a region that it knows nothing of, mm (4.3).
pub const UNKNOWN_WAY: u32 = 500;

/// How far a robot drives in a step at most, m; faster robots are refused.
pub(super) const MOST_DRIVEN: f32 = 0.002;
/// How far contacts move a robot in a step along each axis at most, m; what is left is for the next step.
pub(super) const MOST_PUSHED: f32 = 0.002;
/// How much closer two robots come in a step at most, m: each is driven, and pushed sqrt(2) times as far as along an axis.
const MOST_CLOSER: f32 = 2.0 * (MOST_DRIVEN + 1.415 * MOST_PUSHED);
/// How many standard deviations noise and bias stay within, which are sums of bytes.
const MOST_DEVIATIONS: f32 = 3.86;

/// When a motor's node succeeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motors {
    /// As section 4.3 says: `mf` turns the motors on and is running for one update, then it succeeds.
    #[default]
    RunThenSucceed,
    /// As the program of that time has it (Kilobox, 2016): the first motor node of an update turns the motors on and
    /// succeeds, a second one is running until the next update.
    SucceedAtOnce,
}

/// What kind of robot it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kilobot {
    /// Radius of its disc, m.
    pub radius: f32,
    /// Speed with both motors on, m/s.
    pub forward: f32,
    /// Rate of turning with one motor on, rad/s.
    pub turn: f32,
    /// Speed of its axle's middle with one motor on, m/s.
    pub pivot: f32,
    /// How far the axle lies behind the centre, m: when a robot turns, its centre swings about the axle's middle. The thesis
    /// has no such distance, the program of that time 0.005.
    pub axle: f32,
    /// Standard deviations of the noise in each step, m/s and rad/s.
    pub noise: [f32; 2],
    /// Standard deviations of what a robot always adds, m/s and rad/s.
    pub bias: [f32; 2],
    /// How far messages reach, centre to centre, m.
    pub range: f32,
    /// Probability that a message in range is received.
    pub heard: f32,
    /// Ways of so many hops and more are not told on. The thesis has no such limit; without one, robots that lost touch with a
    /// region tell each other ever longer ways to it.
    pub most_hops: u32,
    /// Physics steps from one update of the controller to the next.
    pub steps: u32,
    /// When a motor's node succeeds.
    pub motors: Motors,
}

impl Default for Kilobot {
    /// The robot of the thesis: speeds and noise of 4.3.1, messages and updates of 4.2 and 4.3. With one of two wheels standing
    /// the axle's middle has half the speed. How many hops count the thesis does not tell; it is as in the program of that
    /// time (Kilobox, 2016).
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
    /// Two robots further apart than this do not touch before the next update, m.
    pub(super) fn near(&self) -> f32 {
        2.0 * self.radius + self.steps as f32 * MOST_CLOSER
    }

    /// Says what is wrong with the robot, if anything is: one line with the remedy.
    pub fn check(&self) -> Result<(), String> {
        let along = self.forward.max(self.pivot) + MOST_DEVIATIONS * (self.noise[0] + self.bias[0]);
        let across = self.axle * (self.turn + MOST_DEVIATIONS * (self.noise[1] + self.bias[1]));
        let fastest = along.hypot(across);
        let Kilobot { forward, turn, pivot, axle, noise, bias, range, .. } = *self;
        let numbers = [forward, turn, pivot, axle, noise[0], noise[1], bias[0], bias[1], range];
        if numbers.iter().any(|x| !(0.0..=10.0).contains(x)) {
            return Err("robot: speeds, noise, bias and range are 0 to 10 in SI units".into());
        }
        if !(0.001..=0.1).contains(&self.radius) {
            return Err(format!("robot: radius {} m; 0.001 to 0.1 m are allowed", self.radius));
        }
        if fastest * STEP > MOST_DRIVEN {
            let most = MOST_DRIVEN / STEP;
            return Err(format!(
                "robot: with noise and bias it drives up to {fastest} m/s; at most {most} are allowed"
            ));
        }
        if self.range > 0.5 {
            return Err(format!("robot: range {} m; at most 0.5 m are allowed", self.range));
        }
        if !(0.0..=1.0).contains(&self.heard) {
            return Err(format!("robot: messages are heard with probability {}; 0 to 1 are allowed", self.heard));
        }
        if !(1..=10).contains(&self.steps) {
            return Err(format!("robot: {} steps an update; 1 to 10 are allowed", self.steps));
        }
        if !(1..=64).contains(&self.most_hops) {
            return Err(format!("robot: most_hops {}; 1 to 64 are allowed", self.most_hops));
        }
        Ok(())
    }
}

//! External controllers, which drive a robot instead of its tree. A program at the robot's own socket may take control
//! of the wheels in RUN. An operator may drive through the hub in every state except STOP, and has priority over a
//! program.
//!
//! A program's command is valid for [`HOLD`]. After this time, the wheels stop until the next command. Times are arena
//! time (s).

use xpuck_kernels::model::V_MAX;
use xpuck_kernels::world::physics::check_wheels;
use xpuck_wire::message::State;

/// Maximum validity of a command (s). If a controller fails, the wheels stop at most 0.3 s after its last command.
/// This time includes the control period of the slowest body, 0.05 s.
pub const HOLD: f64 = 0.25;
/// Time for which the wheels stay still after an operator's command has expired, before a tree or a program drives
/// again (s).
const HAND_OVER: f64 = 1.0;
/// Maximum length of a program's name (characters).
pub const MAX_NAME: usize = 32;

/// Number of lamps in the ring.
pub const LAMPS: usize = 15;

/// Red, green and blue components (0 to 255).
pub type Colour = [u8; 3];

/// Colours of the lamps in the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ring {
    /// One colour for all lamps.
    All(Colour),
    /// One colour for each lamp. Lamp i is at an angle of i x 24 degrees to the left of straight ahead.
    Each([Colour; LAMPS]),
}

/// Command for wheels and lamps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Command {
    /// Speeds of the left and right wheel over the floor (m/s). [`check_wheels`] defines the limits.
    pub wheels: [f32; 2],
    /// Colours of the lamps. `None`: the colours that show the robot's state.
    pub lamps: Option<Ring>,
}

impl Command {
    /// Returns the command with zero wheel speeds.
    fn standing(self) -> Command {
        Command { wheels: [0.0; 2], ..self }
    }
}

/// Request of a program at the robot's socket.
#[derive(Clone, Debug, PartialEq)]
pub enum ProgramRequest {
    /// Take control of the wheels under this name.
    Take(String),
    /// Drive with this command.
    Drive(Command),
    /// Send this text to the controller of another robot. The number identifies the robot in the swarm file, from 1.
    Tell(u16, String),
    /// An invalid request from a faulty program.
    Unreadable,
    /// Give control back to the tree.
    Release,
    /// The connection has ended.
    Gone,
}

/// Current driver of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// The robot's tree, if any.
    Tree,
    /// An operator, through the hub.
    Operator,
    /// The program with this connection number.
    Program(u32),
    /// No driver, because the connection of the program in control has ended.
    Lost,
}

/// A program in control of the wheels.
#[derive(Clone, Debug)]
struct ProgramSession {
    connection: u32,
    name: String,
    /// Last command, and the time at which it expires (s).
    command: Option<(f64, Command)>,
    /// Whether the connection ended before the program released the wheels.
    lost: bool,
    /// Whether the program's silence has been logged.
    told: bool,
}

/// Maximum number of log lines about programs in a burst, and interval after which one more line is allowed (s).
const LOG_BURST: f64 = 20.0;
const LOG_INTERVAL: f64 = 10.0;

/// Rate limiter for log lines about programs, so that no program can fill the log.
#[derive(Clone, Debug)]
struct LogLimiter {
    /// Number of log lines that are currently allowed.
    left: f64,
    counted: f64,
    unsaid: u64,
}

impl Default for LogLimiter {
    fn default() -> LogLimiter {
        LogLimiter { left: LOG_BURST, counted: 0.0, unsaid: 0 }
    }
}

impl LogLimiter {
    fn say(&mut self, now: f64, line: String) -> Option<String> {
        self.left = (self.left + (now - self.counted).max(0.0) / LOG_INTERVAL).min(LOG_BURST);
        self.counted = now;
        if self.left < 1.0 {
            self.unsaid += 1;
            return None;
        }
        self.left -= 1.0;
        match std::mem::take(&mut self.unsaid) {
            0 => Some(line),
            unsaid => Some(format!("{line} (and {unsaid} more lines about programs)")),
        }
    }
}

/// External controllers of a robot: an operator and a program.
#[derive(Clone, Debug, Default)]
pub struct External {
    lines: LogLimiter,
    seat: Option<ProgramSession>,
    /// Last command of an operator, and the time at which it expires (s).
    operator: Option<(f64, Command)>,
}

impl External {
    /// Handles a request of the program with this connection number. Returns a line for the log, if any.
    ///
    /// # Errors
    /// Returns the reason for a rejection. After an invalid drive command from the program in control, the wheels
    /// stop.
    pub fn on_request(
        &mut self,
        now: f64,
        state: State,
        connection: u32,
        said: ProgramRequest,
    ) -> Result<Option<String>, String> {
        let line = self.obey(now, state, connection, said)?;
        Ok(line.and_then(|line| self.lines.say(now, line)))
    }

    fn obey(
        &mut self,
        now: f64,
        state: State,
        connection: u32,
        said: ProgramRequest,
    ) -> Result<Option<String>, String> {
        let others = self.seat.as_ref().filter(|seat| seat.connection != connection && !seat.lost);
        if let (Some(seat), false) = (others, matches!(said, ProgramRequest::Gone | ProgramRequest::Unreadable)) {
            return Err(format!("`{}` controls the wheels", seat.name));
        }
        let mine = self.seat.as_mut().filter(|seat| seat.connection == connection);
        match (said, mine) {
            (ProgramRequest::Take(name), None) => {
                let line = format!("program `{name}` takes the wheels");
                self.seat = Some(ProgramSession { connection, name, command: None, lost: false, told: false });
                Ok(Some(line))
            }
            (ProgramRequest::Take(_), Some(_)) => Ok(None),
            (ProgramRequest::Drive(command), Some(seat)) => {
                // A new command replaces the previous command even if the new command is invalid.
                seat.command = None;
                check_wheels(command.wheels, V_MAX)?;
                if state != State::Run {
                    let state = format!("{state:?}").to_uppercase();
                    return Err(format!("the robot's state is {state}: programs can drive only in RUN"));
                }
                seat.command = Some((now + HOLD, command));
                let again = std::mem::take(&mut seat.told);
                Ok(again.then(|| format!("program `{}` drives again", seat.name)))
            }
            (ProgramRequest::Drive(_) | ProgramRequest::Tell(..), None) => {
                Err("this program does not control the wheels; take the wheels first".into())
            }
            // The caller checks whether the text can be delivered.
            (ProgramRequest::Tell(..), Some(_)) => Ok(None),
            (ProgramRequest::Unreadable, Some(seat)) => {
                seat.command = None;
                Ok(None)
            }
            (ProgramRequest::Release, Some(seat)) => {
                let line = format!("program `{}` releases the wheels", seat.name);
                self.seat = None;
                Ok(Some(line))
            }
            (ProgramRequest::Gone, Some(seat)) => {
                (seat.lost, seat.command) = (true, None);
                let name = &seat.name;
                Ok(Some(format!(
                    "connection of program `{name}` ended while it controlled the wheels; they stop until the hub's next directive"
                )))
            }
            (ProgramRequest::Release | ProgramRequest::Gone | ProgramRequest::Unreadable, None) => Ok(None),
        }
    }

    /// Executes an operator's command from `now` (s) for `hold` seconds.
    pub fn operate(&mut self, now: f64, command: Command, hold: f64) {
        self.operator = Some((now + hold.max(0.0), command));
    }

    /// Handles a new directive with the given state. Removes a program whose connection has ended, and cancels
    /// commands that the state does not allow.
    pub fn directed(&mut self, state: State) {
        self.seat = self.seat.take().filter(|seat| !seat.lost);
        if state == State::Stop {
            self.operator = None;
        }
        if let (Some(seat), true) = (&mut self.seat, state != State::Run) {
            seat.command = None;
        }
    }

    /// Cancels all commands because the hub is silent.
    pub fn halt(&mut self) {
        self.operator = None;
        if let Some(seat) = &mut self.seat {
            seat.command = None;
        }
    }

    /// Returns the current driver.
    pub fn driver(&self, now: f64) -> Driver {
        match (&self.operator, &self.seat) {
            (Some((until, _)), _) if now < until + HAND_OVER => Driver::Operator,
            (_, Some(seat)) if seat.lost => Driver::Lost,
            (_, Some(seat)) => Driver::Program(seat.connection),
            _ => Driver::Tree,
        }
    }

    /// Returns the current command of an external controller for wheels and lamps; `None` if the tree drives or the
    /// state does not allow a command.
    pub fn command(&self, now: f64, state: State) -> Option<Command> {
        let held = |held: &Option<(f64, Command)>| match held {
            Some((until, command)) if now < *until => *command,
            Some((_, command)) => command.standing(),
            None => Command::default(),
        };
        match self.driver(now) {
            Driver::Tree => None,
            _ if state == State::Stop => None,
            Driver::Operator => Some(held(&self.operator)),
            Driver::Program(_) if state == State::Run => self.seat.as_ref().map(|seat| held(&seat.command)),
            Driver::Program(_) => None,
            Driver::Lost => Some(Command::default()),
        }
    }

    /// Returns the time at which the current command expires (s); `None` without a valid command.
    pub fn until(&self, now: f64) -> Option<f64> {
        let seat = self.seat.as_ref().and_then(|seat| seat.command.as_ref());
        [self.operator.as_ref(), seat].into_iter().flatten().map(|(until, _)| *until).find(|until| now < *until)
    }

    /// Returns a line for the log if a driving program has become silent. Returns the line once per silence.
    pub fn silent(&mut self, now: f64) -> Option<String> {
        let seat = self.seat.as_mut()?;
        let silent = seat.command.is_some_and(|(until, _)| now >= until) && !std::mem::replace(&mut seat.told, true);
        let line = silent.then(|| format!("program `{}` sent no command for {HOLD} s; wheels stopped", seat.name))?;
        self.lines.say(now, line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AHEAD: Command = Command { wheels: [0.1, 0.1], lamps: Some(Ring::All([0, 9, 0])) };

    fn taken() -> External {
        let mut external = External::default();
        let line = external.on_request(0.0, State::Run, 1, ProgramRequest::Take("wander".into())).unwrap().unwrap();
        assert_eq!(line, "program `wander` takes the wheels");
        external
    }

    #[test]
    fn program_drives_only_in_run_and_command_expires() {
        let mut external = taken();
        assert_eq!(external.command(0.0, State::Run), Some(Command::default()), "it took, and said nothing yet");
        external.on_request(0.0, State::Run, 1, ProgramRequest::Drive(AHEAD)).unwrap();
        assert_eq!(external.command(0.2, State::Run), Some(AHEAD));
        assert_eq!((external.until(0.2), external.until(0.25)), (Some(0.25), None));
        for state in [State::Idle, State::Ready, State::Pause, State::Stop] {
            assert_eq!(external.command(0.2, state), None, "{state:?}");
            let why = external.clone().on_request(0.2, state, 1, ProgramRequest::Drive(AHEAD)).unwrap_err();
            assert!(why.contains(&format!("{state:?}").to_uppercase()), "{why}");
        }
        assert_eq!(external.command(0.25, State::Run), Some(AHEAD.standing()), "its lamps stay");
        assert!(external.silent(0.3).unwrap().contains("wander"));
        assert!(external.silent(0.4).is_none(), "said once");
        let again = external.on_request(0.5, State::Run, 1, ProgramRequest::Drive(AHEAD)).unwrap();
        assert_eq!((again.as_deref(), external.silent(0.6)), (Some("program `wander` drives again"), None));
    }

    #[test]
    fn repeated_take_and_release_is_rate_limited_in_log() {
        let mut external = External::default();
        let mut said = Vec::new();
        for i in 0..1000 {
            let now = f64::from(i) * 0.01;
            said.extend(external.on_request(now, State::Run, 1, ProgramRequest::Take("mad".into())).unwrap());
            said.extend(external.on_request(now, State::Run, 1, ProgramRequest::Release).unwrap());
        }
        assert!((20..23).contains(&said.len()), "{} lines", said.len());
        let later = external.on_request(60.0, State::Run, 1, ProgramRequest::Take("mad".into())).unwrap().unwrap();
        assert!(later.starts_with("program `mad` takes the wheels (and 19"), "{later}");
    }

    #[test]
    fn second_program_gets_wheels_after_first_releases() {
        let mut external = taken();
        for said in [ProgramRequest::Take("other".into()), ProgramRequest::Drive(AHEAD), ProgramRequest::Release] {
            assert_eq!(external.on_request(0.0, State::Run, 2, said).unwrap_err(), "`wander` controls the wheels");
        }
        assert_eq!(external.on_request(0.0, State::Run, 2, ProgramRequest::Gone), Ok(None));
        external.on_request(0.0, State::Run, 1, ProgramRequest::Release).unwrap();
        assert_eq!((external.driver(0.0), external.command(0.0, State::Run)), (Driver::Tree, None));
        assert_eq!(
            external.on_request(0.0, State::Run, 2, ProgramRequest::Drive(AHEAD)).unwrap_err(),
            "this program does not control the wheels; take the wheels first"
        );
        assert!(external.on_request(0.0, State::Run, 2, ProgramRequest::Take("other".into())).is_ok());
    }

    #[test]
    fn lost_program_stops_wheels_until_directive() {
        let mut external = taken();
        external.on_request(0.0, State::Run, 1, ProgramRequest::Drive(AHEAD)).unwrap();
        external.on_request(0.1, State::Run, 1, ProgramRequest::Gone).unwrap();
        assert_eq!((external.driver(9.0), external.command(0.1, State::Run)), (Driver::Lost, Some(Command::default())));
        let mut next = external.clone();
        next.on_request(1.0, State::Run, 2, ProgramRequest::Take("next".into())).unwrap();
        assert_eq!(next.driver(1.0), Driver::Program(2));
        external.directed(State::Run);
        assert_eq!(external.command(0.2, State::Run), None);
    }

    #[test]
    fn invalid_speeds_are_rejected_and_stop_wheels() {
        for speed in [f32::NAN, f32::INFINITY, -f32::INFINITY, 0.14, -1e30] {
            let mut external = taken();
            external.on_request(0.0, State::Run, 1, ProgramRequest::Drive(AHEAD)).unwrap();
            let wrong = Command { wheels: [0.0, speed], lamps: None };
            assert!(external.on_request(0.1, State::Run, 1, ProgramRequest::Drive(wrong)).unwrap_err().contains("m/s"));
            assert_eq!(external.command(0.1, State::Run), Some(Command::default()));
        }
        let mut external = taken();
        external.on_request(0.0, State::Run, 1, ProgramRequest::Drive(AHEAD)).unwrap();
        external.on_request(0.1, State::Run, 2, ProgramRequest::Unreadable).unwrap();
        assert_eq!(external.command(0.1, State::Run), Some(AHEAD), "another's rubbish");
        external.on_request(0.1, State::Run, 1, ProgramRequest::Unreadable).unwrap();
        assert_eq!(external.command(0.1, State::Run), Some(Command::default()));
    }

    #[test]
    fn operator_overrides_program_and_hands_over_with_delay() {
        let mut external = taken();
        external.on_request(0.0, State::Run, 1, ProgramRequest::Drive(AHEAD)).unwrap();
        let back = Command { wheels: [-0.05; 2], lamps: None };
        external.operate(0.0, back, 0.25);
        assert_eq!((external.driver(0.1), external.command(0.1, State::Pause)), (Driver::Operator, Some(back)));
        assert_eq!(external.command(0.1, State::Stop), None);
        assert_eq!(external.command(0.3, State::Run), Some(Command::default()), "it ended");
        external.on_request(1.2, State::Run, 1, ProgramRequest::Drive(AHEAD)).unwrap();
        assert_eq!(external.command(1.2, State::Run), Some(Command::default()), "not at once");
        assert_eq!(external.command(1.3, State::Run), Some(AHEAD));
        external.operate(2.0, back, 0.2);
        external.directed(State::Run);
        assert_eq!(external.command(2.0, State::Run), Some(back), "a segment that ends stops nobody");
        external.directed(State::Stop);
        assert_eq!(external.command(2.0, State::Pause), None);
    }
}

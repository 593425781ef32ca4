//! External controllers: what drives a robot besides its tree. A program at the robot's own socket may take the wheels in
//! RUN; an operator may drive through the hub in every state but STOP, and goes before a program.
//!
//! A command is good for [`HOLD`]; then the wheels stand until the next one. Times are s of arena time.

use xpuck_kernels::world::physics::check_wheels;
use xpuck_wire::message::State;

/// A command holds for so long at most, s. With the period of the slowest body, 0.05 s, wheels stand 0.3 s after the last
/// word of a controller that died.
pub const HOLD: f64 = 0.25;
/// After an operator's last command the wheels stand for so long before a tree or a program drives again, s.
const HAND_OVER: f64 = 1.0;
/// Longest name of a program, characters.
pub const MAX_NAME: usize = 32;

/// Lamps of the ring.
pub const LAMPS: usize = 15;

/// Red, green and blue, 0 to 255.
pub type Colour = [u8; 3];

/// What the lamps of the ring are to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ring {
    /// All the same.
    All(Colour),
    /// Each its own, lamp i at i x 24 degrees to the left of ahead.
    Each([Colour; LAMPS]),
}

/// What wheels and lamps are to do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Command {
    /// Speeds over the floor, left and right, m/s, as [`check_wheels`] has them.
    pub wheels: [f32; 2],
    /// What the lamps show; the state's own without it.
    pub lamps: Option<Ring>,
}

impl Command {
    /// The command with wheels that stand.
    fn standing(self) -> Command {
        Command { wheels: [0.0; 2], ..self }
    }
}

/// What a program says.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// It wants the wheels, under this name.
    Take(String),
    /// Drive so.
    Drive(Command),
    /// Tell the controller of another robot something: its place in the swarm file, from 1, and what.
    Tell(u16, String),
    /// Something that is no request: its sender is not in order.
    Unreadable,
    /// The tree is to drive again.
    Release,
    /// Its connection has ended.
    Gone,
}

/// Who drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// The tree, if there is one.
    Tree,
    /// An operator, through the hub.
    Operator,
    /// The program with this connection.
    Program(u32),
    /// Nobody: a program took the wheels and has gone.
    Lost,
}

/// A program that has the wheels.
#[derive(Clone, Debug)]
struct Seat {
    connection: u32,
    name: String,
    /// Its last command, and until when it is good.
    command: Option<(f64, Command)>,
    /// Its connection ended before it gave the wheels back.
    lost: bool,
    /// It was said that it is silent.
    told: bool,
}

/// So many lines about programs may follow each other; then one in [`LINE_EVERY`] s.
const LINES: f64 = 20.0;
const LINE_EVERY: f64 = 10.0;

/// Lines about programs for the log, few enough that no program can fill it.
#[derive(Clone, Debug)]
struct Lines {
    /// Lines that may be said now.
    left: f64,
    counted: f64,
    unsaid: u64,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines { left: LINES, counted: 0.0, unsaid: 0 }
    }
}

impl Lines {
    fn say(&mut self, now: f64, line: String) -> Option<String> {
        self.left = (self.left + (now - self.counted).max(0.0) / LINE_EVERY).min(LINES);
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

/// Who drives besides the tree.
#[derive(Clone, Debug, Default)]
pub struct External {
    lines: Lines,
    seat: Option<Seat>,
    /// An operator's last command, and until when it is good.
    operator: Option<(f64, Command)>,
}

impl External {
    /// Takes what the program of a connection says; a line for the log comes back where somebody should know.
    ///
    /// # Errors
    /// Why it is not done. The wheels of who asks for something that makes no sense stand.
    pub fn take(&mut self, now: f64, state: State, connection: u32, said: Said) -> Result<Option<String>, String> {
        let line = self.obey(now, state, connection, said)?;
        Ok(line.and_then(|line| self.lines.say(now, line)))
    }

    fn obey(&mut self, now: f64, state: State, connection: u32, said: Said) -> Result<Option<String>, String> {
        let others = self.seat.as_ref().filter(|seat| seat.connection != connection && !seat.lost);
        if let (Some(seat), false) = (others, matches!(said, Said::Gone | Said::Unreadable)) {
            return Err(format!("`{}` has the wheels", seat.name));
        }
        let mine = self.seat.as_mut().filter(|seat| seat.connection == connection);
        match (said, mine) {
            (Said::Take(name), None) => {
                let line = format!("program `{name}` takes the wheels");
                self.seat = Some(Seat { connection, name, command: None, lost: false, told: false });
                Ok(Some(line))
            }
            (Said::Take(_), Some(_)) => Ok(None),
            (Said::Drive(command), Some(seat)) => {
                // Whatever is wrong with this command, the one before is not what its sender wants any more.
                seat.command = None;
                check_wheels(command.wheels)?;
                if state != State::Run {
                    let state = format!("{state:?}").to_uppercase();
                    return Err(format!("the robot's state is {state}: programs drive in RUN"));
                }
                seat.command = Some((now + HOLD, command));
                let again = std::mem::take(&mut seat.told);
                Ok(again.then(|| format!("program `{}` drives again", seat.name)))
            }
            (Said::Drive(_) | Said::Tell(..), None) => Err("take the wheels first".into()),
            // Whether it can be told is the robot's to say.
            (Said::Tell(..), Some(_)) => Ok(None),
            (Said::Unreadable, Some(seat)) => {
                seat.command = None;
                Ok(None)
            }
            (Said::Release, Some(seat)) => {
                let line = format!("program `{}` gives the wheels back", seat.name);
                self.seat = None;
                Ok(Some(line))
            }
            (Said::Gone, Some(seat)) => {
                (seat.lost, seat.command) = (true, None);
                let name = &seat.name;
                Ok(Some(format!("program `{name}` is gone with the wheels: they stand until the hub's next directive")))
            }
            (Said::Release | Said::Gone | Said::Unreadable, None) => Ok(None),
        }
    }

    /// An operator drives, for `hold` s.
    pub fn operate(&mut self, now: f64, command: Command, hold: f64) {
        self.operator = Some((now + hold.max(0.0), command));
    }

    /// The hub gave a new directive: who is gone has no wheels any more, and what is not meant for this state is void.
    pub fn directed(&mut self, state: State) {
        self.seat = self.seat.take().filter(|seat| !seat.lost);
        if state == State::Stop {
            self.operator = None;
        }
        if let (Some(seat), true) = (&mut self.seat, state != State::Run) {
            seat.command = None;
        }
    }

    /// Commands so far are void: the hub is silent.
    pub fn halt(&mut self) {
        self.operator = None;
        if let Some(seat) = &mut self.seat {
            seat.command = None;
        }
    }

    /// Who drives now.
    pub fn driver(&self, now: f64) -> Driver {
        match (&self.operator, &self.seat) {
            (Some((until, _)), _) if now < until + HAND_OVER => Driver::Operator,
            (_, Some(seat)) if seat.lost => Driver::Lost,
            (_, Some(seat)) => Driver::Program(seat.connection),
            _ => Driver::Tree,
        }
    }

    /// What wheels and lamps do now; none if that is the tree's to say.
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

    /// When the present command ends, if one is good.
    pub fn until(&self, now: f64) -> Option<f64> {
        let seat = self.seat.as_ref().and_then(|seat| seat.command.as_ref());
        [self.operator.as_ref(), seat].into_iter().flatten().map(|(until, _)| *until).find(|until| now < *until)
    }

    /// A line for the log when a program that drove has become silent.
    pub fn silent(&mut self, now: f64) -> Option<String> {
        let seat = self.seat.as_mut()?;
        let silent = seat.command.is_some_and(|(until, _)| now >= until) && !std::mem::replace(&mut seat.told, true);
        let line = silent.then(|| format!("program `{}` said nothing for {HOLD} s: the wheels stand", seat.name))?;
        self.lines.say(now, line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AHEAD: Command = Command { wheels: [0.1, 0.1], lamps: Some(Ring::All([0, 9, 0])) };

    fn taken() -> External {
        let mut external = External::default();
        let line = external.take(0.0, State::Run, 1, Said::Take("wander".into())).unwrap().unwrap();
        assert_eq!(line, "program `wander` takes the wheels");
        external
    }

    #[test]
    fn a_program_drives_in_run_alone_and_its_command_ends() {
        let mut external = taken();
        assert_eq!(external.command(0.0, State::Run), Some(Command::default()), "it took, and said nothing yet");
        external.take(0.0, State::Run, 1, Said::Drive(AHEAD)).unwrap();
        assert_eq!(external.command(0.2, State::Run), Some(AHEAD));
        assert_eq!((external.until(0.2), external.until(0.25)), (Some(0.25), None));
        for state in [State::Idle, State::Ready, State::Pause, State::Stop] {
            assert_eq!(external.command(0.2, state), None, "{state:?}");
            let why = external.clone().take(0.2, state, 1, Said::Drive(AHEAD)).unwrap_err();
            assert!(why.contains(&format!("{state:?}").to_uppercase()), "{why}");
        }
        assert_eq!(external.command(0.25, State::Run), Some(AHEAD.standing()), "its lamps stay");
        assert!(external.silent(0.3).unwrap().contains("wander"));
        assert!(external.silent(0.4).is_none(), "said once");
        let again = external.take(0.5, State::Run, 1, Said::Drive(AHEAD)).unwrap();
        assert_eq!((again.as_deref(), external.silent(0.6)), (Some("program `wander` drives again"), None));
    }

    #[test]
    fn a_program_that_takes_and_gives_back_all_the_time_fills_no_log() {
        let mut external = External::default();
        let mut said = Vec::new();
        for i in 0..1000 {
            let now = f64::from(i) * 0.01;
            said.extend(external.take(now, State::Run, 1, Said::Take("mad".into())).unwrap());
            said.extend(external.take(now, State::Run, 1, Said::Release).unwrap());
        }
        assert!((20..23).contains(&said.len()), "{} lines", said.len());
        let later = external.take(60.0, State::Run, 1, Said::Take("mad".into())).unwrap().unwrap();
        assert!(later.starts_with("program `mad` takes the wheels (and 19"), "{later}");
    }

    #[test]
    fn one_program_has_the_wheels_and_the_next_gets_them_when_it_gives_them_back() {
        let mut external = taken();
        for said in [Said::Take("other".into()), Said::Drive(AHEAD), Said::Release] {
            assert_eq!(external.take(0.0, State::Run, 2, said).unwrap_err(), "`wander` has the wheels");
        }
        assert_eq!(external.take(0.0, State::Run, 2, Said::Gone), Ok(None));
        external.take(0.0, State::Run, 1, Said::Release).unwrap();
        assert_eq!((external.driver(0.0), external.command(0.0, State::Run)), (Driver::Tree, None));
        assert_eq!(external.take(0.0, State::Run, 2, Said::Drive(AHEAD)).unwrap_err(), "take the wheels first");
        assert!(external.take(0.0, State::Run, 2, Said::Take("other".into())).is_ok());
    }

    #[test]
    fn who_goes_with_the_wheels_leaves_them_standing_until_the_next_directive_or_program() {
        let mut external = taken();
        external.take(0.0, State::Run, 1, Said::Drive(AHEAD)).unwrap();
        external.take(0.1, State::Run, 1, Said::Gone).unwrap();
        assert_eq!((external.driver(9.0), external.command(0.1, State::Run)), (Driver::Lost, Some(Command::default())));
        let mut next = external.clone();
        next.take(1.0, State::Run, 2, Said::Take("next".into())).unwrap();
        assert_eq!(next.driver(1.0), Driver::Program(2));
        external.directed(State::Run);
        assert_eq!(external.command(0.2, State::Run), None);
    }

    #[test]
    fn what_no_robot_can_drive_is_refused_and_stops_what_was_driven() {
        for speed in [f32::NAN, f32::INFINITY, -f32::INFINITY, 0.14, -1e30] {
            let mut external = taken();
            external.take(0.0, State::Run, 1, Said::Drive(AHEAD)).unwrap();
            let wrong = Command { wheels: [0.0, speed], lamps: None };
            assert!(external.take(0.1, State::Run, 1, Said::Drive(wrong)).unwrap_err().contains("m/s"));
            assert_eq!(external.command(0.1, State::Run), Some(Command::default()));
        }
        let mut external = taken();
        external.take(0.0, State::Run, 1, Said::Drive(AHEAD)).unwrap();
        external.take(0.1, State::Run, 2, Said::Unreadable).unwrap();
        assert_eq!(external.command(0.1, State::Run), Some(AHEAD), "another's rubbish");
        external.take(0.1, State::Run, 1, Said::Unreadable).unwrap();
        assert_eq!(external.command(0.1, State::Run), Some(Command::default()));
    }

    #[test]
    fn an_operator_goes_before_a_program_and_hands_over_slowly() {
        let mut external = taken();
        external.take(0.0, State::Run, 1, Said::Drive(AHEAD)).unwrap();
        let back = Command { wheels: [-0.05; 2], lamps: None };
        external.operate(0.0, back, 0.25);
        assert_eq!((external.driver(0.1), external.command(0.1, State::Pause)), (Driver::Operator, Some(back)));
        assert_eq!(external.command(0.1, State::Stop), None);
        assert_eq!(external.command(0.3, State::Run), Some(Command::default()), "it ended");
        external.take(1.2, State::Run, 1, Said::Drive(AHEAD)).unwrap();
        assert_eq!(external.command(1.2, State::Run), Some(Command::default()), "not at once");
        assert_eq!(external.command(1.3, State::Run), Some(AHEAD));
        external.operate(2.0, back, 0.2);
        external.directed(State::Run);
        assert_eq!(external.command(2.0, State::Run), Some(back), "a segment that ends stops nobody");
        external.directed(State::Stop);
        assert_eq!(external.command(2.0, State::Pause), None);
    }
}

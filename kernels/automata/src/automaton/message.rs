//! Messages that modules of a controller send each other, and the modules: Table 1 of Petrovic, "Evolving automatons for
//! distributed behavior arbitration" (NTNU 05/2005), as repaired from its figure 13 and its project file.

/// A module of the controller. Numbers, names and order are those of the document's project file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Module {
    /// Turns commands such as "forward for a second" into powers of motors.
    Navigate = 1,
    /// Loads and unloads cargo.
    Cargoloader = 2,
    /// Gives each motor the power that the requester of the highest priority asked for.
    Motordriver = 3,
    /// Follows a line's right edge.
    LineFollower = 4,
    /// Backs off from obstacles.
    Avoidance = 5,
    /// Walks at random, more often towards light.
    Explore = 6,
    /// Tells when the front bumper is pressed or released.
    Bumpertracker = 7,
    /// Tells when the line sensor comes onto a line or leaves it.
    Linetracker = 8,
    /// Tells of light, and of marks that stations send.
    Lighttracker = 9,
    /// Beeps and prints.
    Beep = 10,
}

impl Module {
    /// All, by number.
    pub const ALL: [Module; 10] = [
        Module::Navigate,
        Module::Cargoloader,
        Module::Motordriver,
        Module::LineFollower,
        Module::Avoidance,
        Module::Explore,
        Module::Bumpertracker,
        Module::Linetracker,
        Module::Lighttracker,
        Module::Beep,
    ];
    /// Those that can have a post-office.
    pub const ARBITRATED: [Module; 4] = [Module::Cargoloader, Module::LineFollower, Module::Avoidance, Module::Explore];

    /// Its name in project files.
    pub fn name(self) -> &'static str {
        match self {
            Module::Navigate => "navigate",
            Module::Cargoloader => "cargoloader",
            Module::Motordriver => "motordriver",
            Module::LineFollower => "lnflwer",
            Module::Avoidance => "avoidance",
            Module::Explore => "explore",
            Module::Bumpertracker => "bumpertracker",
            Module::Linetracker => "linetracker",
            Module::Lighttracker => "lighttracker",
            Module::Beep => "beep",
        }
    }

    /// The module of that name.
    pub fn of_name(name: &str) -> Option<Module> {
        Module::ALL.into_iter().find(|module| module.name() == name)
    }

    /// Its place in [`Module::ARBITRATED`].
    pub fn arbitrated(self) -> Option<usize> {
        Module::ARBITRATED.iter().position(|&module| module == self)
    }

    /// Whose wish an actuator follows: the highest, 0 for those that drive nothing.
    pub fn priority(self) -> u8 {
        match self {
            Module::Explore => 1,
            Module::LineFollower => 2,
            Module::Avoidance => 3,
            Module::Cargoloader => 4,
            _ => 0,
        }
    }

    /// Messages that it understands, and so those that a post-office can hand it.
    pub fn inputs(self) -> &'static [Kind] {
        use Kind::*;
        match self {
            Module::Navigate => &[
                NavigateForward,
                NavigateBackward,
                NavigateLeft,
                NavigateRight,
                NavigateAroundLeft,
                NavigateAroundRight,
                NavigateTurnRandom,
                NavigateStop,
                NavigateFast,
                NavigateSlow,
            ],
            Module::Cargoloader => &[CargoloaderLoad, CargoloaderUnload],
            Module::Motordriver => &[MotordriverPower, MotordriverNoPower],
            Module::LineFollower => &[LineFollowerFollow, LineFollowerStop, LineEnter, LineLeave],
            Module::Avoidance => &[AvoidanceStart, BumpersPressed, BumpersReleased],
            Module::Explore => &[
                ExploreStart,
                ExploreStop,
                LightIncrease,
                LightDecrease,
                LightNoChange,
                NavigateFinished,
                NavigateInterrupted,
                NavigateBusy,
            ],
            Module::Lighttracker => &[LightQuery],
            Module::Bumpertracker | Module::Linetracker => &[],
            Module::Beep => &[Beep, ConsolePrint],
        }
    }

    /// Messages that it makes of itself, and so those that its post-office can send out.
    pub fn outputs(self) -> &'static [Kind] {
        use Kind::*;
        match self {
            Module::Navigate => &[NavigateFinished, NavigateInterrupted, NavigateBusy],
            Module::Cargoloader => &[CargoloaderOk],
            Module::LineFollower => &[LineLost],
            Module::Bumpertracker => &[BumpersPressed, BumpersReleased],
            Module::Linetracker => &[LineEnter, LineLeave],
            Module::Lighttracker => &[LightEnter, LightLeave, LightIncrease, LightDecrease, LightNoChange, TargetMark],
            Module::Motordriver | Module::Avoidance | Module::Explore | Module::Beep => &[],
        }
    }
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident $text:literal $arguments:literal,)*) => {
        /// What a message says.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kind { $($(#[$doc])* $name,)* }

        impl Kind {
            /// All kinds of messages.
            pub const ALL: &'static [Kind] = &[$(Kind::$name),*];

            /// Its name in the document.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$name => $text,)* }
            }

            /// How many numbers go with it.
            pub fn arguments(self) -> usize {
                match self { $(Kind::$name => $arguments,)* }
            }
        }
    };
}

kinds! {
    /// Avoidance forgets what it is doing; sent when a controller starts.
    AvoidanceStart "AVOIDANCE_START" 0,
    /// The front bumper touches something.
    BumpersPressed "SENSORS_BUMPERS_PRESSED" 0,
    /// The front bumper touches nothing any more.
    BumpersReleased "SENSORS_BUMPERS_RELEASED" 0,
    /// How did the light change since the last time?
    LightQuery "SENSORS_LIGHT_QUERY" 0,
    /// The robot comes under a lamp.
    LightEnter "SENSORS_LIGHT_ENTER" 0,
    /// The robot leaves the light, or the lamp goes out.
    LightLeave "SENSORS_LIGHT_LEAVE" 0,
    /// It is brighter than at the last question.
    LightIncrease "SENSORS_LIGHT_INCREASE" 0,
    /// It is darker than at the last question.
    LightDecrease "SENSORS_LIGHT_DECREASE" 0,
    /// It is as bright as at the last question.
    LightNoChange "SENSORS_LIGHT_NOCHANGE" 0,
    /// The line sensor comes onto a line.
    LineEnter "SENSORS_LINE_ENTER" 0,
    /// The line sensor leaves a line.
    LineLeave "SENSORS_LINE_LEAVE" 0,
    /// A station says that the robot is before it (infrared message 84).
    TargetMark "SENSORS_TARGET_MARK" 0,
    /// Turn round and take cargo.
    CargoloaderLoad "CARGOLOADER_LOAD" 0,
    /// Turn round and put cargo down.
    CargoloaderUnload "CARGOLOADER_UNLOAD" 0,
    /// The cargo loader is ready.
    CargoloaderOk "CARGOLOADER_OK" 0,
    /// Walk; sent when a controller starts.
    ExploreStart "EXPLORE_START" 0,
    /// Walk no more.
    ExploreStop "EXPLORE_STOP" 0,
    /// Follow the line.
    LineFollowerFollow "LNFLWER_FOLLOW" 0,
    /// Follow no more.
    LineFollowerStop "LNFLWER_STOP" 0,
    /// The line follower found no line for long and stops.
    LineLost "LINEFOLLOWER_LINELOST" 0,
    /// Motor (0 left, 1 right, 2 fork) and power (-255 to 255).
    MotordriverPower "MOTORDRIVER_POWER" 2,
    /// The requester wants nothing of a motor any more.
    MotordriverNoPower "MOTORDRIVER_NOPOWER" 1,
    /// Milliseconds; 0 is until told otherwise.
    NavigateForward "NAVIGATE_FORWARD" 1,
    /// Milliseconds.
    NavigateBackward "NAVIGATE_BACKWARD" 1,
    /// Milliseconds; the left wheel stands.
    NavigateLeft "NAVIGATE_LEFT" 1,
    /// Milliseconds; the right wheel stands.
    NavigateRight "NAVIGATE_RIGHT" 1,
    /// Milliseconds; on the spot.
    NavigateAroundLeft "NAVIGATE_AROUNDLEFT" 1,
    /// Milliseconds; on the spot.
    NavigateAroundRight "NAVIGATE_AROUNDRIGHT" 1,
    /// On the spot, either way, for a random time up to so many milliseconds.
    NavigateTurnRandom "NAVIGATE_TURNRND" 1,
    /// The requester's command ends.
    NavigateStop "NAVIGATE_STOP" 0,
    /// Commands from now on use full power.
    NavigateFast "NAVIGATE_FAST" 0,
    /// Commands from now on use half the power.
    NavigateSlow "NAVIGATE_SLOW" 0,
    /// A command's time is over.
    NavigateFinished "NAVIGATE_COMMAND_FINISHED" 0,
    /// A command gave way to another of higher priority.
    NavigateInterrupted "NAVIGATE_COMMAND_INTERRUPTED" 0,
    /// A command was refused, as one of higher priority goes on.
    NavigateBusy "NAVIGATE_BUSY" 0,
    /// A sound.
    Beep "BEEP_BEEP" 1,
    /// A number on the display.
    ConsolePrint "CONSOLE_PRINT" 1,
}

impl Kind {
    /// The kind of that name.
    pub fn of_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// What is said, with its numbers; those that its kind has not are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// What is said.
    pub kind: Kind,
    /// Its numbers.
    pub arguments: [i16; 2],
}

impl From<Kind> for Message {
    fn from(kind: Kind) -> Message {
        Message { kind, arguments: [0; 2] }
    }
}

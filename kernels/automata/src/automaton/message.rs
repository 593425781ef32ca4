//! Modules of a controller and the messages between them: Table 1 of Petrovic, "Evolving automatons for distributed
//! behavior arbitration" (NTNU 05/2005), corrected from its figure 13 and its project file.

/// Module of the controller. Numbers, names and order are those of the project file in the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Module {
    /// Converts commands such as "forward for a second" to motor powers.
    Navigate = 1,
    /// Loads and unloads cargo.
    Cargoloader = 2,
    /// Gives each motor the power requested with the highest priority.
    Motordriver = 3,
    /// Follows the right edge of a line.
    LineFollower = 4,
    /// Backs off from obstacles.
    Avoidance = 5,
    /// Walks at random, with a preference for light.
    Explore = 6,
    /// Reports presses and releases of the front bumper.
    Bumpertracker = 7,
    /// Reports when the line sensor enters or leaves a line.
    Linetracker = 8,
    /// Reports light, and the marks sent by stations.
    Lighttracker = 9,
    /// Beeps and prints.
    Beep = 10,
}

impl Module {
    /// All modules, by number.
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
    /// Modules that can have a post-office.
    pub const ARBITRATED: [Module; 4] = [Module::Cargoloader, Module::LineFollower, Module::Avoidance, Module::Explore];

    /// Name in project files.
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

    /// Returns the module with this name.
    pub fn of_name(name: &str) -> Option<Module> {
        Module::ALL.into_iter().find(|module| module.name() == name)
    }

    /// Index in [`Module::ARBITRATED`].
    pub fn arbitrated(self) -> Option<usize> {
        Module::ARBITRATED.iter().position(|&module| module == self)
    }

    /// Priority of the module's motor requests: the highest wins, 0 for modules that drive no motor.
    pub fn priority(self) -> u8 {
        match self {
            Module::Explore => 1,
            Module::LineFollower => 2,
            Module::Avoidance => 3,
            Module::Cargoloader => 4,
            _ => 0,
        }
    }

    /// Kinds of messages that the module accepts, and that its post-office may therefore hand it.
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

    /// Kinds of messages that the module originates, and that its post-office may therefore send out.
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
        /// Kind of a message.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kind { $($(#[$doc])* $name,)* }

        impl Kind {
            /// All kinds of messages.
            pub const ALL: &'static [Kind] = &[$(Kind::$name),*];

            /// Name in the report.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$name => $text,)* }
            }

            /// Number of arguments.
            pub fn arguments(self) -> usize {
                match self { $(Kind::$name => $arguments,)* }
            }
        }
    };
}

kinds! {
    /// Resets avoidance; sent when a controller starts.
    AvoidanceStart "AVOIDANCE_START" 0,
    /// The front bumper is pressed.
    BumpersPressed "SENSORS_BUMPERS_PRESSED" 0,
    /// The front bumper is released.
    BumpersReleased "SENSORS_BUMPERS_RELEASED" 0,
    /// Asks for the change in brightness since the last query.
    LightQuery "SENSORS_LIGHT_QUERY" 0,
    /// The robot enters the light of a lamp.
    LightEnter "SENSORS_LIGHT_ENTER" 0,
    /// The robot leaves the light, or the lamp is switched off.
    LightLeave "SENSORS_LIGHT_LEAVE" 0,
    /// Brightness has increased since the last query.
    LightIncrease "SENSORS_LIGHT_INCREASE" 0,
    /// Brightness has decreased since the last query.
    LightDecrease "SENSORS_LIGHT_DECREASE" 0,
    /// Brightness has not changed since the last query.
    LightNoChange "SENSORS_LIGHT_NOCHANGE" 0,
    /// The line sensor enters a line.
    LineEnter "SENSORS_LINE_ENTER" 0,
    /// The line sensor leaves a line.
    LineLeave "SENSORS_LINE_LEAVE" 0,
    /// The robot is in front of a station (infrared message 84).
    TargetMark "SENSORS_TARGET_MARK" 0,
    /// Turn round and load cargo.
    CargoloaderLoad "CARGOLOADER_LOAD" 0,
    /// Turn round and unload cargo.
    CargoloaderUnload "CARGOLOADER_UNLOAD" 0,
    /// The cargo loader has finished.
    CargoloaderOk "CARGOLOADER_OK" 0,
    /// Start exploring; sent when a controller starts.
    ExploreStart "EXPLORE_START" 0,
    /// Stop exploring.
    ExploreStop "EXPLORE_STOP" 0,
    /// Start following the line.
    LineFollowerFollow "LNFLWER_FOLLOW" 0,
    /// Stop following the line.
    LineFollowerStop "LNFLWER_STOP" 0,
    /// The line follower gave up its search for the line and stopped.
    LineLost "LINEFOLLOWER_LINELOST" 0,
    /// Sets the power of a motor: motor (0 left, 1 right, 2 fork), power (-255..255).
    MotordriverPower "MOTORDRIVER_POWER" 2,
    /// Withdraws the requester's power for a motor.
    MotordriverNoPower "MOTORDRIVER_NOPOWER" 1,
    /// Drives forward for a duration (ms); 0 for no limit.
    NavigateForward "NAVIGATE_FORWARD" 1,
    /// Drives backward for a duration (ms).
    NavigateBackward "NAVIGATE_BACKWARD" 1,
    /// Turns left for a duration (ms); the left wheel stands still.
    NavigateLeft "NAVIGATE_LEFT" 1,
    /// Turns right for a duration (ms); the right wheel stands still.
    NavigateRight "NAVIGATE_RIGHT" 1,
    /// Turns left on the spot for a duration (ms).
    NavigateAroundLeft "NAVIGATE_AROUNDLEFT" 1,
    /// Turns right on the spot for a duration (ms).
    NavigateAroundRight "NAVIGATE_AROUNDRIGHT" 1,
    /// Turns on the spot to a random side for a random duration up to the argument (ms).
    NavigateTurnRandom "NAVIGATE_TURNRND" 1,
    /// Ends the requester's command.
    NavigateStop "NAVIGATE_STOP" 0,
    /// Later commands use full power.
    NavigateFast "NAVIGATE_FAST" 0,
    /// Later commands use half power.
    NavigateSlow "NAVIGATE_SLOW" 0,
    /// A command has reached its duration.
    NavigateFinished "NAVIGATE_COMMAND_FINISHED" 0,
    /// A command was interrupted by one of higher priority.
    NavigateInterrupted "NAVIGATE_COMMAND_INTERRUPTED" 0,
    /// A command was rejected because one of higher priority is active.
    NavigateBusy "NAVIGATE_BUSY" 0,
    /// Plays a sound.
    Beep "BEEP_BEEP" 1,
    /// Prints a number on the display.
    ConsolePrint "CONSOLE_PRINT" 1,
}

impl Kind {
    /// Returns the kind with this name.
    pub fn of_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// Message with its arguments; unused arguments are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// Kind of the message.
    pub kind: Kind,
    /// Arguments.
    pub arguments: [i16; 2],
}

impl From<Kind> for Message {
    fn from(kind: Kind) -> Message {
        Message { kind, arguments: [0; 2] }
    }
}

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
    /// All modules, in the order of their numbers.
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

    /// Returns the name of the module in project files.
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

    /// Returns the module with this name; `None` for an unknown name.
    pub fn of_name(name: &str) -> Option<Module> {
        Module::ALL.into_iter().find(|module| module.name() == name)
    }

    /// Returns the module's index in [`Module::ARBITRATED`]; `None` for a module that cannot have a post-office.
    pub fn arbitrated(self) -> Option<usize> {
        Module::ARBITRATED.iter().position(|&module| module == self)
    }

    /// Returns the priority of the module's motor requests. The request with the highest priority is executed. The
    /// priority is 0 for modules that drive no motor.
    pub fn priority(self) -> u8 {
        match self {
            Module::Explore => 1,
            Module::LineFollower => 2,
            Module::Avoidance => 3,
            Module::Cargoloader => 4,
            _ => 0,
        }
    }

    /// Returns the kinds of messages that the module accepts. Its post-office may hand only these kinds to the module.
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

    /// Returns the kinds of messages that the module originates, and that its post-office may therefore send out.
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

            /// Returns the name of the kind in the report.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$name => $text,)* }
            }

            /// Returns the number of arguments of a message of this kind.
            pub fn arguments(self) -> usize {
                match self { $(Kind::$name => $arguments,)* }
            }
        }
    };
}

kinds! {
    /// Resets avoidance. This message is sent when a controller starts.
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
    /// Starts loading: the robot turns round and loads cargo.
    CargoloaderLoad "CARGOLOADER_LOAD" 0,
    /// Starts unloading: the robot turns round and unloads cargo.
    CargoloaderUnload "CARGOLOADER_UNLOAD" 0,
    /// The cargo loader has finished loading or unloading.
    CargoloaderOk "CARGOLOADER_OK" 0,
    /// Starts exploration. This message is sent when a controller starts.
    ExploreStart "EXPLORE_START" 0,
    /// Stops exploration.
    ExploreStop "EXPLORE_STOP" 0,
    /// Starts following the line.
    LineFollowerFollow "LNFLWER_FOLLOW" 0,
    /// Stops following the line.
    LineFollowerStop "LNFLWER_STOP" 0,
    /// The line follower gave up its search for the line and stopped.
    LineLost "LINEFOLLOWER_LINELOST" 0,
    /// Requests a power for a motor. The arguments are the motor (0 left, 1 right, 2 fork) and the power (-255..=255).
    MotordriverPower "MOTORDRIVER_POWER" 2,
    /// Withdraws a request for a motor. The argument is the motor.
    MotordriverNoPower "MOTORDRIVER_NOPOWER" 1,
    /// Drives forward for a duration (ms); 0 means without limit.
    NavigateForward "NAVIGATE_FORWARD" 1,
    /// Drives backward for a duration (ms); 0 means without limit.
    NavigateBackward "NAVIGATE_BACKWARD" 1,
    /// Turns left for a duration (ms; 0 means without limit). The left wheel does not move.
    NavigateLeft "NAVIGATE_LEFT" 1,
    /// Turns right for a duration (ms; 0 means without limit). The right wheel does not move.
    NavigateRight "NAVIGATE_RIGHT" 1,
    /// Turns left on the spot for a duration (ms); 0 means without limit.
    NavigateAroundLeft "NAVIGATE_AROUNDLEFT" 1,
    /// Turns right on the spot for a duration (ms); 0 means without limit.
    NavigateAroundRight "NAVIGATE_AROUNDRIGHT" 1,
    /// Turns on the spot to a random side, for a random duration. The argument is the maximum duration (ms).
    NavigateTurnRandom "NAVIGATE_TURNRND" 1,
    /// Ends the active command if it is from the sender of this message.
    NavigateStop "NAVIGATE_STOP" 0,
    /// Sets full power for all later commands.
    NavigateFast "NAVIGATE_FAST" 0,
    /// Sets half power for all later commands.
    NavigateSlow "NAVIGATE_SLOW" 0,
    /// A command has reached its duration.
    NavigateFinished "NAVIGATE_COMMAND_FINISHED" 0,
    /// A command was interrupted by a command of at least the same priority.
    NavigateInterrupted "NAVIGATE_COMMAND_INTERRUPTED" 0,
    /// A command was rejected because a command of higher priority is active.
    NavigateBusy "NAVIGATE_BUSY" 0,
    /// Plays a sound.
    Beep "BEEP_BEEP" 1,
    /// Prints a number on the display.
    ConsolePrint "CONSOLE_PRINT" 1,
}

impl Kind {
    /// Returns the kind with this name; `None` for an unknown name.
    pub fn of_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// Message with its arguments; unused arguments are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Message {
    /// Kind of the message.
    pub kind: Kind,
    /// Arguments, of which the first [`Kind::arguments`] are used.
    pub arguments: [i16; 2],
}

impl From<Kind> for Message {
    fn from(kind: Kind) -> Message {
        Message { kind, arguments: [0; 2] }
    }
}

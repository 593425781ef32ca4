//! Reader for the world files of Petrovic's program.

use super::values::Values;
use crate::scenario::ScenarioError;
use xpuck_automata::automaton::Module;
use xpuck_automata::cargo::{
    Activation, Area, Body, Command, Lamp, Line, MAX_ENTRIES, Noise, Rect, Scene, Start, TimeEvent,
};

/// Number of the register that contains the cargo.
const CARGO: u8 = 2;
/// Maximum number of segments of a line.
const MAX_SEGMENTS: usize = 63;

/// Parses a world file. Errors contain `file` as its name. The position of the line sensor is not in the file and has
/// its default value. The size of the fork and the settings for display and recording have no effect.
pub fn world(file: &str, text: &str) -> Result<Scene, ScenarioError> {
    let mut world = World { values: Values::new(file, text)?, lines: vec![] };
    let scene = world.scene()?;
    world.values.end()?;
    scene.check().map_err(|message| {
        // The message begins with the key of the invalid value. The line of this key becomes the line of the error.
        let known = world.lines.iter().filter(|(key, _)| message.starts_with(key.as_str()));
        let line = known.max_by_key(|(key, _)| key.len()).map_or(1, |&(_, line)| line);
        ScenarioError { file: file.into(), line, message }
    })?;
    Ok(scene)
}

struct World<'a> {
    values: Values<'a>,
    /// Keys of the scene, with the line number of the first value of each key.
    lines: Vec<(String, usize)>,
}

impl World<'_> {
    fn scene(&mut self) -> Result<Scene, ScenarioError> {
        self.modules()?;
        self.values.number::<u32>("version")?;
        self.values.only("environment", 1, "a rectangle")?;
        Ok(Scene {
            size: self.numbers("size")?,
            obstacles: self.list("obstacles", World::obstacle)?,
            lines: self.list("lines", World::line)?,
            lamps: self.list("lamps", World::lamp)?,
            conductivity: self.number("conductivity")?,
            areas: self.list("areas", World::area)?,
            times: self.list("times", World::time)?,
            scripts: self.list("scripts", World::script)?,
            body: self.body()?,
            starts: self.list("starts", World::start)?,
            noise: self.program_and_noise()?,
        })
    }

    /// Records the line number of the first value of a key.
    fn note(&mut self, key: &str) {
        self.lines.push((key.into(), self.values.line()));
    }

    fn number(&mut self, key: &str) -> Result<f32, ScenarioError> {
        self.note(key);
        self.values.number(key)
    }

    fn numbers<const N: usize>(&mut self, key: &str) -> Result<[f32; N], ScenarioError> {
        self.note(key);
        self.values.numbers(key)
    }

    /// Reads a count, and then the counted entries.
    fn list<T>(
        &mut self,
        key: &str,
        entry: fn(&mut Self, &str) -> Result<T, ScenarioError>,
    ) -> Result<Vec<T>, ScenarioError> {
        self.note(key);
        let count = self.values.count(key, MAX_ENTRIES)?;
        let entries = (0..count).map(|i| {
            let key = format!("{key}[{i}]");
            self.note(&key);
            entry(self, &key)
        });
        entries.collect()
    }

    fn modules(&mut self) -> Result<(), ScenarioError> {
        let values = &mut self.values;
        values.word("message data")?;
        let count = values.count("modules", Module::ALL.len())?;
        for _ in 0..count {
            let (number, name) = (values.number::<u8>("modules")?, values.word("modules")?);
            if !Module::ALL.iter().any(|module| *module as u8 == number && module.name() == name) {
                let known = Module::ALL.map(|module| format!("{} {}", module as u8, module.name())).join(", ");
                return Err(values.refuse("modules", format!("{number} {name} is not a module; choose one of {known}")));
            }
        }
        while values.module_or_end("post-offices")?.is_some() {}
        Ok(())
    }

    fn rect(&mut self, key: &str) -> Result<Rect, ScenarioError> {
        let [x, y, width, height] = self.values.numbers(key)?;
        Ok(Rect { x, y, width, height })
    }

    fn obstacle(&mut self, key: &str) -> Result<Rect, ScenarioError> {
        self.values.only(key, 1, "a rectangle")?;
        self.rect(key)
    }

    fn line(&mut self, key: &str) -> Result<Line, ScenarioError> {
        self.values.only(key, 2, "a line")?;
        let first = self.values.numbers(key)?;
        let width = self.values.number(key)?;
        let segments = self.values.count(key, MAX_SEGMENTS)?;
        let value = self.values.number(key)?;
        let mut points = vec![first];
        for _ in 0..segments {
            points.push(self.values.numbers(key)?);
        }
        Ok(Line { width, value, points })
    }

    fn lamp(&mut self, key: &str) -> Result<Lamp, ScenarioError> {
        self.values.only(key, 1, "a point")?;
        let [x, y, z, intensity] = self.values.numbers(key)?;
        Ok(Lamp { x, y, z, intensity, on: true })
    }

    fn area(&mut self, key: &str) -> Result<Area, ScenarioError> {
        self.values.only(key, 1, "an area with conditions")?;
        let activation = match self.values.number::<i64>(key)? {
            -1 => Activation::Once,
            0 => Activation::EachEntrance,
            delay => Activation::After(u32::try_from(delay).map_err(|_| {
                self.values.refuse(
                    key,
                    format!("{delay} is not a valid delay; must be -1 (once), 0 (at each entrance) or a time in ms"),
                )
            })?),
        };
        let at = self.rect(key)?;
        let heading = match self.values.number::<f32>(key)? {
            -1.0 => None,
            heading => Some([heading, self.values.number(key)?]),
        };
        let fork = match self.values.number::<i16>(key)? {
            -1 => None,
            state => Some(u8::try_from(state).map_err(|_| {
                self.values
                    .refuse(key, format!("{state} is not a valid state of the fork; must be 1 to 4, or -1 (any)"))
            })?),
        };
        let position = self.values.numbers(key)?;
        let mut registers = match self.values.number::<f32>(key)? {
            -1.0 => vec![],
            cargo => vec![(CARGO, cargo, cargo)],
        };
        loop {
            match self.values.number::<i16>(key)? {
                -2 => break,
                register => {
                    let register = u8::try_from(register).map_err(|_| {
                        self.values.refuse(
                            key,
                            format!("{register} is not a valid register; must be 0 to 255, or -2 (end of the list)"),
                        )
                    })?;
                    let [low, high] = self.values.numbers(key)?;
                    registers.push((register, low, high));
                }
            }
        }
        Ok(Area { activation, at, heading, fork, position, registers, script: self.values.number(key)? })
    }

    fn time(&mut self, key: &str) -> Result<TimeEvent, ScenarioError> {
        let values = &mut self.values;
        values.only(key, 1, "a script")?;
        let (start, count, period) = if values.flag(key)? {
            (values.number(key)?, values.number(key)?, values.number(key)?)
        } else {
            (values.number(key)?, 1, 0)
        };
        Ok(TimeEvent { start, period, count, script: values.number(key)? })
    }

    fn script(&mut self, key: &str) -> Result<Vec<Command>, ScenarioError> {
        let values = &mut self.values;
        let mut commands = Vec::new();
        loop {
            commands.push(match values.number::<u8>(key)? {
                0 => return Ok(commands),
                10 => Command::On(values.number(key)?),
                11 => Command::Off(values.number(key)?),
                12 => Command::Arm(values.number(key)?),
                13 => Command::Tell(values.number(key)?),
                14 => Command::Select(values.number(key)?),
                15 => Command::Put(values.number(key)?),
                other => {
                    return Err(values.refuse(
                        key,
                        format!("{other} is not a valid command; must be 10 to 15, or 0 (end of the list)"),
                    ));
                }
            });
        }
    }

    fn body(&mut self) -> Result<Body, ScenarioError> {
        self.values.only("body", 1, "a round robot")?;
        let radius = self.number("body.radius")?;
        self.values.number::<f32>("body.fork size")?;
        Ok(Body {
            radius,
            speed: self.number("body.speed")?,
            fork_up: self.number("body.fork_up")?,
            fork_down: self.number("body.fork_down")?,
            ..Body::default()
        })
    }

    fn start(&mut self, key: &str) -> Result<Start, ScenarioError> {
        let [x, y, heading] = self.values.numbers(key)?;
        Ok(Start { x, y, heading })
    }

    fn program_and_noise(&mut self) -> Result<Noise, ScenarioError> {
        let values = &mut self.values;
        values.number::<f32>("slowdown")?;
        values.word("trajectory file")?;
        while values.module_or_end("automata")?.is_some() {
            values.word("automata")?;
        }
        values.number::<u32>("viewer")?;
        values.flag("real time")?;
        values.flag("save")?;
        Ok(Noise {
            bumper: self.number("noise.bumper")?,
            light: self.number("noise.light")?,
            line: self.number("noise.line")?,
            speed: self.number("noise.speed")?,
            heading: self.number("noise.heading")?,
            obstacle: self.number("noise.obstacle")?,
        })
    }
}

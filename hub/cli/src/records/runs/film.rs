//! `xpuck runs export --mp4` and `--png`: top views of a recorded swarm.

use super::{print, print_problems, stop_callback};
use crate::analysis::picture::film::canvas::rgb;
use crate::analysis::picture::film::{self, Sheet, Stage, Token, check_speed};
use crate::analysis::picture::scenery::Scenery;
use crate::analysis::picture::{FRISBEE, of_robot};
use crate::analysis::png;
use crate::files::tree_file::write;
use crate::terminal::progress::Progress;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use xpuck_hub_core::config::{Arena, HubFile};
use xpuck_hub_core::entry::Entry;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::world::{Task, WorldSpec};
use xpuck_record::read::{Entries, entries_of_topics};
use xpuck_record::run_file::RunFile;
use xpuck_record::verify::phase_worlds;
use xpuck_wire::Body;
use xpuck_wire::message::Picture;

/// Displacement between two poses above which a body is assumed to be moved by hand, so that no path is drawn (m).
const MAX_PATH_STEP: f32 = 0.1;
/// Minimum length of a drawn path segment (m).
const MIN_PATH_STEP: f32 = 0.004;

/// Time range of a film or picture, and speed of a film.
#[derive(Args)]
pub struct FilmArgs {
    /// Start of the pictures, as arena time after the run's first pose (s) [default: the first pose].
    #[arg(long, value_name = "S", value_parser = time, conflicts_with_all = ["parquet", "csv", "foxglove"])]
    from: Option<f64>,
    /// End of the pictures, as arena time after the run's first pose (s) [default: the last pose].
    #[arg(long, value_name = "S", value_parser = time, conflicts_with_all = ["parquet", "csv", "foxglove"])]
    to: Option<f64>,
    /// Speed of the film: arena time per playing time.
    #[arg(long, value_name = "X", default_value_t = 8.0)]
    film_speed: f64,
}

/// Parses a finite time (s).
fn time(text: &str) -> Result<f64> {
    let time = text.parse().ok().filter(|time: &f64| time.is_finite());
    time.with_context(|| format!("`{text}`: expected a time in seconds"))
}

/// State of a recorded run at the time that is drawn.
struct Scene {
    about: RunFile,
    arena: Arena,
    worlds: Vec<(String, Arc<WorldSpec>)>,
    phase: Option<String>,
    /// Last pose of each body by name, and whether the latest pose entry contains the body.
    bodies: BTreeMap<String, (Body, bool)>,
    /// Raw value of the current segment of a mission, or the fitness in other tasks.
    number: Option<f64>,
    titles: [String; 2],
}

impl Scene {
    fn new(run: &Path, titles: [String; 2]) -> Result<Scene> {
        let about = RunFile::read(run)?;
        let hub: HubFile = about.hub.clone().try_into().with_context(|| run.display().to_string())?;
        // If this version cannot read the experiment or its world, only the arena is drawn.
        let worlds = phase_worlds(&about).unwrap_or_default();
        Ok(Scene { about, arena: hub.arena, worlds, phase: None, bodies: BTreeMap::new(), number: None, titles })
    }

    fn world(&self) -> Option<&WorldSpec> {
        let named = self.worlds.iter().find(|(name, _)| Some(name) == self.phase.as_ref());
        named.or(self.worlds.first()).map(|(_, world)| &**world)
    }

    fn stage(&self) -> Result<Stage> {
        let world = self.world();
        let mission = world.is_some_and(|world| matches!(world.task, Task::Objective(_)));
        let row = |(i, robot): (usize, &String)| (of_robot(i), robot.clone());
        Stage::new(&Sheet {
            half: (self.arena.length_m / 2.0, self.arena.width_m / 2.0),
            scenery: world.map_or_else(Scenery::unknown, Scenery::from_world),
            titles: self.titles.clone(),
            number: if mission { "value" } else { "fitness" },
            legend: match mission {
                true => "Robots. Value of the current segment; pale bodies are not seen",
                false => "Robots. Fitness of the current segment; pale bodies are not seen",
            },
            rows: self.about.robots.iter().enumerate().map(row).collect(),
        })
    }

    /// Applies an entry of the record. Returns true if the phase has changed, because the world to draw then changes
    /// too.
    fn apply(&mut self, entry: Entry) -> bool {
        match entry {
            Entry::Poses { bodies, .. } => {
                self.bodies.values_mut().for_each(|(_, seen)| *seen = false);
                for body in bodies {
                    self.bodies.insert(body.name.clone(), (body, true));
                }
                false
            }
            Entry::Run { segments, .. } => {
                self.number = segments.last().map(|segment| segment.value.unwrap_or(segment.fitness));
                let now = segments.last().map(|segment| segment.phase.clone());
                let other = now != self.phase && self.phase.is_some();
                self.phase = now;
                other
            }
            _ => false,
        }
    }

    fn colour(&self, name: &str) -> (&'static str, bool) {
        match self.about.robots.iter().position(|robot| robot == name) {
            Some(i) => (of_robot(i), true),
            None => (FRISBEE, false),
        }
    }

    /// Returns the tokens in drawing order: first discs, then robots.
    fn tokens(&self) -> Vec<Token> {
        let discs = self.world().map_or(&[][..], |world| &world.discs[..]);
        let mut radii = discs.iter().map(|disc| disc.shape.radius);
        let size = self.world().map_or(ROBOT_RADIUS, |world| world.robot.radius);
        let mut tokens = Vec::new();
        for (name, (body, seen)) in &self.bodies {
            let (colour, robot) = self.colour(name);
            let radius = if robot { size } else { radii.next().unwrap_or(self.arena.frisbee_radius_m) };
            let colour = rgb(colour);
            // Unseen bodies are pale: one third of their colour, mixed with two thirds of white.
            let colour = if *seen { colour } else { colour.map(|c| 170 + c / 3) };
            let heading = robot.then_some(body.pose[2]);
            tokens.push(Token { at: place(body), heading, radius, colour });
        }
        tokens.sort_by_key(|token| token.heading.is_some());
        tokens
    }
}

fn place(body: &Body) -> Vec2 {
    Vec2 { x: body.pose[0], y: body.pose[1] }
}

/// Opens the record topics that pictures need.
fn open(run: &Path) -> Result<Entries> {
    Ok(entries_of_topics(run, &["/poses", "/run"])?)
}

/// Rejects an output path that is a file in the run's folder, except MP4 and PNG files.
fn check_output_path(run: &Path, path: &Path) -> Result<()> {
    let ours = path.extension().is_some_and(|kind| kind == "mp4" || kind == "png");
    let folder = |path: &Path| path.parent().map(Path::to_path_buf);
    let within = path.canonicalize().is_ok_and(|path| run.canonicalize().ok() == folder(&path));
    if within && !ours {
        bail!("{}: is a file of the run itself; choose another file", path.display());
    }
    Ok(())
}

/// Returns start and end of the requested range, limited to the poses of the record (s of arena time).
fn range(run: &Path, args: &FilmArgs) -> Result<(f64, f64)> {
    check_speed(args.film_speed)?;
    let progress = Progress::bytes("reading the record", false);
    let mut go_on = stop_callback(&progress)?;
    let mut seen: Option<(f64, f64)> = None;
    let mut entries = entries_of_topics(run, &["/poses"])?;
    while let Some(entry) = entries.next() {
        let time = entry?.time();
        seen = Some(seen.map_or((time, time), |(first, last)| (first.min(time), last.max(time))));
        let (done, total) = entries.progress();
        if !go_on(done, total) {
            bail!("stopped; nothing was written");
        }
    }
    let (first, last) =
        seen.with_context(|| format!("{}: has no poses, so there is nothing to draw", run.display()))?;
    let from = args.from.map_or(first, |from| first + from.max(0.0));
    let to = args.to.map_or(last, |to| last.min(first + to));
    if from.is_nan() || to.is_nan() || from > to {
        bail!("--from and --to select no pose: the run has {:.1} s of arena time", last - first);
    }
    Ok((from, to))
}

fn titles(run: &Path, (from, to): (f64, f64), how: &str) -> [String; 2] {
    let run = run.canonicalize().unwrap_or_else(|_| run.into());
    let name = run.file_name().unwrap_or_default().to_string_lossy().into_owned();
    [name, format!("arena time {from:.1} to {to:.1} s; {how}")]
}

/// Writes a film of a recorded run to `path`.
pub fn film(run: &Path, path: &Path, args: &FilmArgs) -> Result<()> {
    check_output_path(run, path)?;
    let (from, to) = range(run, args)?;
    let mut scene = Scene::new(run, titles(run, (from, to), &format!("{} times real time", args.film_speed)))?;
    let mut stage = scene.stage()?;
    let mut entries = open(run)?;
    let mut next = entries.next().transpose()?;
    let moments = film::moments(to - from, args.film_speed);
    let frames = moments.len();
    film::shoot(path, &mut stage, moments, false, |stage, moment| {
        // The tolerance is necessary because rounding may put the last frame slightly before the last pose.
        let now = from + moment + 1e-9;
        let mut other = false;
        while let Some(entry) = next.take_if(|entry| entry.time() <= now) {
            other |= scene.apply(entry);
            next = entries.next().transpose()?;
        }
        if other {
            *stage = scene.stage()?;
        }
        stage.draw(scene.tokens(), from + moment, scene.number);
        Ok(())
    })?;
    print_problems(entries.damage());
    print(&format!("{}: {frames} frames, {:.1} s\n", path.display(), frames as f64 / film::RATE))
}

/// Draws the paths and final positions of all bodies in a PNG file.
pub fn picture(run: &Path, path: &Path, args: &FilmArgs) -> Result<()> {
    check_output_path(run, path)?;
    let (from, to) = range(run, args)?;
    let mut scene = Scene::new(run, titles(run, (from, to), "paths and final positions"))?;
    let mut stage = scene.stage()?;
    let mut entries = open(run)?;
    let mut last: BTreeMap<String, Vec2> = BTreeMap::new();
    let progress = Progress::bytes("drawing", false);
    let mut go_on = stop_callback(&progress)?;
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let (done, total) = entries.progress();
        if !go_on(done, total) {
            bail!("{}: stopped; nothing was written", path.display());
        }
        if entry.time() > to {
            break;
        }
        let begun = entry.time() >= from;
        if let (Entry::Poses { bodies, .. }, true) = (&entry, begun) {
            for body in bodies {
                let at = place(body);
                let away = last.get(&body.name).map(|before| ((at - *before).length_squared().sqrt(), *before));
                match away {
                    Some((way, _)) if way < MIN_PATH_STEP => continue,
                    Some((way, before)) if way < MAX_PATH_STEP => {
                        stage.way(before, at, rgb(scene.colour(&body.name).0))
                    }
                    _ => {}
                }
                last.insert(body.name.clone(), at);
            }
        }
        scene.apply(entry);
    }
    drop(go_on);
    drop(progress);
    stage.draw(scene.tokens(), to, scene.number);
    let (width, height) = stage.size();
    let small = |length: usize| u16::try_from(length).map_err(|_| anyhow!("the picture is too large for PNG"));
    let picture = Picture {
        width: small(width)?,
        height: small(height)?,
        rgb: xpuck_wire::bytes::Bytes(stage.pixels().to_vec()),
    };
    write(path, &png::encode(&picture)?)?;
    print_problems(entries.damage());
    print(&format!("{}: {width} x {height} pixels\n", path.display()))
}

//! Arenas of ARGoS 3 as world files: walls, bodies, lights, and where robots start.
//!
//! `scene` reads the file, `draw` draws what ARGoS places at random, `region` finds where robots can get to, which
//! is the arena, `walls` keeps the walls that they can touch, and `world` writes the world file.

mod draw;
mod region;
mod scene;
mod shapes;
mod walls;
mod world;
mod xml;

/// A world file made from an arena, and what was left out or changed, each in a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The world file.
    pub text: String,
    /// Things that our worlds lack, with lines of the file.
    pub notes: Vec<String>,
}

/// Reads an experiment of ARGoS.
///
/// # Errors
/// A text that is no XML or has no arena, or a value that cannot be read, with its line.
pub fn argos(text: &str) -> Result<Imported, String> {
    let scene = scene::read(text)?;
    let drawn = draw::draw(&scene);
    let region = region::find(&scene, &drawn);
    Ok(world::write(&scene, &drawn, &region))
}

//! Import of ARGoS 3 arenas as world files: walls, bodies, lights, and start poses of robots.
//!
//! `scene` reads the file, and `draw` draws random placements. `region` finds the floor that robots can reach (the
//! arena), and `walls` keeps the walls that robots can touch. `world` writes the world file.

mod draw;
mod region;
mod scene;
mod shapes;
mod walls;
mod world;
mod xml;

/// A world file made from an arena, and notes on omissions and changes, one line each.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The world file.
    pub text: String,
    /// Features of the file that Xpuck's worlds lack, with line numbers.
    pub notes: Vec<String>,
}

/// Imports an experiment of ARGoS.
///
/// # Errors
/// If the text is not XML or has no arena, or if a value is invalid; the error names the line.
pub fn argos(text: &str) -> Result<Imported, String> {
    let scene = scene::read(text)?;
    let drawn = draw::draw(&scene);
    let region = region::find(&scene, &drawn);
    Ok(world::write(&scene, &drawn, &region))
}

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

/// World file made from an arena, with notes on omissions and changes.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Text of the world file.
    pub text: String,
    /// Notes on features of the file that Xpuck's worlds lack, with line numbers. Each note is one line.
    pub notes: Vec<String>,
}

/// Imports the arena of an ARGoS experiment from the text of its file.
///
/// # Errors
/// If the text is not XML, if it has no arena, or if a value is invalid. The error contains the line number of an
/// invalid value.
pub fn argos(text: &str) -> Result<Imported, String> {
    let scene = scene::read(text)?;
    let drawn = draw::draw(&scene);
    let region = region::find(&scene, &drawn);
    Ok(world::write(&scene, &drawn, &region))
}

//! Import of ARGoS 3 arenas and of missions as world files: walls, bodies, lights, start poses of robots, and known tasks.
//!
//! `scene` reads an ARGoS file, and `draw` draws random placements. `region` finds the floor that robots can reach (the
//! arena), `polygon` finds a regular polygon of walls around it, and `walls` keeps the other walls that robots can touch.
//! `loop_functions` adds a known `mission`, from the table `automode` or a line of `mg1`. `world` writes the world file.

mod automode;
mod draw;
mod loop_functions;
mod mg1;
mod mission;
mod polygon;
mod region;
mod scene;
mod shapes;
mod starts;
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
    /// Whether the task is that of the file. Otherwise, it is a guess.
    pub is_task_known: bool,
}

/// Result of the import of one mission line.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportedLine {
    /// Number of the line in the text, from 1.
    pub number: usize,
    /// World file, or the error of this line.
    pub world: Result<Imported, String>,
}

/// Imports the arena of an ARGoS experiment from the text of its file, with its task if the loop functions are known.
///
/// # Errors
/// If the text is not XML, if it has no arena, or if a value is invalid. The error contains the line number of an
/// invalid value.
pub fn argos(text: &str) -> Result<Imported, String> {
    Ok(imported(&scene::read(text, loop_functions::apply)?))
}

/// Returns whether a text consists of mission lines of MG1, the mission generator of the AutoMoDe family.
pub fn is_missions(text: &str) -> bool {
    mg1::is_missions(text)
}

/// Imports the missions of a text with one mission line of MG1 for each. An invalid line does not affect the others.
///
/// # Errors
/// If the text has no mission or more than 1000.
pub fn missions(text: &str) -> Result<Vec<ImportedLine>, String> {
    let lines: Vec<(usize, &str)> = mg1::lines(text).collect();
    match lines.len() {
        1..=mg1::MOST_MISSIONS => {}
        count => return Err(format!("{count} missions; the file must have 1 to {}", mg1::MOST_MISSIONS)),
    }
    let import = |(number, text)| ImportedLine { number, world: mg1::scene(text).map(|scene| imported(&scene)) };
    Ok(lines.into_iter().map(import).collect())
}

fn imported(scene: &scene::Scene) -> Imported {
    let drawn = draw::draw(scene);
    let region = region::find(scene, &drawn);
    world::write(scene, &drawn, &region)
}

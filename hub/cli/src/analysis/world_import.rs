//! `xpuck world import`: world files from arenas of ARGoS and from missions of MG1.

use crate::files::tree_file::{deliver, refuse_over};
use crate::terminal::wrong_argument;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use xpuck_experiment::world_file;
use xpuck_lab::exchange::import::{self, Imported, ImportedLine};
use xpuck_wire::{escape, file, output};

/// Make world files from an experiment of ARGoS 3, or from mission lines of MG1.
///
/// From an ARGoS file, the command reads boxes, cylinders, lights and robots, with their own position or in a
/// `<distribute>`. The arena is the area around the robots that walls enclose. Random values of ARGoS are drawn with the
/// file's seed. Elements that cannot be imported are listed with their count and line. The task is that of the loop
/// functions if they belong to AutoMoDe's library or to MG1. For other loop functions, `[task]` of the result is a guess.
///
/// A file of MG1 has one mission in each line (`--m homing ...`). Each mission becomes one world file
/// (docs/transfer/argos.md).
#[derive(Args)]
pub struct ImportArgs {
    /// ARGoS experiment (.argos, .xml), or text with mission lines of MG1.
    file: PathBuf,
    /// Mission to import from a file with several missions, counted from 1.
    #[arg(long, value_name = "N")]
    mission: Option<usize>,
    /// World file to write [default: standard output]; for several missions, the folder to write into.
    #[arg(short, long, value_name = "FILE|DIR")]
    output: Option<PathBuf>,
}

/// Runs `xpuck world import`.
pub fn import(args: &ImportArgs) -> Result<()> {
    let name = args.file.display().to_string();
    let text = file::text(&args.file, file::MAX_TOML)?;
    refuse_over([&args.file], &args.output)?;
    if import::is_missions(&text) {
        return missions(args, &name, &text);
    }
    if args.mission.is_some() {
        wrong_argument!("--mission: {name} is not a file with mission lines; omit the option");
    }
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with('<') {
        bail!("{name}: neither an ARGoS experiment (XML) nor mission lines of MG1, which begin with --m");
    }
    let imported = import::argos(&text).map_err(|message| anyhow!("{name}: {}", escape(&message)))?;
    write(&name, &imported, args.output.as_deref())
}

/// Imports missions of MG1: one of them to a file, or all to a folder.
fn missions(args: &ImportArgs, name: &str, text: &str) -> Result<()> {
    let all = import::missions(text).map_err(|message| anyhow!("{name}: {message}"))?;
    let error_of = |line: usize, message: &str| anyhow!("{name}:{line}: {}", escape(message));
    let count = all.len();
    output::print_error(format_args!(
        "xpuck: {name}: note: mission lines contain no obstacles; import the .argos file of a mission to get them"
    ));
    if let Some(number) = args.mission.or((count == 1).then_some(1)) {
        let Some(ImportedLine { number: line, world }) =
            number.checked_sub(1).and_then(|index| all.into_iter().nth(index))
        else {
            wrong_argument!("--mission {number}: {name} has {}", output::count(count, "mission", "missions"));
        };
        let imported = world.map_err(|message| error_of(line, &message))?;
        return write(&format!("{name}:{line}"), &imported, args.output.as_deref());
    }
    let Some(folder) = &args.output else {
        bail!("{name}: has {count} missions; choose one with --mission N, or a folder for all with -o DIR");
    };
    std::fs::create_dir_all(folder).with_context(|| format!("{}: cannot be created", folder.display()))?;
    let mut failed = 0;
    for (number, ImportedLine { number: line, world }) in (1..).zip(all) {
        match world {
            Ok(imported) => {
                write(&format!("{name}:{line}"), &imported, Some(&folder.join(format!("mission-{number:03}.toml"))))?;
            }
            Err(message) => {
                failed += 1;
                output::print_error(format_args!("xpuck: {}", error_of(line, &message)));
            }
        }
    }
    output::line(format_args!("{}: {}", folder.display(), output::count(count - failed, "world", "worlds")))?;
    match failed {
        0 => Ok(()),
        _ => bail!("{name}: {failed} of {count} missions were not imported"),
    }
}

/// Writes a world file, and prints the notes on it.
fn write(name: &str, imported: &Imported, output: Option<&Path>) -> Result<()> {
    // An existing file is not replaced, because the user may have edited an earlier result.
    if let Some(path) =
        output.filter(|path| path.symlink_metadata().is_ok_and(|found| found.is_file() || found.is_symlink()))
    {
        bail!("{}: already exists; remove it, or choose another file", path.display());
    }
    let guessed = "the task is a guess, because the loop functions define it; change [task] in the result";
    let guessed = (!imported.is_task_known).then_some(guessed);
    for note in imported.notes.iter().map(String::as_str).chain(guessed) {
        output::print_error(format_args!("xpuck: {name}: note: {}", escape(note)));
    }
    deliver(output, imported.text.as_bytes())?;
    // The result may be an invalid world, for example if bodies overlap or the arena is too large.
    if let Err(error) = world_file::parse(name, &imported.text) {
        output::print_error(format_args!("xpuck: the world must be corrected before it can run: {error}"));
    }
    Ok(())
}

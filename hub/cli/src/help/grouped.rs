//! `xpuck --help`: the commands, grouped by purpose.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fmt::Write;

/// Names of the groups in `xpuck --help`, with the commands of each group in the order of typical use.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Begin", &["demo", "init", "check", "doctor"]),
    ("Controllers and worlds", &["tree", "world", "simulate", "evolve", "study", "sweep", "runs"]),
    ("Robots", &["swarm", "robot", "serve", "card", "keys", "calibrate"]),
    ("More", &["dev"]),
];
/// Summary of each command, short enough for a line of 80 columns.
const ABOUT: [(&str, &str); 18] = [
    ("demo", "run a whole swarm on this machine: hub, virtual arena, robots"),
    ("init", "create the files of a swarm: robots, hub, arena, keys"),
    ("check", "check any file or a swarm's folder; list errors with their place"),
    ("doctor", "check each promise of a running swarm: on, off or broken"),
    ("tree", "explain, reduce, diff, convert and draw trees and automata"),
    ("world", "create world files; exchange them with ARGoS and Webots"),
    ("simulate", "simulate a tree, automata, a body or Kilobots; print the fitness"),
    ("evolve", "evolve trees, automata, bodies or Kilobots without robots"),
    ("study", "analyse trees: swarm size, starts, value of each part"),
    ("sweep", "compare settings over many seeds, also on a cluster"),
    ("runs", "list, replay, export, verify and report runs; ancestry of trees"),
    ("swarm", "start, stop and watch a swarm; log, screen, web page (console)"),
    ("robot", "list, identify, hold, drive, enrol (add), replace, update robots"),
    ("serve", "run the hub, arena, gene exchange, and servers for other programs"),
    ("card", "build images of robots' boards, and flash their SD cards"),
    ("keys", "make, enrol and revoke keys of the hub, robots and users"),
    ("calibrate", "fit the simulator to runs and records of real robots"),
    ("dev", "benchmarks, engines and GPUs, schemas, completions, man pages"),
];
/// Width of the column with the command names (characters).
const NAMES: usize = 11;

const EXIT_CODES: &str = "\
Short for `xpuck swarm ...`: xpuck start, stop, pause, resume, status.
Exit codes: 0 done, 1 error, 2 invalid arguments, 75 stopped and can be
continued, 130 interrupted. `xpuck COMMAND --help` shows examples.";

/// Adds the grouped list of commands to the help.
pub fn grouped(program: Command) -> Command {
    let list = list(&program);
    program.help_template(format!("{{about-with-newline}}\nUsage: xpuck COMMAND\n\n{list}\n{EXIT_CODES}"))
}

/// Command names that users know from other programs, each with an equivalent `xpuck` command.
const CALLED_ELSEWHERE: [(&str, &str); 14] = [
    ("btcpp", "tree convert"),
    ("groot", "tree convert"),
    ("groot2", "tree convert"),
    ("validate", "check"),
    ("lint", "check"),
    ("run", "runs"),
    ("run", "simulate"),
    ("sim", "simulate"),
    ("train", "evolve"),
    ("optimise", "evolve"),
    ("optimize", "evolve"),
    ("plot", "runs report"),
    ("view", "swarm console"),
    ("new", "init"),
];

/// Adds suggestions to an error about an unknown command. The suggestions are commands of this name in a group of
/// commands, and equivalents of other programs' commands.
pub fn elsewhere(program: &Command, mut error: clap::Error) -> clap::Error {
    let word = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(word))) => word.clone(),
        _ => return error,
    };
    // Only the first word of a command line is handled here. In a group, clap suggests the group's commands.
    if std::env::args_os().nth(1).is_none_or(|first| *first != *word) {
        return error;
    }
    let mut found = called(program, &word);
    found.extend(CALLED_ELSEWHERE.iter().filter(|(name, _)| *name == word).map(|(_, here)| (*here).to_string()));
    if !found.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(found));
    }
    error
}

/// Messages of Rust's own number parsers, and their replacements in plain words.
const NUMBERS: [(&str, &str); 4] = [
    ("invalid float literal", "must be a number, such as 2 or 0.5"),
    ("cannot parse float from empty string", "must be a number, such as 2 or 0.5"),
    ("invalid digit found in string", "must be a whole number, 0 or more"),
    ("cannot parse integer from empty string", "must be a whole number, 0 or more"),
];

/// Replaces Rust's messages for invalid numbers by plain words.
pub fn in_plain_words(error: clap::Error) -> clap::Error {
    if error.kind() != ErrorKind::ValueValidation {
        return error;
    }
    let text = error.render().to_string();
    match NUMBERS.iter().find(|(said, _)| text.contains(said)) {
        // The prefix `error: ` is removed from the message, because clap adds it again.
        Some((said, words)) => {
            let text = text.replace(said, words);
            clap::Error::raw(ErrorKind::ValueValidation, text.strip_prefix("error: ").unwrap_or(&text))
        }
        None => error,
    }
}

/// Returns all commands called `word` in groups, each preceded by the name of its group.
fn called(program: &Command, word: &str) -> Vec<String> {
    let groups = program.get_subcommands().filter(|group| group.get_name() != "help");
    let commands = groups.flat_map(|group| group.get_subcommands().map(move |command| (group, command)));
    let found = commands.filter(|(_, command)| command.get_name() == word);
    found.map(|(group, command)| format!("{} {}", group.get_name(), command.get_name())).collect()
}

fn list(program: &Command) -> String {
    let mut text = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(text, "{group}:");
        for name in names.iter().filter(|name| program.find_subcommand(name).is_some()) {
            let about = ABOUT.iter().find(|(of, _)| of == name).map_or("", |(_, about)| about);
            let _ = writeln!(text, "  {name:<NAMES$}{about}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let program = crate::program();
        let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
        let mut there: Vec<&str> = shown.map(Command::get_name).collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let mut told: Vec<&str> = ABOUT.iter().map(|(name, _)| *name).collect();
        for names in [&mut there, &mut listed, &mut told] {
            names.sort_unstable();
        }
        assert_eq!((&there, &there), (&listed, &told));
        assert!(there.len() <= 18, "{there:?}");
        let help = program.clone().render_help().to_string();
        assert!(help.lines().count() <= 30, "{} lines: {help}", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
        assert!(help.contains("Exit codes: 0 done"), "{help}");
    }

    #[test]
    fn number_that_is_none_is_named_in_plain_words() {
        let said = |line: &str| {
            let error = crate::program().try_get_matches_from(line.split(' ')).unwrap_err();
            in_plain_words(error).render().to_string()
        };
        assert!(said("xpuck demo --speed 8x").contains("'8x' for '--speed <SPEED>': must be a number"));
        assert!(said("xpuck demo --robots -3").starts_with("error: invalid value '-3'"));
        assert!(said("xpuck demo --no-such").contains("unexpected argument"));
    }

    #[test]
    fn grouped_command_is_found_by_its_name() {
        let program = crate::program();
        assert_eq!(called(&program, "explain"), ["tree explain", "world explain"]);
        assert!(called(&program, "purr").is_empty());
        for (_, here) in CALLED_ELSEWHERE {
            let found = here.split(' ').try_fold(&program, |group, name| group.find_subcommand(name));
            assert!(found.is_some(), "{here}");
        }
    }
}

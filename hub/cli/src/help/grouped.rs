//! `xpuck --help`: the commands in groups, by what somebody wants to do.

use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::fmt::Write;

/// Groups in the order in which people come to them, with their commands.
const GROUPS: [(&str, &[&str]); 12] = [
    ("Try it", &["demo"]),
    ("Trees", &["tree", "automaton", "check"]),
    ("Simulate", &["simulate", "world", "engines", "bench", "fuzz-swarm"]),
    ("Evolve", &["evolve", "body", "kilobot", "lineage", "remeasure", "sweep", "geneserver", "island"]),
    ("Analyse", &["report", "study"]),
    (
        "A swarm",
        &["start", "pause", "resume", "next", "stop", "park", "trials", "push", "update", "doctor", "hub", "arena"],
    ),
    ("Other programs", &["serve", "draw-path", "watch"]),
    ("Look at a swarm", &["console", "status", "top", "robots", "log", "note", "snapshot"]),
    ("Single robots", &["identify", "hold", "release", "reboot", "drive", "enrol", "replace"]),
    ("Records", &["runs", "calibrate"]),
    ("Robots' boards", &["image", "flash"]),
    ("Keys and set-up", &["init", "keys", "markers", "schema", "completions", "man", "help"]),
];
/// Columns of the commands' names, and of a line.
const NAMES: usize = 14;
const LINE: usize = 100;

const EXIT_CODES: &str = "Exit codes: 0 done; 1 something is wrong, and a line on standard error says what; 2 the arguments \
    are wrong; 75 stopped, and the same command (or --resume) goes on: evolve, body evolve, kilobot evolve, sweep, island; 130 a demo that Ctrl-C ended.";

/// The definition with the grouped list in its help.
pub fn grouped(program: Command) -> Command {
    let list = list(&program);
    program
        .help_template(format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}"))
        .after_help(format!(
            "Start with `xpuck demo`: a whole swarm on this machine. `xpuck COMMAND --help` shows examples.\n\n{EXIT_CODES}"
        ))
}

/// Names from other programs, and the command that does the same here.
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
    ("plot", "report"),
    ("view", "console"),
    ("new", "init"),
];

/// An error of the arguments; where a word is no command at the top but one of a group, it names that one.
pub fn elsewhere(program: &Command, mut error: clap::Error) -> clap::Error {
    let word = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(word))) => word.clone(),
        _ => return error,
    };
    // Below a group its own commands are meant.
    if std::env::args().nth(1).as_ref() != Some(&word) {
        return error;
    }
    let mut found = called(program, &word);
    found.extend(CALLED_ELSEWHERE.iter().filter(|(name, _)| *name == word).map(|(_, here)| (*here).to_string()));
    if !found.is_empty() {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(found));
    }
    error
}

/// Phrases of Rust's own parsers for a number that is none, and the same in plain words.
const NUMBERS: [(&str, &str); 4] = [
    ("invalid float literal", "it is no number, such as 2 or 0.5"),
    ("cannot parse float from empty string", "it is no number, such as 2 or 0.5"),
    ("invalid digit found in string", "it is no whole number, 0 or more"),
    ("cannot parse integer from empty string", "it is no whole number, 0 or more"),
];

/// The error with numbers that cannot be read named in plain words.
pub fn in_plain_words(error: clap::Error) -> clap::Error {
    if error.kind() != ErrorKind::ValueValidation {
        return error;
    }
    let text = error.render().to_string();
    match NUMBERS.iter().find(|(said, _)| text.contains(said)) {
        // Its first word is printed anew.
        Some((said, words)) => {
            let text = text.replace(said, words);
            clap::Error::raw(ErrorKind::ValueValidation, text.strip_prefix("error: ").unwrap_or(&text))
        }
        None => error,
    }
}

/// Commands of groups with this name, with their groups.
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
        for name in names {
            let about = match (program.find_subcommand(name), *name) {
                (Some(command), _) => command.get_about().map(ToString::to_string).unwrap_or_default(),
                (None, "help") => "Print this message or the help of a command".into(),
                // A guest's, without its feature.
                (None, _) => continue,
            };
            let mut line = format!("  {name:<NAMES$}");
            for word in about.split(' ') {
                if line.chars().count() + 1 + word.chars().count() > LINE {
                    let _ = writeln!(text, "{}", line.trim_end());
                    line = " ".repeat(NAMES + 2);
                }
                line += word;
                line.push(' ');
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let program = crate::program();
        let mut there: Vec<&str> = program.get_subcommands().map(Command::get_name).chain(["help"]).collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        there.sort_unstable();
        listed.sort_unstable();
        assert_eq!(there, listed);
        let help = program.clone().render_help().to_string();
        for (group, names) in GROUPS {
            assert!(help.contains(&format!("{group}:\n  {}", names[0])), "{help}");
        }
        assert!(help.contains("Exit codes: 0 done"), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 120), "{help}");
    }

    #[test]
    fn number_that_is_none_is_named_in_plain_words() {
        let said = |line: &str| {
            let error = crate::program().try_get_matches_from(line.split(' ')).unwrap_err();
            in_plain_words(error).render().to_string()
        };
        assert!(said("xpuck demo --speed 8x").contains("'8x' for '--speed <SPEED>': it is no number"));
        assert!(said("xpuck demo --robots -3").starts_with("error: invalid value '-3'"));
        assert!(said("xpuck demo --no-such").contains("unexpected argument"));
    }

    #[test]
    fn a_command_of_a_group_is_found_by_its_name() {
        let program = crate::program();
        assert_eq!(called(&program, "explain"), ["tree explain", "automaton explain"]);
        assert!(called(&program, "purr").is_empty());
        for (_, here) in CALLED_ELSEWHERE {
            let found = here.split(' ').try_fold(&program, |group, name| group.find_subcommand(name));
            assert!(found.is_some(), "{here}");
        }
    }
}

//! `xpuck --help`: the commands in groups, by what somebody wants to do.

use clap::Command;
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
    are wrong; 75 stopped, and the same command (or --resume) goes on: evolve, body evolve, sweep, island; 130 a demo that Ctrl-C ended.";

/// The definition with the grouped list in its help.
pub fn grouped(program: Command) -> Command {
    let list = list(&program);
    program
        .help_template(format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}Options:\n{{options}}{{after-help}}"))
        .after_help(format!(
            "Start with `xpuck demo`: a whole swarm on this machine. `xpuck COMMAND --help` shows examples.\n\n{EXIT_CODES}"
        ))
}

fn list(program: &Command) -> String {
    let mut text = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(text, "{group}:");
        for name in names {
            let about = program.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let about = about.unwrap_or_else(|| "Print this message or the help of a command".into());
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
}

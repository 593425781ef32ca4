//! Names of commands before version 0.2. They still work, and a line on standard error states the current name.

use std::ffi::OsString;

/// Former names of commands, each with its current name.
const RENAMED: [(&str, &str); 69] = [
    ("arena", "serve arena"),
    ("automaton diff", "tree diff --kind automata"),
    ("automaton draw", "tree draw --kind automata"),
    ("automaton explain", "tree explain --kind automata"),
    ("automaton fmt", "tree fmt --kind automata"),
    ("automaton from-tree", "tree convert --kind trees --to automaton"),
    ("automaton simplify", "tree reduce --kind automata"),
    ("automaton to-tree", "tree convert --kind automata"),
    ("automaton try", "simulate --kind automata"),
    ("bench", "dev bench"),
    ("body curves", "runs curves"),
    ("body evolve", "evolve --kind bodies"),
    ("body export", "tree convert --kind bodies"),
    ("body import", "tree convert --kind bodies --to prif"),
    ("body serve", "serve body"),
    ("body show", "tree explain --kind bodies"),
    ("body simulate", "simulate --kind bodies"),
    ("calibrate camera", "calibrate fit camera"),
    ("calibrate collisions", "calibrate fit collisions"),
    ("calibrate friction", "calibrate fit friction"),
    ("calibrate ir", "calibrate fit ir"),
    ("calibrate latency", "calibrate fit latency"),
    ("calibrate run", "calibrate fit run"),
    ("calibrate steering", "calibrate fit steering"),
    ("completions", "dev completions"),
    ("console", "swarm console"),
    ("draw-path", "simulate --kind individuals"),
    ("drive", "robot drive"),
    ("engines", "dev engines"),
    ("enrol", "robot enrol"),
    ("flash", "card flash"),
    ("fuzz-swarm", "dev fuzz-swarm"),
    ("geneserver", "serve geneserver"),
    ("hold", "robot hold"),
    ("hub", "serve hub"),
    ("identify", "robot identify"),
    ("image", "card build"),
    ("island", "serve island"),
    ("kilobot evolve", "evolve --kind kilobots"),
    ("kilobot hex", "tree convert --kind kilobots --to hex"),
    ("kilobot simulate", "simulate --kind kilobots"),
    ("lineage", "runs lineage"),
    ("log", "swarm log"),
    ("man", "dev man"),
    ("markers", "dev markers"),
    ("next", "swarm next"),
    ("note", "swarm note"),
    ("park", "swarm park"),
    ("push", "robot push"),
    ("reboot", "robot reboot"),
    ("release", "robot release"),
    ("remeasure", "runs remeasure"),
    ("replace", "robot replace"),
    ("report", "runs report"),
    ("robots", "robot list"),
    ("schema", "dev schema"),
    ("snapshot", "robot snapshot"),
    ("top", "swarm top"),
    ("tree check", "check"),
    ("tree equal", "tree diff --kind trees"),
    ("tree from-fsm", "tree convert --kind machines"),
    ("tree from-individual", "tree convert --kind individuals"),
    ("tree memoryless", "tree convert --kind trees --to memoryless"),
    ("tree rasp", "dev rasp"),
    ("tree to-fsm", "tree convert --kind trees --to fsm"),
    ("trials", "swarm trials"),
    ("update", "robot update"),
    ("watch", "dev watch"),
    ("world check", "check"),
];

/// Options that became subcommands: current name of the command, option, and current name of the subcommand.
const OPTIONS: [(&str, &str, &str); 5] = [
    ("robot update", "--status", "robot update status"),
    ("robot update", "--abort", "robot update abort"),
    ("sweep", "--list", "sweep list"),
    ("sweep", "--collect", "sweep collect"),
    ("sweep", "--slurm", "sweep slurm"),
];
/// Subcommands of `xpuck runs` whose former option `--runs` selected the record directory. It is now `--folder`.
const OF_FOLDERS: [&str; 9] = ["list", "show", "export", "verify", "recover", "replay", "table", "lineage", "report"];
/// Subcommands of `xpuck runs` whose option `--runs` is a count.
const COUNTED: [&str; 2] = ["curves", "remeasure"];
/// Options of every command.
const OF_ALL: [&str; 6] = ["-h", "--help", "-V", "--version", "--quiet", "--"];
/// Subcommands of `xpuck sweep`. Any other word after `sweep` is a file to run.
const SWEEP: [&str; 6] = ["new", "run", "list", "collect", "slurm", "help"];

/// Converts a command line to its current form. Also returns the former and the current name if the command was
/// renamed.
pub fn renamed(mut words: Vec<OsString>) -> (Vec<OsString>, Option<(String, String)>) {
    let at = |n: usize| words.get(n).and_then(|word| word.to_str()).unwrap_or_default().to_string();
    let (first, second) = (at(1), at(2));
    let two = format!("{first} {second}");
    let found = RENAMED.iter().find(|(old, _)| *old == two || *old == first);
    let (mut old, mut new, mut rest) = match found {
        Some((old, new)) => ((*old).to_string(), (*new).to_string(), 1 + old.split(' ').count()),
        None => (String::new(), first.clone(), 2),
    };
    let is_file = !second.is_empty() && !SWEEP.contains(&second.as_str()) && !OF_ALL.contains(&second.as_str());
    if old == "tree to-fsm" {
        (words, new) = notation(words, new);
    }
    for (command, option, now) in OPTIONS {
        let place = words.iter().position(|word| word == option);
        if let Some(place) = place.filter(|_| new == command && (command != "sweep" || is_file)) {
            words.remove(place);
            (old, new) = (format!("{} {option}", if old.is_empty() { command } else { &old }), now.to_string());
            break;
        }
    }
    if new == "sweep" && is_file {
        (old, new, rest) = ("sweep".into(), "sweep run".into(), 2);
    }
    // The subcommand is searched for, because `--runs` could also precede it.
    let known = |word: &str| OF_FOLDERS.contains(&word) || COUNTED.contains(&word);
    let below = words.iter().skip(2).filter_map(|word| word.to_str()).find(|word| known(word)).unwrap_or_default();
    let below = new.split(' ').nth(1).unwrap_or(below).to_string();
    if new.split(' ').next() == Some("runs") && OF_FOLDERS.contains(&below.as_str()) {
        let place = words
            .iter()
            .position(|word| *word == *"--runs" || word.to_str().is_some_and(|one| one.starts_with("--runs=")));
        if let Some(place) = place {
            words[place] = words[place].to_string_lossy().replacen("--runs", "--folder", 1).into();
            if old.is_empty() {
                return (words, Some((format!("runs {below} --runs"), format!("runs {below} --folder"))));
            }
        }
    }
    if old.is_empty() {
        return (words, None);
    }
    let first = words[..1].iter().cloned();
    let now = first.chain(new.split(' ').map(OsString::from)).chain(words[rest..].iter().cloned()).collect();
    // The reported name omits `--kind`, because the file determines the kind.
    let told = match new.starts_with("evolve") {
        true => new.clone(),
        false => new.split(" --kind ").next().unwrap_or(&new).to_string(),
    };
    let to = new.split_once(" --to ").map_or(String::new(), |(_, to)| format!(" --to {to}"));
    (now, Some((old, told + &to)))
}

/// Converts `--to` of the former command `tree to-fsm` to `--to` of `tree convert`. Returns the remaining words and the
/// current name. Without `--to`, `new` is the current name.
fn notation(mut words: Vec<OsString>, new: String) -> (Vec<OsString>, String) {
    let form = |text: &str| match text {
        "text" => Some("fsm"),
        "dot" => Some("fsm-dot"),
        "json" => Some("fsm-json"),
        _ => None,
    };
    let place =
        words.iter().position(|word| word.to_str().is_some_and(|word| word == "--to" || word.starts_with("--to=")));
    let Some(place) = place else { return (words, new) };
    let alone = words[place] == "--to";
    let said = match alone {
        true => words.get(place + 1).and_then(|word| word.to_str()).map(str::to_string),
        false => words[place].to_str().and_then(|word| word.strip_prefix("--to=")).map(str::to_string),
    };
    // An unknown notation is passed on, because `tree convert` rejects it.
    let Some(form) = said.as_deref().and_then(form) else { return (words, "tree convert --kind trees".into()) };
    words.drain(place..=place + usize::from(alone));
    (words, format!("tree convert --kind trees --to {form}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now(line: &str) -> (String, Option<(String, String)>) {
        let (words, told) = renamed(line.split(' ').map(OsString::from).collect());
        let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        (words.join(" "), told)
    }

    #[test]
    fn former_names_are_what_they_are_now() {
        for (line, expected) in [
            ("xpuck enrol xp10 --json", "xpuck robot enrol xp10 --json"),
            ("xpuck robot enrol xp10", "xpuck robot enrol xp10"),
            ("xpuck tree to-fsm a.bt --to dot", "xpuck tree convert --kind trees --to fsm-dot a.bt"),
            ("xpuck tree to-fsm a.bt --to=dot -o json", "xpuck tree convert --kind trees --to fsm-dot a.bt -o json"),
            ("xpuck tree to-fsm a.bt --to", "xpuck tree convert --kind trees a.bt --to"),
            ("xpuck sweep --quiet list s.toml", "xpuck sweep --quiet list s.toml"),
            ("xpuck sweep run --list", "xpuck sweep run --list"),
            ("xpuck runs --quiet remeasure --runs 4", "xpuck runs --quiet remeasure --runs 4"),
            ("xpuck tree to-fsm a.bt", "xpuck tree convert --kind trees --to fsm a.bt"),
            ("xpuck update --status --json", "xpuck robot update status --json"),
            ("xpuck sweep s.toml --collect --json", "xpuck sweep collect s.toml --json"),
            ("xpuck sweep s.toml --only 3", "xpuck sweep run s.toml --only 3"),
            ("xpuck sweep run s.toml", "xpuck sweep run s.toml"),
            ("xpuck sweep --help", "xpuck sweep --help"),
            ("xpuck runs --runs d show last", "xpuck runs --folder d show last"),
            ("xpuck runs list --runs d", "xpuck runs list --folder d"),
            ("xpuck report last --runs d", "xpuck runs report last --folder d"),
            ("xpuck remeasure a --runs 4", "xpuck runs remeasure a --runs 4"),
            ("xpuck stop", "xpuck stop"),
            ("xpuck", "xpuck"),
        ] {
            assert_eq!(now(line).0, expected, "{line}");
            assert_eq!(now(line).1.is_some(), line != expected, "{line}");
        }
        let told = now("xpuck kilobot hex a.bt").1.unwrap();
        assert_eq!(told, ("kilobot hex".into(), "tree convert --to hex".into()));
    }

    #[test]
    fn renamed_commands_exist_and_old_names_do_not() {
        let program = crate::program();
        for (old, new) in RENAMED {
            let mut at = &program;
            for word in new.split(' ').take_while(|word| !word.starts_with('-')) {
                at = at.find_subcommand(word).unwrap_or_else(|| panic!("{old}: no command `{new}`"));
            }
            let mut former = old.split(' ');
            let first = former.next().and_then(|word| program.find_subcommand(word));
            let still = former
                .next()
                .map_or(first.is_some(), |word| first.is_some_and(|group| group.find_subcommand(word).is_some()));
            assert!(!still, "`{old}` is a command still");
        }
    }
}

//! Commands that take files of several kinds. Each kind has its own command line. The arguments are parsed twice. The
//! first pass accepts the options of all kinds, and determines the file's kind. The second pass uses the command line
//! of this kind. The help shows the options that the kinds share, then the other options of each kind.

use anyhow::Result;
use clap::builder::{PossibleValue, ValueParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::ffi::OsString;
use std::marker::PhantomData;
use std::path::Path;
use std::process::ExitCode;

/// Name of the option that selects a kind.
const KIND: &str = "kind";

/// Kind of files, and the command for files of this kind.
pub struct Kind {
    /// Name of the kind, in the plural, such as `trees`.
    pub name: &'static str,
    /// Adds the arguments for this kind to a command.
    pub define: fn(Command) -> Command,
    /// Runs the command with these arguments.
    pub run: fn(&ArgMatches) -> Result<ExitCode>,
}

/// Result of a command that can be converted to an exit code.
pub trait Ends {
    /// Returns the exit code.
    ///
    /// # Errors
    /// The command failed.
    fn ends(self) -> Result<ExitCode>;
}

impl Ends for Result<()> {
    fn ends(self) -> Result<ExitCode> {
        self.map(|()| ExitCode::SUCCESS)
    }
}

impl Ends for Result<ExitCode> {
    fn ends(self) -> Result<ExitCode> {
        self
    }
}

/// Creates a `Kind` from its name, the type of its arguments and the function that runs it.
macro_rules! kind {
    ($name:literal, $args:ty, $run:expr) => {
        $crate::command::by_kind::Kind {
            name: $name,
            define: <$args as clap::Args>::augment_args,
            run: |matches| {
                let args = <$args as clap::FromArgMatches>::from_arg_matches(matches)?;
                $crate::command::by_kind::Ends::ends($run(&args))
            },
        }
    };
}
pub(crate) use kind;

/// Command that takes files of several kinds.
pub trait OfKinds {
    /// Name of the command without `xpuck`, such as `tree fmt`.
    const NAME: &'static str;
    /// Placeholder for the file in the help.
    const FILE: &'static str;
    /// Description of the file in the help.
    const READS: &'static str = "Tree, automata, or another kind of file named above";
    /// Whether a file is required.
    const REQUIRED: bool = true;
    /// Summary line, then an empty line and the full description.
    const ABOUT: &'static str;

    /// Returns all kinds, with the default kind first.
    fn kinds() -> Vec<Kind>;

    /// Returns the name of a file's kind; `None` for the default kind.
    fn kind_of(file: &Path, matches: &ArgMatches) -> Option<&'static str>;
}

/// Arguments of a command that takes files of several kinds.
pub struct ByKind<T> {
    matches: ArgMatches,
    command: PhantomData<T>,
}

impl<T> FromArgMatches for ByKind<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(ByKind { matches: matches.clone(), command: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.matches = matches.clone();
        Ok(())
    }
}

impl<T: OfKinds> Args for ByKind<T> {
    fn augment_args(command: Command) -> Command {
        union::<T>(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        union::<T>(command)
    }
}

/// Returns the id of the n-th positional argument, counted from 0.
fn place(n: usize) -> String {
    format!("file-{n}")
}

/// Returns the arguments of a kind's command line.
fn arguments(kind: &Kind) -> Vec<Arg> {
    (kind.define)(Command::new("kind")).get_arguments().cloned().collect()
}

/// Adds the arguments of all kinds to a command. An option that several kinds have is added once.
fn union<T: OfKinds>(command: Command) -> Command {
    let (about, more) = T::ABOUT.split_once("\n\n").unwrap_or((T::ABOUT, ""));
    let kinds: Vec<(&str, Vec<Arg>)> = T::kinds().iter().map(|kind| (kind.name, arguments(kind))).collect();
    let mut command = command.about(about.to_string()).long_about(format!("{about}.\n\n{more}").trim_end().to_string());
    let most = kinds.iter().map(|(_, args)| args.iter().filter(|arg| arg.is_positional()).count()).max().unwrap_or(0);
    for n in 0..most {
        let last = n + 1 == most;
        let name = if most > 1 && !last {
            "OLD"
        } else if most > 1 {
            "NEW"
        } else {
            T::FILE
        };
        let arg = Arg::new(place(n)).value_name(name).value_parser(ValueParser::path_buf());
        let many = kinds.iter().flat_map(|(_, args)| args).any(|arg| arg.is_positional() && takes_many(arg));
        command = command.arg(match last && many {
            true => arg.action(ArgAction::Append).num_args(0..).help(T::READS).required(T::REQUIRED),
            false => arg.help(T::READS).required(T::REQUIRED),
        });
    }
    let mut seen: Vec<String> = Vec::new();
    for (name, args) in &kinds {
        for arg in args.iter().filter(|arg| !arg.is_positional()) {
            let long = arg.get_long().expect("every option has a long name").to_string();
            if seen.contains(&long) {
                continue;
            }
            let owners: Vec<(&str, &Arg)> = kinds
                .iter()
                .filter_map(|(name, args)| Some((*name, args.iter().find(|arg| arg.get_long() == Some(&long))?)))
                .collect();
            command = command.arg(merged(name, arg, &owners));
            seen.push(long);
        }
    }
    if kinds.len() > 1 {
        let names: Vec<&str> = kinds.iter().map(|(name, _)| *name).collect();
        command = command.arg(
            Arg::new(KIND).long(KIND).value_name("KIND").value_parser(names).help("Kind of FILE [default: detected]"),
        );
    }
    command
}

fn takes_many(arg: &Arg) -> bool {
    arg.get_num_args().is_some_and(|range| range.max_values() > 1) || matches!(arg.get_action(), ArgAction::Append)
}

/// Merges the definitions of an option, `owners`, into one definition for the help. The merged option accepts any value
/// or any possible value of a kind, because values are parsed when the kind is known. `kind` is the first kind with the
/// option, and `arg` is its definition.
fn merged(kind: &str, arg: &Arg, owners: &[(&str, &Arg)]) -> Arg {
    let long = arg.get_long().unwrap_or_default().to_string();
    let mut option = Arg::new(long.clone()).long(long).hide(arg.is_hide_set());
    if let Some(short) = arg.get_short() {
        option = option.short(short);
    }
    for (alias, _) in owners.iter().flat_map(|(_, arg)| arg.get_all_aliases().unwrap_or_default()).map(|a| (a, ())) {
        option = option.alias(alias.to_string());
    }
    if owners.len() == 1 {
        let mut heading = kind.to_string();
        heading[..1].make_ascii_uppercase();
        option = option.help_heading(heading);
    }
    let takes = arg.get_action().takes_values();
    let default = |arg: &Arg| -> Option<String> {
        let values: Vec<String> =
            arg.get_default_values().iter().map(|value| value.to_string_lossy().into_owned()).collect();
        (takes && !values.is_empty()).then(|| values.join(","))
    };
    let first = default(arg);
    let mut help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    if let Some(first) = &first {
        let others = owners.iter().filter_map(|(name, arg)| Some((name, default(arg).filter(|other| other != first)?)));
        let others: String = others.map(|(name, other)| format!("; of {name}: {other}")).collect();
        help += &format!(" [default: {first}{others}]");
    }
    let mut values: Vec<PossibleValue> = Vec::new();
    for value in owners.iter().filter(|_| takes).flat_map(|(_, arg)| arg.get_possible_values()) {
        if !values.iter().any(|known| known.get_name() == value.get_name()) {
            values.push(value);
        }
    }
    option = option.help(help);
    if !takes {
        return option.action(ArgAction::SetTrue);
    }
    if let Some(names) = arg.get_value_names() {
        option = option.value_names(names.to_vec());
    }
    if let Some(range) = arg.get_num_args() {
        option = option.num_args(range);
    }
    option = match () {
        () if !values.is_empty() => option.value_parser(values),
        // The parser for paths makes shells complete file names.
        () if arg.get_value_parser().type_id() == ValueParser::path_buf().type_id() => {
            option.value_parser(ValueParser::path_buf())
        }
        () => option.value_parser(ValueParser::os_string()),
    };
    option.action(ArgAction::Append)
}

impl<T: OfKinds> ByKind<T> {
    /// Runs the command of the file's kind.
    ///
    /// # Errors
    /// An option belongs to another kind, or the command fails.
    pub fn run(&self) -> Result<ExitCode> {
        let kinds = T::kinds();
        let kind = self.kind(&kinds);
        let own = arguments(kind);
        let command = (kind.define)(Command::new("xpuck").bin_name(format!("xpuck {}", T::NAME))).mut_args(|arg| {
            match arg.get_action().takes_values() && !arg.is_positional() {
                true => arg.allow_negative_numbers(true),
                false => arg,
            }
        });
        if let Some(option) = self.options().find(|long| !own.iter().any(|arg| arg.get_long() == Some(long))) {
            let of: Vec<&str> = kinds
                .iter()
                .filter(|kind| arguments(kind).iter().any(|arg| arg.get_long() == Some(&option)))
                .map(|kind| kind.name)
                .collect();
            let said = format!("--{option} is for {}; the file is of kind {}\n", of.join(" and "), kind.name);
            return Err(clap::Error::raw(ErrorKind::UnknownArgument, said).into());
        }
        (kind.run)(&command.try_get_matches_from(self.words(&own))?)
    }

    /// Returns the options on the command line, except for those that every command has.
    fn options(&self) -> impl Iterator<Item = String> {
        // Only options that a kind defines are returned. This leaves out options that every command has.
        let known: Vec<String> =
            T::kinds().iter().flat_map(arguments).filter_map(|arg| Some(arg.get_long()?.into())).collect();
        let ids = self.matches.ids().map(|id| id.as_str().to_string());
        ids.filter(move |id| known.contains(id) && self.matches.value_source(id) == Some(ValueSource::CommandLine))
    }

    fn files(&self) -> Vec<OsString> {
        let values = |n: usize| self.matches.try_get_raw(&place(n)).ok().flatten().into_iter().flatten();
        (0..2).flat_map(values).map(OsString::from).collect()
    }

    fn kind<'a>(&self, kinds: &'a [Kind]) -> &'a Kind {
        let named = |name: &str| kinds.iter().find(|kind| kind.name == name);
        let asked = self.matches.try_get_one::<String>(KIND).ok().flatten();
        if let Some(kind) = asked.and_then(|name| named(name)) {
            return kind;
        }
        let named_by = |option: &str| Some(self.matches.try_get_raw(option).ok()??.next()?.to_os_string());
        let file = self.files().into_iter().next().or(named_by("resume")).or(named_by("curriculum"));
        if let Some(kind) = file.and_then(|file| T::kind_of(Path::new(&file), &self.matches)).and_then(named) {
            return kind;
        }
        if !self.files().is_empty() {
            return &kinds[0];
        }
        // Without a file, the first kind that has all given options is selected.
        let has = |kind: &&Kind| {
            let own = arguments(kind);
            self.options().all(|long| own.iter().any(|arg| arg.get_long() == Some(&long)))
        };
        kinds.iter().find(has).unwrap_or(&kinds[0])
    }

    /// Returns the words of the command line for a kind. `own` contains the kind's argument definitions. A folder
    /// becomes the value of --resume, if the kind has this option.
    fn words(&self, own: &[Arg]) -> Vec<OsString> {
        let mut words = vec![OsString::from("xpuck")];
        for long in self.options() {
            let flag = OsString::from(format!("--{long}"));
            let takes = own.iter().any(|arg| arg.get_long() == Some(&long) && arg.get_action().takes_values());
            if !takes {
                words.push(flag);
                continue;
            }
            for values in self.matches.get_raw_occurrences(&long).into_iter().flatten() {
                match &values.collect::<Vec<_>>()[..] {
                    // The form --option=value also works for values that begin with a dash.
                    [value] => words.push([flag.as_os_str(), "=".as_ref(), value].into_iter().collect()),
                    values => words.extend([flag.as_os_str()].iter().chain(values).map(OsString::from)),
                }
            }
        }
        let mut files = self.files();
        let goes_on = own.iter().any(|arg| arg.get_long() == Some("resume"));
        if goes_on && files.len() == 1 && Path::new(&files[0]).is_dir() {
            words.push("--resume".into());
            words.append(&mut files);
            return words;
        }
        if !files.is_empty() {
            words.push("--".into());
        }
        words.append(&mut files);
        words
    }
}

//! `xpuck keys`: keys of hub, robots and users ([security](../../../docs/security.md)).

use crate::terminal::print_json;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use xpuck_wire::Swarm;
use xpuck_wire::keyring::{self, Keyring, Role};
use xpuck_wire::keys::{Public, Secret};
use xpuck_wire::output;

/// Make, enrol and revoke the keys of hub, robots, operators and observers.
///
/// A running hub applies changes within a second. Secrets (.key) belong only on their owner's machine, with mode 600.
#[derive(Args)]
pub struct KeysArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make the key pairs of a swarm: hub, one operator, and the robots of a swarm file. Existing pairs stay.
    New {
        /// Folder of keys.
        #[arg(long, default_value = "keys")]
        dir: PathBuf,
        /// Swarm file (.toml) whose robots get keys.
        #[arg(long = "swarm", alias = "robots", value_name = "SWARM")]
        robots: Option<PathBuf>,
    },
    /// Make one key pair, NAME.key and NAME.pub, on its owner's machine; or a pair for a geneserver and its islands.
    Make {
        /// Name of the owner.
        name: String,
        /// Folder to write to.
        #[arg(long, default_value = ".")]
        dir: PathBuf,
    },
    /// Enrol a robot, operator or observer by the public half of its key.
    Enrol {
        /// Public half, NAME.pub.
        file: PathBuf,
        /// Role of the key.
        #[arg(long)]
        role: RoleName,
        /// Folder of the hub's keys.
        #[arg(long, default_value = "keys")]
        dir: PathBuf,
    },
    /// Revoke a key, so that its owner loses access.
    Revoke {
        /// Name of the owner.
        name: String,
        /// Role to revoke; required if the name has several roles.
        #[arg(long)]
        role: Option<RoleName>,
        /// Folder of the hub's keys.
        #[arg(long, default_value = "keys")]
        dir: PathBuf,
    },
    /// List the enrolled keys.
    List {
        /// Folder of keys.
        #[arg(long, default_value = "keys")]
        dir: PathBuf,
        /// Print a JSON list: role, name and public key of each owner.
        #[arg(long)]
        json: bool,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum RoleName {
    Robot,
    Operator,
    Observer,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Role {
        match name {
            RoleName::Robot => Role::Robot,
            RoleName::Operator => Role::Operator,
            RoleName::Observer => Role::Observer,
        }
    }
}

/// Enrolled key, as printed by `xpuck keys list --json`.
#[derive(Serialize, JsonSchema)]
pub struct HolderOutput<'a> {
    /// Role: robot, operator or observer.
    role: &'a str,
    /// Name of the robot or user.
    name: &'a str,
    /// Public key.
    key: &'a str,
}

/// Runs the command.
pub fn run(args: &KeysArgs) -> Result<()> {
    match &args.command {
        Command::New { dir, robots } => new(dir, robots.as_deref()),
        Command::Make { name, dir } => {
            if !keyring::create_pair(dir, None, name)? {
                bail!("{}: already exists", dir.join(format!("{name}.pub")).display());
            }
            output::line(format_args!("made {0}.key, which is secret, and {0}.pub", dir.join(name).display()))?;
            Ok(())
        }
        Command::Enrol { file, role, dir } => enrol(file, (*role).into(), dir),
        Command::Revoke { name, role, dir } => revoke(name, role.map(Role::from), dir),
        Command::List { dir, json } => {
            let holders = holders(dir)?;
            if *json {
                let rows: Vec<_> =
                    holders.iter().map(|(role, name, key)| HolderOutput { role: role.name(), name, key }).collect();
                return print_json(&rows);
            }
            Ok(output::line(lines(&holders))?)
        }
    }
}

fn new(dir: &Path, swarm: Option<&Path>) -> Result<()> {
    let robots = swarm.map(Swarm::read).transpose()?.map(|swarm| swarm.robots).unwrap_or_default();
    let made = keyring::create_missing_pairs(dir, &robots)?;
    match made.is_empty() {
        true => output::line(format_args!("{}: nothing was missing", dir.display()))?,
        false => output::line(format_args!("{}: made keys for {}", dir.display(), made.join(", ")))?,
    }
    Ok(())
}

fn enrol(file: &Path, role: Role, dir: &Path) -> Result<()> {
    let public = readable(file, None, dir)?;
    let_in(file, role, dir)?;
    output::line(format_args!("enrolled {} {}", role.name(), public.name))?;
    Ok(())
}

/// Reads the public half of a key, and checks that the key can be enrolled. If `name` is given, the owner of the key
/// must have this name.
///
/// # Errors
/// `dir` is not a folder of keys, the key is already enrolled, or its owner has another name.
pub fn readable(file: &Path, name: Option<&str>, dir: &Path) -> Result<Public> {
    let public = Public::read(file)?;
    if let Some(name) = name.filter(|name| *name != public.name) {
        bail!("{}: is the key of `{}`; make one for {name}: `xpuck keys make {name}`", file.display(), public.name);
    }
    if !dir.join("hub.pub").exists() {
        bail!("{}: is not a key folder; `xpuck keys new` makes one", dir.display());
    }
    let (ring, _) = Keyring::read(dir)?;
    if let Some(holder) = ring.holder(&public.curve) {
        bail!("{}: this key is already enrolled as {} `{}`", file.display(), holder.role.name(), holder.public.name);
    }
    Ok(public)
}

/// Enrols a key: adds its public half to the folder of keys.
///
/// # Errors
/// Another key has the same name, or the file cannot be written.
pub fn let_in(file: &Path, role: Role, dir: &Path) -> Result<()> {
    let public = Public::read(file)?;
    let path = keyring::path(dir, role, &public.name, "pub");
    std::fs::create_dir_all(dir.join(role.folder())).with_context(|| format!("{}", dir.display()))?;
    public
        .write(&path)
        .context("another key has this name; make this key under another name, or revoke the other key first")?;
    Ok(())
}

fn revoke(name: &str, role: Option<Role>, dir: &Path) -> Result<()> {
    let roles: Vec<Role> =
        keyring::roles(dir, name)?.into_iter().filter(|r| role.is_none_or(|role| role == *r)).collect();
    let [role] = roles[..] else {
        let names: Vec<&str> = roles.iter().map(|r| r.name()).collect();
        match names.is_empty() {
            true => bail!("{}: no key named `{name}` is enrolled", dir.display()),
            false => bail!("`{name}` is enrolled as {}; choose one with --role", names.join(" and ")),
        }
    };
    let aside = keyring::revoke(dir, role, name)?;
    output::line(format_args!("revoked {} {name}", role.name()))?;
    if let Some(aside) = aside {
        output::line(format_args!("its secret key is now {}", aside.display()))?;
    }
    Ok(())
}

/// Lists the enrolled keys, one on each line. Checks every file.
///
/// # Errors
/// A file in the folder is invalid.
pub fn describe(dir: &Path) -> Result<String> {
    Ok(lines(&holders(dir)?))
}

/// Role, name and public key of an enrolled owner.
type Holder = (Role, String, String);

fn lines(holders: &[Holder]) -> String {
    let line = |(role, name, key): &Holder| format!("{:<9} {name:<12} {key}", role.name());
    holders.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn holders(dir: &Path) -> Result<Vec<Holder>> {
    Public::read(&dir.join("hub.pub"))?;
    let (ring, wrong) = Keyring::read(dir)?;
    if let Some(first) = wrong.first() {
        bail!("{first}");
    }
    let mut holders: Vec<Holder> =
        ring.holders().map(|h| (h.role, h.public.name.clone(), format!("{:?}", h.public.curve))).collect();
    holders.sort();
    let secrets = holders.iter().map(|(role, name, _)| keyring::path(dir, *role, name, "key"));
    for path in secrets.chain([dir.join("hub.key")]).filter(|path| path.exists()) {
        Secret::read(&path)?;
    }
    Ok(holders)
}

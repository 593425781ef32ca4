//! `xpuck check DIR`: lists all errors and missing files of a swarm's folder at once.

use crate::arena::{self, BodyFile};
use crate::files::check_file::{self, CheckResult, robot};
use clap::ValueEnum;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Table;
use xpuck_arena::BodyKind;
use xpuck_hub_core::config::{Config, MocapKind};
use xpuck_hub_service::config_file;
use xpuck_image::identity;
use xpuck_wire::keyring::{self, OPERATOR, Role};
use xpuck_wire::keys::Secret;
use xpuck_wire::{Swarm, file, output};

/// Files of a swarm's folder with fixed names.
const NAMED: [&str; 5] = ["swarm.toml", "hub.toml", "arena.toml", identity::CARDS, "cards-written.toml"];

/// Checks a swarm's folder. Returns a line for each valid file and for each error.
pub fn check(folder: &Path) -> Vec<CheckResult> {
    let mut found = Vec::new();
    let swarm = swarm(folder, &mut found);
    let has_swarm = swarm.is_some();
    let hub = hub(folder, &mut found);
    let robots = swarm.as_ref().map(|swarm| robots(folder, swarm, &mut found)).unwrap_or_default();
    arena_file(folder, hub.as_ref(), &robots, &mut found);
    if let Some(swarm) = swarm.filter(|swarm| !swarm.security.dev_mode) {
        keys(folder, &swarm, &robots, &mut found);
    }
    let cards = folder.join(identity::CARDS);
    if is_there(&cards) {
        // A missing or invalid swarm file is already listed with its own error, so the identities are not checked
        // without it.
        let checked = if has_swarm { identity::check(folder) } else { Ok(()) };
        let read = checked.and_then(|()| identity::board(folder)).map_err(|error| error.to_string());
        found.push(read.map(|board| match board {
            Some(board) => format!("{}: cards for {board}", cards.display()),
            None => format!("{}: cards", cards.display()),
        }));
    }
    others(folder, &mut found);
    found
}

fn missing(path: &Path, remedy: &str) -> CheckResult {
    Err(format!("{}: is missing; {remedy}", path.display()))
}

fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn swarm(folder: &Path, found: &mut Vec<CheckResult>) -> Option<Swarm> {
    let path = folder.join(NAMED[0]);
    if !is_there(&path) {
        found.push(missing(&path, "is this the swarm's folder? `xpuck init` makes one"));
        return None;
    }
    let read = Swarm::read(&path);
    found.push(match &read {
        Ok(swarm) => Ok(format!("{}: a swarm of {}", path.display(), swarm.robots.len())),
        Err(error) => Err(error.to_string()),
    });
    read.ok()
}

fn hub(folder: &Path, found: &mut Vec<CheckResult>) -> Option<Config> {
    let path = folder.join(NAMED[1]);
    if !is_there(&path) {
        found.push(missing(&path, "the hub requires it (docs/hub.md)"));
        return None;
    }
    let read = config_file::read(&path);
    found.push(match &read {
        Ok(config) => Ok(format!("{}: a hub for {} robots", path.display(), config.swarm.robots.len())),
        Err(error) => Err(error.to_string()),
    });
    let config = read.ok()?;
    let speaks = !matches!(config.hub.mocap.kind, MocapKind::Replay);
    if speaks && !config.hub.mocap.address.contains(':') {
        found.push(Err(format!(
            "{}: mocap.address = {:?} has no port; Vicon's is 801, as in \"192.168.1.3:801\"",
            path.display(),
            config.hub.mocap.address
        )));
    }
    Some(config)
}

/// Checks every robot's file. Returns the contents of the readable files by robot id.
fn robots(folder: &Path, swarm: &Swarm, found: &mut Vec<CheckResult>) -> BTreeMap<String, Table> {
    let mut read = BTreeMap::new();
    let xpuckd = std::env::current_exe().ok().map(|path| path.with_file_name("xpuckd")).filter(|path| path.exists());
    for id in &swarm.robots {
        let path = folder.join("robots").join(format!("{id}.toml"));
        if !is_there(&path) {
            found.push(missing(
                &path,
                &format!("swarm.toml lists {id}; remove it there, or write its file (docs/robots.md)"),
            ));
            continue;
        }
        found.push(robot(&path, xpuckd.as_deref()));
        if let Ok(table) = file::read::<Table>(&path) {
            if table.get("id").and_then(|id| id.as_str()).is_some_and(|other| other != id) {
                found.push(Err(format!("{}: id is not {id}, the file's name; make them the same", path.display())));
            }
            read.insert(id.clone(), table);
        }
    }
    read
}

/// Checks the arena's file, and whether it agrees with the files of hub and robots.
fn arena_file(folder: &Path, hub: Option<&Config>, robots: &BTreeMap<String, Table>, found: &mut Vec<CheckResult>) {
    let path = folder.join(NAMED[2]);
    let name = path.display();
    let kind = |table: &Table| table.get("devices").and_then(|d| d.get("kind")?.as_str().map(String::from));
    let simulated: Vec<(&String, &Table)> =
        robots.iter().filter(|(_, table)| kind(table).as_deref() == Some("virtual")).collect();
    if !is_there(&path) {
        if let Some((id, _)) = simulated.first() {
            found.push(missing(
                &path,
                &format!("robots/{id}.toml requires it, because it has kind = \"virtual\" (docs/arena.md)"),
            ));
        }
        return;
    }
    let settings = match arena::settings(&path) {
        Ok(settings) => settings,
        Err(error) => return found.push(Err(output::error_chain(error.as_ref()))),
    };
    found.push(Ok(format!("{name}: an arena for {} robots", settings.robots.len())));
    if let Some(hub) = hub {
        let served = settings.mocap.to_string();
        if hub.hub.mocap.kind == MocapKind::Vicon && hub.hub.mocap.address != served {
            let asked = &hub.hub.mocap.address;
            found.push(Err(format!(
                "{name}: mocap is {served}, but mocap.address in hub.toml is {asked}; make them the same"
            )));
        }
        let (length, width) = settings.world.as_ref().map_or((2.0, 1.5), |world| {
            let (hx, hy) = world.physics.half_arena;
            (2.0 * hx, 2.0 * hy)
        });
        let known = &hub.hub.arena;
        if settings.world.is_some() && ((known.length_m - length).abs() > 1e-3 || (known.width_m - width).abs() > 1e-3)
        {
            found.push(Err(format!(
                "{name}: the world is {length} m x {width} m; set it in hub.toml: [arena] length_m = {length:?}, \
                 width_m = {width:?}"
            )));
        }
    }
    for (id, table) in simulated {
        let of = |key: &str| table.get("devices").and_then(|devices| devices.get(key));
        let size =
            ["camera_width", "camera_height"].map(|key| of(key).and_then(|v| v.as_integer()).unwrap_or_default());
        let (width, height) = (settings.camera.width, settings.camera.height);
        if size != [i64::from(width), i64::from(height)] {
            found.push(Err(format!(
                "robots/{id}.toml: camera_width and camera_height are {} and {}, but arena.toml has {width} and \
                 {height}; make them the same",
                size[0], size[1]
            )));
        }
        let body = of("body").and_then(|body| body.as_str()).unwrap_or_default();
        let told = if body.is_empty() { Ok(BodyFile::default()) } else { BodyFile::from_str(body, false) };
        let place = settings.robots.iter().position(|robot| robot == id);
        if let (Ok(told), Some(place)) = (told, place)
            && BodyKind::from(told) != settings.kind(place)
        {
            found.push(Err(format!(
                "robots/{id}.toml: body is {}, but `body` or `bodies` in arena.toml differs; make them the same",
                told.name()
            )));
        }
        let directory = of("directory").and_then(|d| d.as_str()).unwrap_or_default();
        if plain(&folder.join("robots").join(directory)) != plain(&settings.device_dir) {
            found.push(Err(format!(
                "robots/{id}.toml: directory = {directory:?} is not the folder of `devices` in arena.toml, {}; make \
                 them the same",
                settings.device_dir.display()
            )));
        }
    }
}

/// Removes `.` and `..` from a path without file access, because the folder may be missing.
fn plain(path: &Path) -> PathBuf {
    use std::path::Component::{CurDir, ParentDir};
    let mut out = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_else(|_| path.into()).components() {
        match part {
            CurDir => {}
            ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

fn keys(folder: &Path, swarm: &Swarm, robots: &BTreeMap<String, Table>, found: &mut Vec<CheckResult>) {
    let keys = &swarm.security.keys;
    let remedy =
        format!("`xpuck keys new --dir {} --swarm {}` makes it", keys.display(), folder.join(NAMED[0]).display());
    if !is_there(keys) {
        found.push(missing(
            keys,
            &format!("it is the folder of keys; {}", remedy.replace("makes it", "makes all keys")),
        ));
        return;
    }
    let before = found.len();
    let need = |path: PathBuf| {
        let half = |end| is_there(&path.with_extension(end));
        (!is_there(&path)).then(|| match (path.extension().is_some_and(|end| end == "key"), half("pub")) {
            // The secret half is missing and cannot be restored from the public half. Both halves are generated
            // together, so the public half has to be deleted first.
            (true, true) => {
                missing(&path, &format!("delete {}, then {remedy} again", path.with_extension("pub").display()))
            }
            _ => missing(&path, &remedy),
        })
    };
    let secrets = [keys.join("hub.key"), keyring::path(keys, Role::Operator, OPERATOR, "key")];
    let unread = |path: &PathBuf| Secret::read(path).err().filter(|_| is_there(path));
    found.extend(secrets.iter().filter_map(unread).map(|error| Err(output::error_chain(&error))));
    found.extend(["hub.key", "hub.pub"].into_iter().filter_map(|name| need(keys.join(name))));
    let operators = std::fs::read_dir(keys.join(Role::Operator.folder())).map_or(0, Iterator::count);
    if operators == 0 {
        found.extend(need(keyring::path(keys, Role::Operator, OPERATOR, "pub")));
    }
    for id in &swarm.robots {
        found.extend(need(keyring::path(keys, Role::Robot, id, "pub")));
        // The secret of a real robot exists only on the robot, so a missing secret is an error only for virtual
        // robots.
        let here = robots
            .get(id)
            .is_some_and(|table| table.get("devices").and_then(|d| d.get("kind")?.as_str()) == Some("virtual"));
        found.extend(need(keyring::path(keys, Role::Robot, id, "key")).filter(|_| here));
    }
    match crate::files::keys::describe(keys) {
        Ok(who) if found.len() == before => {
            found.push(Ok(format!("{}: a folder of {} keys", keys.display(), who.lines().count())));
        }
        Err(error) if found.len() == before => found.push(Err(output::error_chain(error.as_ref()))),
        _ => {}
    }
}

/// Checks the user's other files in the folder: experiments, worlds, trees.
fn others(folder: &Path, found: &mut Vec<CheckResult>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let is = |path: &Path, extension: &str| path.extension().is_some_and(|e| e == extension);
    let named = |path: &Path| path.file_name().is_some_and(|name| NAMED.iter().any(|known| name == *known));
    let files = paths.iter().filter(|path| path.is_file() && !named(path) && (is(path, "toml") || is(path, "bt")));
    found.extend(files.map(|path| check_file::one(path)));
}

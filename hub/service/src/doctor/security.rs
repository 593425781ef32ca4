//! Checks of the keys: which peers the hub admits, and which experiments it accepts.

use super::{Finding, Hub};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use xpuck_hub_core::config::Config;
use xpuck_wire::keyring::{self, Keyring, Role};
use xpuck_wire::keys::Secret;
use xpuck_wire::library;
use xpuck_wire::output::count;
use xpuck_wire::signed::Trust;

/// Maximum number of secret keys that are checked.
const MAX_KEYS: usize = 1000;
/// Remedy for a missing key folder. A folder that is only temporarily unavailable must not be created again, because
/// new keys would exclude the owners of all existing keys.
const RESTORE: &str = "restore or mount the folder; if it never existed, make new keys with `xpuck keys new --swarm`; existing keys are \
     then invalid";
/// Remedy for missing keys in an existing folder.
const NEW: &str = "make missing keys with `xpuck keys new --swarm` and the swarm file";

/// Returns the findings about security, based on the key files, the ZeroMQ library and the hub's counters.
pub(super) fn findings(config: &Config, hub: Option<&Hub>) -> Vec<Finding> {
    let keys = &config.swarm.security.keys;
    let mut findings = vec![library()];
    if config.swarm.security.dev_mode {
        let evidence =
            "dev_mode = true: anyone who reaches the hub can command the swarm, and signatures are not required";
        let remedy = format!("set security.dev_mode = false in the swarm file; {NEW}");
        let promises = ["only peers with a key are accepted", "experiments are signed"];
        findings.extend(promises.map(|promise| Finding::broken(promise, evidence, &remedy)));
    } else {
        match Keyring::read(keys) {
            Ok((ring, wrong)) => {
                findings.extend([enrolled(keys, &config.swarm.robots, &ring, &wrong), signatures(keys, &ring)]);
            }
            Err(error) => {
                let promises = ["only peers with a key are accepted", "experiments are signed"];
                findings.extend(promises.map(|promise| Finding::broken(promise, error.to_string(), RESTORE)));
            }
        }
    }
    findings.extend([secrets(keys), refusals(hub)]);
    findings
}

fn library() -> Finding {
    let promise = "links can be authenticated and encrypted";
    let version = library::version();
    match library::has_curve() {
        true => Finding::on(promise, format!("libzmq {version} supports CURVE")),
        false => Finding::broken(
            promise,
            format!("libzmq {version} does not support CURVE"),
            "install a libzmq that was built with libsodium, as Debian's libzmq5 is",
        ),
    }
}

/// Checks that the hub and each robot of the swarm file have a key, and that the folder contains no invalid key file.
fn enrolled(folder: &Path, robots: &[String], ring: &Keyring, wrong: &[String]) -> Finding {
    let promise = "only peers with a key are accepted";
    if let Some(first) = wrong.first() {
        return Finding::broken(
            promise,
            format!("{} invalid key files: {first}", wrong.len()),
            "repair or remove them",
        );
    }
    if let Err(error) = Secret::read(&folder.join("hub.key")) {
        return Finding::broken(promise, error.to_string(), NEW);
    }
    let has = |id: &&String| ring.holders().any(|h| h.role == Role::Robot && h.public.name == **id);
    let without: Vec<&str> = robots.iter().filter(|id| !has(id)).map(String::as_str).collect();
    match without.is_empty() {
        true => {
            let robots = count(robots.len(), "robot", "robots");
            Finding::on(promise, format!("the hub and {robots} have keys in {}", folder.display()))
        }
        false => {
            let evidence = format!("{} does not contain keys for {}", folder.display(), without.join(", "));
            Finding::broken(promise, evidence, format!("enrol their keys with `xpuck keys enrol`, or {NEW}"))
        }
    }
}

/// Checks that there is at least one operator, because only operators' signatures of experiments are accepted.
fn signatures(folder: &Path, ring: &Keyring) -> Finding {
    let promise = "experiments are signed";
    let operators = ring.holders().filter(|h| h.role == Role::Operator).map(|h| h.public.name.as_str());
    let names = operators.collect::<Vec<_>>().join(", ");
    match Trust::operators(ring) == Trust::nobody() {
        true => Finding::broken(
            promise,
            format!("{} does not contain an operator's key, so nobody can start a run", folder.display()),
            NEW,
        ),
        false => Finding::on(promise, format!("only experiments signed by {names} are accepted")),
    }
}

/// Checks that each secret key is valid, and that no other user can read it.
fn secrets(folder: &Path) -> Finding {
    let promise = "secret keys are secret";
    let of = |folder: PathBuf| match std::fs::read_dir(&folder) {
        Ok(entries) => entries.map(|entry| entry.map(|e| e.path())).collect::<Result<Vec<_>, _>>(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    };
    let folders = Role::ALL.map(|role| folder.join(role.folder())).into_iter().chain([folder.into()]);
    let files = match folders.map(of).collect::<Result<Vec<_>, _>>() {
        Ok(files) => files.into_iter().flatten(),
        Err(error) => return Finding::broken(promise, format!("{}: {error}", folder.display()), "make it readable"),
    };
    let files: Vec<PathBuf> = files.filter(|p| p.extension().is_some_and(|e| e == "key")).take(MAX_KEYS).collect();
    match files.iter().find_map(|path| Secret::read(path).err()) {
        Some(error) => Finding::broken(promise, error.to_string(), "if other people use this machine, make new keys"),
        None if files.is_empty() => Finding::off(promise, format!("no secrets in {}", folder.display()), NEW),
        None => {
            let files = count(files.len(), "file", "files");
            Finding::on(promise, format!("{files} in {}, readable only by their owner", folder.display()))
        }
    }
}

/// Reports the hub's counters of rejected peers.
fn refusals(hub: Option<&Hub>) -> Finding {
    let promise = "peers without a valid key are rejected";
    let Some(Hub { status, .. }) = hub else { return Finding::off(promise, "no hub is running", "start the hub") };
    if status.security.dev_mode {
        return Finding::broken(promise, "the hub runs in dev_mode and accepts everyone", "restart it with keys");
    }
    let counts = status.security.refusals;
    let evidence = format!(
        "{} rejections so far: unknown key {}, wrong role {}, without a key of this hub {}, revoked {}, wrong name {}",
        counts.total(),
        counts.unknown_key,
        counts.wrong_role,
        counts.no_curve,
        counts.revoked,
        counts.wrong_name
    );
    let remedy = if counts.total() > 0 { "see the times in the hub's events, and find the senders" } else { "" };
    Finding { remedy: remedy.into(), ..Finding::on(promise, evidence) }
}

/// Returns the path of the key with which this program sends requests to the hub. It is the file `named`, or else the
/// key of the operator created with the key folder.
pub(super) fn own_key(config: &Config, named: Option<&Path>) -> PathBuf {
    let made = || keyring::path(&config.swarm.security.keys, Role::Operator, keyring::OPERATOR, "key");
    named.map_or_else(made, PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Verdict;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn each_fault_of_a_folder_of_keys_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, robots) = (dir.path(), ["xp01".to_string(), "xp02".to_string()]);
        assert_eq!(secrets(folder).verdict, Verdict::Off);
        let look = || {
            let (ring, wrong) = Keyring::read(folder).unwrap();
            [enrolled(folder, &robots, &ring, &wrong), signatures(folder, &ring), secrets(folder)]
        };
        let verdicts = || look().map(|finding| finding.verdict);
        keyring::create_missing_pairs(folder, &robots).unwrap();
        assert_eq!(verdicts(), [Verdict::On; 3], "{:?}", look());
        std::fs::remove_file(keyring::path(folder, Role::Robot, "xp02", "pub")).unwrap();
        assert!(look()[0].evidence.ends_with("for xp02") && look()[0].verdict == Verdict::Broken, "{:?}", look());
        let operator = keyring::path(folder, Role::Operator, keyring::OPERATOR, "key");
        std::fs::remove_file(operator.with_extension("pub")).unwrap();
        std::fs::set_permissions(&operator, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert_eq!(verdicts(), [Verdict::Broken; 3]);
        assert!(look()[2].evidence.contains("chmod 600"), "{:?}", look());
        std::fs::write(keyring::path(folder, Role::Robot, "xp02", "pub"), "no key").unwrap();
        assert!(look()[0].evidence.contains("1 invalid key files"), "{:?}", look());
        assert_eq!(library().verdict, Verdict::On, "Debian's libzmq has CURVE");
    }
}

//! Packages of Debian for a board, fetched and unpacked: a state of apt's own, so that this machine's need not know the
//! board's architecture.

use super::base;
use crate::tools::{self, ToolError};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Debian's archive is, for suites that this machine's own lists do not have.
const ARCHIVE: &str = "http://deb.debian.org/debian";
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
/// Folders that are of no use once all is fetched.
const WORKING: &[&str] = &["lists", "cache", "packages"];

/// A state of apt's.
pub(super) struct Apt {
    folder: PathBuf,
    architecture: String,
    suite: Option<String>,
    /// It asks its own list of archives, not this machine's.
    own_list: bool,
    /// What is wrong with the lists.
    trouble: Option<ToolError>,
}

impl Apt {
    /// A new state in an empty folder, with the lists of this machine's suites, or of Debian's release and this suite.
    pub(super) fn new(
        folder: &Path,
        architecture: &str,
        mirror: Option<&str>,
        suite: Option<&str>,
    ) -> Result<Apt, ToolError> {
        for part in ["lists/partial", "cache/archives/partial", "packages", "unpacked"] {
            let part = folder.join(part);
            fs::create_dir_all(&part).map_err(ToolError::file(&part))?;
        }
        let folder = folder.canonicalize().map_err(ToolError::file(folder))?;
        let own_list = mirror.is_some() || suite.is_some();
        if own_list {
            let path = folder.join("sources.list");
            fs::write(&path, sources(mirror.unwrap_or(ARCHIVE), suite)).map_err(ToolError::file(&path))?;
        }
        let mut apt =
            Apt { folder, architecture: architecture.into(), suite: suite.map(Into::into), own_list, trouble: None };
        // A mirror that is being filled has some lists and not others, and what is wanted may be in those.
        apt.trouble = apt.run("apt-get", &["-qq", "update"]).err();
        Ok(apt)
    }

    /// The package with the files behind one that only names the newest of its kind, or that one itself.
    pub(super) fn real(&mut self, package: &str) -> Result<String, ToolError> {
        let needs = self.run("apt-cache", &["depends", package]).map_err(|error| self.why(error))?;
        let real = needs.lines().find_map(|line| line.trim().strip_prefix("Depends: "));
        Ok(real.filter(|name| name.starts_with("linux-image")).unwrap_or(package).into())
    }

    /// Fetches packages, without what they depend on, and unpacks them into `unpacked`.
    pub(super) fn unpack(&mut self, packages: &[&str]) -> Result<(), ToolError> {
        let mut arguments = vec!["-qq", "download"];
        arguments.extend(packages);
        self.run("apt-get", &arguments).map_err(|error| self.why(error))?;
        let place = self.folder.join("packages");
        for entry in fs::read_dir(&place).map_err(ToolError::file(&place))? {
            let package = entry.map_err(ToolError::file(&place))?.path();
            unpack(&package, &self.folder.join("unpacked"))?;
        }
        Ok(())
    }

    /// Leaves only what was unpacked.
    pub(super) fn finish(self) -> Result<(), ToolError> {
        for part in WORKING {
            let part = self.folder.join(part);
            fs::remove_dir_all(&part).map_err(ToolError::file(&part))?;
        }
        Ok(())
    }

    /// Why a package is not there: the lists were not, if so.
    fn why(&mut self, error: ToolError) -> ToolError {
        self.trouble.take().unwrap_or(error)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Result<String, ToolError> {
        let mut command = Command::new(program);
        command.current_dir(self.folder.join("packages")).env("LC_ALL", "C").args(arguments);
        command.arg(format!("-oAPT::Architecture={}", self.architecture));
        command.arg(format!("-oAPT::Architectures={}", self.architecture));
        command.arg(format!("-oDir::State::Lists={}", self.folder.join("lists").display()));
        command.arg(format!("-oDir::Cache={}", self.folder.join("cache").display()));
        command.args(["-oDir::State::status=/dev/null", "-oAPT::Sandbox::User=root"]);
        if self.own_list {
            command.arg(format!("-oDir::Etc::SourceList={}", self.folder.join("sources.list").display()));
            command.arg("-oDir::Etc::SourceParts=/dev/null");
        }
        if let Some(suite) = &self.suite {
            command.arg(format!("-oAPT::Default-Release={suite}"));
        }
        tools::run("fetching from Debian", &mut command)
    }
}

/// Unpacks the files of a package.
pub(super) fn unpack(package: &Path, into: &Path) -> Result<(), ToolError> {
    let what = format!("unpacking {}", package.display());
    tools::run(&what, Command::new("dpkg-deb").arg("--extract").arg(package).arg(into)).map(drop)
}

/// Lines for apt: the release and one suite more. Security updates are beside an archive, not in it.
fn sources(archive: &str, suite: Option<&str>) -> String {
    let line = |suite: &str| {
        let beside = if suite.ends_with("-security") { "-security" } else { "" };
        format!("deb [signed-by={KEYRING}] {}{beside} {suite} main\n", archive.trim_end_matches('/'))
    };
    line(base::SUITE) + &suite.map(line).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn security_updates_are_in_an_archive_of_their_own() {
        let text = super::sources(super::ARCHIVE, Some("bookworm-security"));
        assert!(
            text.contains("/debian bookworm main\n") && text.contains("/debian-security bookworm-security main\n"),
            "{text}"
        );
        let text = super::sources("http://mirror.lab/debian/", Some("bookworm-backports"));
        assert!(text.contains(" http://mirror.lab/debian bookworm-backports main\n"), "{text}");
        assert_eq!(super::sources(super::ARCHIVE, None).lines().count(), 1);
    }
}

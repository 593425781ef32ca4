//! Downloads and unpacks Debian packages for a board. A separate apt state is used, because this machine's apt may not
//! support the board's architecture.

use super::base;
use crate::tools::{self, ToolError};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Address of Debian's archive. It is used for suites that are missing in this machine's source list.
const ARCHIVE: &str = "http://deb.debian.org/debian";
const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";
/// Folders of the apt state that are not needed after the packages are unpacked.
const WORKING: &[&str] = &["lists", "cache", "packages"];

/// State of apt that is separate from this machine's apt.
pub(super) struct Apt {
    folder: PathBuf,
    architecture: String,
    suite: Option<String>,
    /// Whether the state has its own source list. Otherwise it uses the source list of this machine.
    own_list: bool,
    /// Error during the update of the package lists, if any.
    trouble: Option<ToolError>,
}

impl Apt {
    /// Creates an apt state in an empty folder and downloads the package lists. If `mirror` or `suite` is given, the
    /// lists of the image's Debian release and of `suite` are downloaded. Otherwise the lists of the suites in this
    /// machine's source list are downloaded.
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
        // An error is stored and not returned, because the lists of an incomplete mirror may be sufficient.
        apt.trouble = apt.run("apt-get", &["-qq", "update"]).err();
        Ok(apt)
    }

    /// Returns the name of the kernel package that a metapackage depends on. If `package` is not a metapackage for a
    /// kernel, its name is returned unchanged.
    pub(super) fn real(&mut self, package: &str) -> Result<String, ToolError> {
        let needs = self.run("apt-cache", &["depends", package]).map_err(|error| self.why(error))?;
        let real = needs.lines().find_map(|line| line.trim().strip_prefix("Depends: "));
        Ok(real.filter(|name| name.starts_with("linux-image")).unwrap_or(package).into())
    }

    /// Downloads packages without their dependencies, and unpacks them into the folder `unpacked` of the state.
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

    /// Removes all folders of the state except the folder with the unpacked files.
    pub(super) fn finish(self) -> Result<(), ToolError> {
        for part in WORKING {
            let part = self.folder.join(part);
            fs::remove_dir_all(&part).map_err(ToolError::file(&part))?;
        }
        Ok(())
    }

    /// Returns the error to report for the failure `error`. If the update of the package lists failed before, the error
    /// of this update is returned, because it is the more likely cause.
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

/// Unpacks the files of a Debian package into a folder.
pub(super) fn unpack(package: &Path, into: &Path) -> Result<(), ToolError> {
    let what = format!("unpacking {}", package.display());
    tools::run(&what, Command::new("dpkg-deb").arg("--extract").arg(package).arg(into)).map(drop)
}

/// Returns the text of apt's source list, with the image's Debian release and an optional further suite. A suite of
/// security updates has an archive of its own.
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

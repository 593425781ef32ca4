//! Release of the robot's program. The file `usr/lib/xpuck/release` describes it, in the file tree in which the program
//! is installed.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use xpuck_wire::{FileError, file};

/// Path of the release file, relative to the root of a file tree.
pub const RELEASE: &str = "usr/lib/xpuck/release";
/// Maximum length of a release file (bytes).
pub const MAX_RELEASE: u64 = 4096;
/// Maximum length of a version (bytes).
const MAX_VERSION: usize = 64;

/// Release of the robot's program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// Version, such as "0.2.0".
    pub version: String,
    /// Counter that increases from release to release. It is the time of the release's last commit (s since 1970).
    pub counter: u64,
}

impl Release {
    /// Parses the text of a release file. `name` is the file's name in error texts.
    ///
    /// # Errors
    /// The text is not a release, or its version is invalid.
    pub fn parse(name: &str, text: &str) -> Result<Release, FileError> {
        let release: Release = file::parse(name, text)?;
        match is_version(&release.version) {
            true => Ok(release),
            false => Err(FileError::value(name, "version must have 1 to 64 letters, digits, and . + ~ - _")),
        }
    }

    /// Reads the release file of a file tree.
    ///
    /// # Errors
    /// The errors of [`Release::parse`], or the file cannot be read.
    pub fn of_tree(tree: &Path) -> Result<Release, FileError> {
        let path = tree.join(RELEASE);
        Release::parse(&path.display().to_string(), &file::text(&path, MAX_RELEASE)?)
    }

    /// Returns the release of the running program. It is read from the file tree in which the program is installed. If
    /// the tree has no valid release file, returns version `built` with counter 0.
    pub fn of_this_program(built: &str) -> Release {
        let tree = std::env::current_exe().ok().and_then(|program| tree_of(&program));
        tree.and_then(|tree| Release::of_tree(&tree).ok()).unwrap_or(Release { version: built.into(), counter: 0 })
    }

    /// Encodes the release as the text of a release file.
    pub fn to_text(&self) -> String {
        toml::to_string(self).expect("a release is plain TOML")
    }
}

/// Returns the root of the file tree in which a program is installed; `None` if the program is not in `usr/bin`.
fn tree_of(program: &Path) -> Option<PathBuf> {
    let bin = program.parent()?;
    bin.ends_with("usr/bin").then(|| bin.ancestors().nth(2).map(Path::to_path_buf))?
}

/// Returns whether the text is a valid version. A valid version is safe in output and in paths.
pub fn is_version(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '~' | '-' | '_');
    (1..=MAX_VERSION).contains(&text.len()) && text.chars().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn release_tree_is_found_from_program_path() {
        assert_eq!(tree_of(Path::new("/slots/a/usr/bin/xpuckd")), Some("/slots/a".into()));
        assert_eq!(tree_of(Path::new("/usr/bin/xpuckd")), Some("/".into()));
        assert_eq!(tree_of(Path::new("/target/debug/xpuckd")), None);
        let release = Release { version: "0.2.0~rc1+b-2".into(), counter: 7 };
        assert_eq!(Release::parse("r", &release.to_text()).unwrap(), release);
        for version in ["", "a b", "../x", &"1".repeat(65)] {
            let text = Release { version: version.into(), counter: 1 }.to_text();
            assert!(Release::parse("r", &text).unwrap_err().to_string().contains("version must have"), "{version}");
        }
    }
}

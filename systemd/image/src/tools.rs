//! Runs other programs, and reports their errors.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Maximum length of the part of a program's output that an error quotes (characters).
const MAX_OUTPUT: usize = 300;

/// Failure of a program or a file operation.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The program is missing.
    #[error("{program} is missing; install Debian's package {package}")]
    Missing {
        /// Name of the program.
        program: String,
        /// Debian package that contains the program.
        package: &'static str,
    },
    /// The program failed.
    #[error("{what}: {program} failed ({status}): {words}")]
    Failed {
        /// Purpose for which the program was run.
        what: String,
        /// Name of the program.
        program: String,
        /// Exit status of the program.
        status: String,
        /// Last line of the program's error output.
        words: String,
    },
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    File {
        /// Path of the file.
        path: String,
        /// Error of the operating system.
        error: std::io::Error,
    },
}

impl ToolError {
    /// Returns a function that converts an I/O error of the file at `path` to this type.
    pub fn file(path: &Path) -> impl FnOnce(std::io::Error) -> ToolError {
        let path = path.display().to_string();
        move |error| ToolError::File { path, error }
    }
}

/// Runs a program and returns its standard output as text.
///
/// # Errors
/// The program is missing or fails. The error contains `what` as the purpose of the program.
pub fn run(what: &str, command: &mut Command) -> Result<String, ToolError> {
    Ok(String::from_utf8_lossy(&bytes(what, command)?).into_owned())
}

/// Runs a program and returns its standard output as bytes.
pub fn bytes(what: &str, command: &mut Command) -> Result<Vec<u8>, ToolError> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| not_started(command, error))?;
    ended(what, command, &output)?;
    Ok(output.stdout)
}

/// Starts a program without waiting for its end. Its error output is kept for [`finish`].
pub fn start(command: &mut Command) -> Result<std::process::Child, ToolError> {
    command.stderr(Stdio::piped()).spawn().map_err(|error| not_started(command, error))
}

/// Waits for the end of a program that was started by [`start`]. A failure of the program is an error.
pub fn finish(what: &str, command: &Command, child: std::process::Child) -> Result<(), ToolError> {
    let output = child.wait_with_output().map_err(ToolError::file(Path::new(command.get_program())))?;
    ended(what, command, &output)
}

fn ended(what: &str, command: &Command, output: &Output) -> Result<(), ToolError> {
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no output").trim();
    let words: String = last.chars().filter(|c| !c.is_control()).take(MAX_OUTPUT).collect();
    let program = command.get_program().to_string_lossy().into_owned();
    Err(ToolError::Failed { what: what.into(), program, status: output.status.to_string(), words })
}

fn not_started(command: &Command, error: std::io::Error) -> ToolError {
    let program = command.get_program().to_string_lossy().into_owned();
    match error.kind() {
        ErrorKind::NotFound => ToolError::Missing { package: package_of(&program), program },
        _ => ToolError::File { path: program, error },
    }
}

/// Returns the name of the Debian package that contains a program. All programs that this crate calls are known.
fn package_of(program: &str) -> &'static str {
    match program {
        "mmdebstrap" => "mmdebstrap",
        "mkfs.btrfs" | "btrfs" => "btrfs-progs",
        "mkfs.vfat" => "dosfstools",
        "mcopy" => "mtools",
        "depmod" => "kmod",
        "zstd" => "zstd",
        "dtc" | "fdtoverlay" | "fdtget" | "fdtput" => "device-tree-compiler",
        "apt-get" | "apt-cache" => "apt",
        "dpkg-deb" => "dpkg",
        _ => "util-linux",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_or_failing_program_is_reported_in_one_line() {
        let missing = run("x", &mut Command::new("mmdebstrap-of-nobody")).unwrap_err().to_string();
        assert!(missing.contains("is missing; install"), "{missing}");
        let failed =
            run("making x", Command::new("sh").args(["-c", "echo one >&2; echo two >&2; exit 3"])).unwrap_err();
        assert_eq!(failed.to_string(), "making x: sh failed (exit status: 3): two");
    }
}

//! Execution of external programs that make pictures. A failure is reported in one line.

use anyhow::{Context, Error, Result, anyhow, bail};
use std::io::{ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};

/// External program, and the Debian packages that provide it.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    name: &'static str,
    package: &'static str,
}

/// Program that converts SVG to PNG and PDF.
pub const RSVG: Tool = Tool { name: "rsvg-convert", package: "librsvg2-bin fonts-liberation" };
/// Program that decodes pictures and encodes films.
pub const FFMPEG: Tool = Tool { name: "ffmpeg", package: "ffmpeg" };

impl Tool {
    /// Creates the command with pipes for all its streams. The command runs in its own process group, so that Ctrl-C
    /// does not reach it.
    pub fn command(self) -> Command {
        let mut command = Command::new(self.name);
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts the program with this command.
    ///
    /// # Errors
    /// The program is missing, or the system cannot start it.
    pub fn start(self, command: &mut Command) -> Result<Child> {
        let Tool { name, package } = self;
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                bail!("{name} is missing; install it with `apt-get install {package}`")
            }
            other => other.with_context(|| format!("{name} cannot be started")),
        }
    }

    /// Runs the program with this input and returns its output.
    ///
    /// # Errors
    /// The program is missing or fails.
    pub fn output(self, command: &mut Command, input: &[u8]) -> Result<Vec<u8>> {
        let mut child = self.start(command)?;
        let stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            // Writing fails if the program ends before it has read all input. Its exit status then shows the failure.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
            child.wait_with_output()
        });
        let output = output.with_context(|| self.name)?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(self.failed(output.status, &output.stderr)),
        }
    }

    /// Returns an error for a failed program, with the first non-empty line of its error output, or else with its exit
    /// status.
    pub fn failed(self, status: ExitStatus, stderr: &[u8]) -> Error {
        let said = String::from_utf8_lossy(stderr);
        match said.lines().map(str::trim).find(|line| !line.is_empty()) {
            Some(line) => anyhow!("{}: {line}", self.name),
            None => anyhow!("{} failed ({status})", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAT: Tool = Tool { name: "cat", package: "coreutils" };

    #[test]
    fn large_input_passes_tool_and_errors_are_one_line() {
        let input = vec![7u8; 300_000];
        assert_eq!(CAT.output(&mut CAT.command(), &input).unwrap(), input);
        let error = CAT.output(CAT.command().arg("/nowhere"), &input).unwrap_err().to_string();
        assert!(error.starts_with("cat: ") && error.contains("/nowhere") && error.lines().count() == 1, "{error}");
        let none = Tool { name: "xpuck-none", package: "none" };
        let error = none.output(&mut none.command(), b"").unwrap_err().to_string();
        assert_eq!(error, "xpuck-none is missing; install it with `apt-get install none`");
    }
}

//! Programs of others that this one calls for pictures: what they print, and their failures in one line.

use anyhow::{Context, Error, Result, anyhow, bail};
use std::io::{ErrorKind, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};

/// A program, and the Debian package that has it.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    name: &'static str,
    package: &'static str,
}

/// Makes PNG and PDF of SVG.
pub const RSVG: Tool = Tool { name: "rsvg-convert", package: "librsvg2-bin fonts-liberation" };
/// Makes films.
pub const FFMPEG: Tool = Tool { name: "ffmpeg", package: "ffmpeg" };

impl Tool {
    /// How it is called. A Ctrl-C for this process is not its business: this process ends it.
    pub fn command(self) -> Command {
        let mut command = Command::new(self.name);
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Starts it.
    ///
    /// # Errors
    /// It is missing, or the system starts nothing.
    pub fn start(self, command: &mut Command) -> Result<Child> {
        let Tool { name, package } = self;
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                bail!("{name} is missing; install it with `apt-get install {package}`")
            }
            other => other.with_context(|| format!("{name} cannot be started")),
        }
    }

    /// What it prints when it is given such input.
    ///
    /// # Errors
    /// It is missing, or it fails.
    pub fn output(self, command: &mut Command, input: &[u8]) -> Result<Vec<u8>> {
        let mut child = self.start(command)?;
        let stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            // One that does not read to the end says why by itself.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
            child.wait_with_output()
        });
        let output = output.with_context(|| self.name)?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(self.failed(output.status, &output.stderr)),
        }
    }

    /// The error of one that ended like this and said that.
    pub fn failed(self, status: ExitStatus, stderr: &[u8]) -> Error {
        let said = String::from_utf8_lossy(stderr);
        match said.lines().map(str::trim).find(|line| !line.is_empty()) {
            Some(line) => anyhow!("{}: {line}", self.name),
            None => anyhow!("{} ended with {status}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAT: Tool = Tool { name: "cat", package: "coreutils" };

    #[test]
    fn input_goes_through_whatever_its_size_and_failures_are_one_line() {
        let input = vec![7u8; 300_000];
        assert_eq!(CAT.output(&mut CAT.command(), &input).unwrap(), input);
        let error = CAT.output(CAT.command().arg("/nowhere"), &input).unwrap_err().to_string();
        assert!(error.starts_with("cat: ") && error.contains("/nowhere") && error.lines().count() == 1, "{error}");
        let none = Tool { name: "xpuck-none", package: "none" };
        let error = none.output(&mut none.command(), b"").unwrap_err().to_string();
        assert_eq!(error, "xpuck-none is missing; install it with `apt-get install none`");
    }
}

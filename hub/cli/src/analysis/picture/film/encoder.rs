//! Encodes films with `ffmpeg` as H.264 in MP4, a format that presentation programs can play.

use crate::analysis::tools::FFMPEG;
use anyhow::{Context, Error, Result, anyhow};
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread::JoinHandle;
use xpuck_wire::atomic::PartialFile;

/// Frame rate (Hz).
pub const RATE: f64 = 25.0;

/// Film being encoded. It is written to a temporary file in the target's folder. The temporary file is removed if the
/// film is not finished.
pub struct Encoder {
    path: PathBuf,
    part: Option<PartialFile>,
    child: Child,
    said: Option<JoinHandle<Vec<u8>>>,
}

impl Encoder {
    /// Starts a film of this width and height (pixels), which must be even.
    ///
    /// # Errors
    /// `ffmpeg` is missing, or the file cannot be written.
    pub fn begin(path: &Path, (width, height): (usize, usize)) -> Result<Encoder> {
        let place = || format!("{}: cannot be written", path.display());
        let (part, _) = PartialFile::open(path).with_context(place)?;
        // With `file:`, ffmpeg does not interpret a leading dash as an option or a colon as the end of a protocol.
        let mut file = OsString::from("file:");
        file.push(part.part());
        let mut command = FFMPEG.command();
        command.stdout(Stdio::null());
        command.args(["-v", "error", "-nostdin", "-xerror", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
        command.args(["-s", &format!("{width}x{height}"), "-r", &RATE.to_string(), "-i", "pipe:0"]);
        // Declares the colours of HD television (BT.709); without this declaration, players guess the colour space.
        command.args(["-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709"]);
        command.args(["-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"]);
        command.args(["-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-pix_fmt", "yuv420p"]);
        command.args(["-movflags", "+faststart", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-f", "mp4"]);
        let mut child = FFMPEG.start(command.arg(file))?;
        let said = child.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut said = Vec::new();
                // After a read error, the message is the text read so far.
                let _ = stderr.read_to_end(&mut said);
                said
            })
        });
        Ok(Encoder { path: path.into(), part: Some(part), child, said })
    }

    /// Adds a frame. `rgb` contains red, green and blue of each pixel, row by row.
    ///
    /// # Errors
    /// `ffmpeg` has ended. The error contains the message of `ffmpeg`.
    pub fn frame(&mut self, rgb: &[u8]) -> Result<()> {
        match self.child.stdin.as_mut().map(|stdin| stdin.write_all(rgb)) {
            Some(Ok(())) => Ok(()),
            _ => {
                self.child.stdin = None;
                Err(self.failed())
            }
        }
    }

    /// Completes the film and moves it to its target.
    ///
    /// # Errors
    /// `ffmpeg` fails, or the file cannot be moved. If `ffmpeg` fails, the error contains its message.
    pub fn finish(mut self) -> Result<()> {
        self.child.stdin = None;
        if !self.child.wait().context("ffmpeg")?.success() {
            return Err(self.failed());
        }
        let place = || format!("{}: cannot be written", self.path.display());
        self.part.take().map_or(Ok(()), PartialFile::commit).with_context(place)
    }

    fn failed(&mut self) -> Error {
        let status = self.child.wait();
        let said = self.said.take().and_then(|said| said.join().ok()).unwrap_or_default();
        let why = status.map_or_else(|error| anyhow!(error), |status| FFMPEG.failed(status, &said));
        anyhow!("{}: {why}", self.path.display())
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        // Unless the film is finished, ffmpeg may still write to the temporary file, which is removed next.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

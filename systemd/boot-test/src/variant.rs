//! Variants of an image for the test. One has a newer release, and the other has a release whose program does not run.

use anyhow::{Context, Result, ensure};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xpuck_update::bundle::{self, Reader};
use xpuck_update::{Kind, Release};
use xpuck_wire::keys::Secret;

/// Broken replacement for the robot's program. It passes slot commands to the original program, because updates need
/// these commands. It fails for all other commands.
const BROKEN: &str = "#!/bin/sh\n[ \"$1\" = slots ] && exec /usr/lib/xpuck/whole \"$@\"\nexit 1\n";

/// Makes a copy of `image` with another release, signs it with an operator's key of `keys`, and returns its path. If
/// `broken` is true, the program in the new image does not run.
pub fn build(image: &Path, keys: &Path, work: &Path, release: &Release, broken: bool) -> Result<PathBuf> {
    let reader = Reader::new(File::open(image)?)?;
    let manifest = reader.head.unverified_manifest()?;
    let tar = work.join("payload.tar");
    let mut unpack = Command::new("zstd");
    let mut unpack = unpack.args(["-q", "-d", "-f", "-o"]).arg(&tar).stdin(Stdio::piped()).spawn().context("zstd")?;
    let mut input = unpack.stdin.take().context("zstd")?;
    reader.payload(&manifest, |piece| input.write_all(piece))?;
    drop(input);
    ensure!(unpack.wait()?.success(), "zstd cannot unpack {}", image.display());
    let tree = work.join("variant");
    let mut script = String::from("set -e; rm -rf \"$2\"; mkdir -p \"$2/usr/lib/xpuck\" \"$2/usr/bin\"; cd \"$2\"\n");
    script += "printf '%s' \"$3\" >usr/lib/xpuck/release; tar --delete -f \"$1\" ./usr/lib/xpuck/release\n";
    if broken {
        script += "tar -xf \"$1\" ./usr/bin/xpuckd; tar --delete -f \"$1\" ./usr/bin/xpuckd; mv usr/bin/xpuckd usr/lib/xpuck/whole\n";
        script += "printf '%s' \"$4\" >usr/bin/xpuckd; chmod 755 usr/bin/xpuckd\n";
        // The kernel modules are deleted to reduce the time for writing the image. The broken program needs no drivers.
        script += "tar --delete -f \"$1\" ./usr/lib/modules ./usr/lib/udev/hwdb.bin\n";
    }
    script += "find . -type f -print0 | tar --null --owner=0 --group=0 -r -f \"$1\" -T -; zstd -q -1 -f \"$1\" -o \"$1.zst\"\n";
    let mut make = Command::new("sh");
    make.args(["-c", &script, "sh"]).arg(&tar).arg(&tree).arg(release.to_text()).arg(BROKEN);
    ensure!(make.status()?.success(), "cannot make a variant of {}", image.display());
    let payload = work.join("payload.tar.zst");
    let signer = Secret::read(&keys.join("operators/operator.key"))?;
    let head = bundle::seal(Kind::Image, &manifest.boards, &manifest.arch, release, File::open(&payload)?, &signer)?;
    let out = work.join(format!("{}.xpb", release.version));
    bundle::write(&head, File::open(&payload)?, File::create(&out)?)?;
    std::fs::remove_file(&tar)?;
    Ok(out)
}

/// Reads the release of an image.
pub fn release_of(image: &Path) -> Result<Release> {
    Ok(Reader::new(File::open(image)?)?.head.unverified_manifest()?.release())
}

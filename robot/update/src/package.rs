//! Metadata of a Debian package of the robot's program.

use crate::bundle::BundleError;
use crate::release::{MAX_RELEASE, RELEASE, Release};
use crate::slots::{DebTar, MAX_BYTES, MAX_ENTRIES};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use tar::Archive;

/// Returns the architecture of a package, such as "arm64", and the package's release. The architecture is "any" if the
/// package is for all architectures.
///
/// # Errors
/// The file is not a package of the robot's program, or `dpkg-deb` cannot read it.
pub fn describe(package: &Path) -> Result<(String, Release), BundleError> {
    let wrong = |why: &str| BundleError::Manifest(format!("{}: {why}", package.display()));
    // Rejects a pipe, because dpkg-deb would block on a pipe without a writer.
    xpuck_wire::file::open(package).map_err(|error| wrong(&error.to_string()))?;
    let mut dpkg = Command::new("dpkg-deb");
    dpkg.arg("--field").arg(package).arg("Architecture").stdin(Stdio::null()).stderr(Stdio::null());
    let output = dpkg.output().map_err(|error| wrong(&format!("dpkg-deb cannot be started: {error}")))?;
    if !output.status.success() {
        return Err(wrong("not a Debian package"));
    }
    let arch = match String::from_utf8_lossy(&output.stdout).trim() {
        "all" => "any".to_string(),
        arch => arch.to_string(),
    };
    let damaged = |error: std::io::Error| wrong(&format!("is damaged: {error}; build or copy it again"));
    // The archive's extensions are not interpreted, and its size is limited. Sizes that the archive declares therefore
    // cannot cause a large memory use.
    let tar = DebTar::open(package)?.take(MAX_BYTES);
    for entry in Archive::new(tar).entries()?.raw(true).take(MAX_ENTRIES) {
        let entry = entry.map_err(damaged)?;
        if entry.path()?.strip_prefix(".").is_ok_and(|path| path == Path::new(RELEASE)) {
            let mut text = String::new();
            entry.take(MAX_RELEASE).read_to_string(&mut text).map_err(damaged)?;
            let release = Release::parse(&package.join(RELEASE).display().to_string(), &text);
            return Ok((arch, release.map_err(|error| BundleError::Manifest(error.to_string()))?));
        }
    }
    Err(wrong(&format!("not a package of xpuckd: {RELEASE} is missing")))
}

//! Writes a card with its partitions, the mirrored file system, the image's root and the robot's identity. Then reads
//! the card back to verify it.
//!
//! The file system is btrfs with two copies on one card (RAID1, thesis 5.2.2). Data that are damaged in one copy are
//! restored from the other copy. The subvolume `@a` contains the root; an update adds the subvolume `@b` with another
//! root. The subvolume `@config` contains the robot's identity, and `@state` the results of evolution. The subvolume
//! `@slots` contains updates of the robot's program, and `@log` the logs. The partition table is written last, so that
//! a card does not boot if its writing was interrupted.

mod mounts;

use crate::Progress;
use crate::build::BOOT;
use crate::card::{BLOCK, FIRST_PARTITION_START, Layout, MIN_SIZE};
use crate::device::{self, Device, DeviceError};
use crate::identity::Entry;
use crate::tools::{self, ToolError};
use mounts::{Loop, Mount};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xpuck_update::BundleError;
use xpuck_update::bundle::{Kind, Manifest, Reader};
use xpuck_update::slots::roots::ROOTS;
use xpuck_update::slots::{Roots, Slot};
use xpuck_wire::file;
use xpuck_wire::keys::Key;

/// Names of the subvolumes, except for the subvolumes with a root.
pub const SUBVOLUMES: &[&str] = &["@config", "@state", SLOTS, "@log"];
/// Name of the subvolume for updates.
const SLOTS: &str = "@slots";
/// Maximum size of the file `etc/passwd` in a root (bytes).
const LONGEST_TEXT: u64 = 1 << 20;
/// Maximum size of a boot file (bytes).
const LONGEST_FILE: u64 = 256 << 20;
/// Label of the file system.
const LABEL: &str = "xpuck";
/// Label of the first partition.
const BOOT_LABEL: &str = "XPUCKBOOT";
/// Name of the user that runs the robot's program.
const USER: &str = "xpuck";

/// Reason why a card cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum FlashError {
    /// The device cannot be used.
    #[error("{0}")]
    Device(#[from] DeviceError),
    /// The image cannot be used.
    #[error("{path}: {error}")]
    Image {
        /// Path of the image.
        path: String,
        /// Reason why the image cannot be used.
        error: BundleError,
    },
    /// A program or a file operation failed.
    #[error("{0}")]
    Tool(#[from] ToolError),
    /// The file is a package of the robot's program instead of an image. The value is the path of the file.
    #[error(
        "{0} is a package, but a card needs an image; build one with `xpuck card build`, or install the package with `xpuck robot update --deb`"
    )]
    Package(String),
    /// The card is too small.
    #[error("{device} holds {size}; a card must hold at least {least}")]
    Small {
        /// Path of the device.
        device: String,
        /// Size of the device, with a unit.
        size: String,
        /// Minimum size of a card, with a unit.
        least: String,
    },
    /// The data that were read back differ from the written data.
    #[error("{device}: {what} differs from the written data; the card is defective; use another card")]
    Verify {
        /// Path of the device.
        device: String,
        /// Description of the part of the card that differs.
        what: String,
    },
}

/// Inputs for writing a card.
pub struct Job<'a> {
    /// Path of the image.
    pub image: &'a Path,
    /// Keys of the operators whose images are accepted, by operator name.
    pub operators: &'a BTreeMap<String, Key>,
    /// Files of the robot's identity.
    pub identity: &'a [Entry],
    /// Id of the robot.
    pub robot: &'a str,
}

/// Verifies the signature of an image, and returns the image's manifest.
///
/// # Errors
/// The file is not an image, is truncated, or was not signed by one of the operators.
pub fn describe(image: &Path, operators: &BTreeMap<String, Key>) -> Result<Manifest, FlashError> {
    let file = file::open(image).map_err(ToolError::file(image))?;
    let trouble = |error| FlashError::Image { path: image.display().to_string(), error };
    let reader = Reader::new(&file).map_err(trouble)?;
    let manifest = reader.head.open(operators).map_err(trouble)?;
    if manifest.kind != Kind::Image {
        return Err(FlashError::Package(image.display().to_string()));
    }
    let head = reader.head.to_bytes().len() as u64;
    let have = file.metadata().map_err(ToolError::file(image))?.len().saturating_sub(head);
    // The size is checked before a card is written, because truncated files are the most common fault of images.
    if have < manifest.size {
        return Err(trouble(BundleError::Truncated { what: "payload", have, want: manifest.size }));
    }
    Ok(manifest)
}

/// Writes a card and reads it back. Returns the manifest of the image.
///
/// # Errors
/// The image or the card cannot be used, or a step fails. If a step fails after the old contents were erased and before
/// the new partition table is written, the card has no valid partition table.
pub fn write(job: &Job<'_>, device: &Device, progress: &mut impl Progress) -> Result<Manifest, FlashError> {
    let manifest = describe(job.image, job.operators)?;
    let Some(layout) = Layout::for_size(device.size) else {
        let (size, least) = (device::bytes(device.size), device::bytes(MIN_SIZE));
        return Err(FlashError::Small { device: device.path.display().to_string(), size, least });
    };
    // The whole image is read first, so that the card's contents are not destroyed if the image is damaged.
    progress.step("reading the image");
    payload(job.image, &manifest, progress, |_| Ok(()))?;
    mounts::private_namespace()?;
    progress.step("trying the card");
    device.probe()?;
    // Old boot loaders and file systems are erased, so that the card does not boot and old data do not appear in the
    // new file systems. The whole space before the first partition is erased, because boot loaders may store settings
    // there.
    let front = (0..layout.boot.start).step_by(1 << 20);
    for place in front.chain([layout.boot.start, layout.copies[0].start, layout.copies[1].start]) {
        device.write(&vec![0; 1 << 20], place)?;
    }
    device.flush()?;
    progress.step("making file systems");
    let boot = Loop::new(&device.path, layout.boot)?;
    let copies = [Loop::new(&device.path, layout.copies[0])?, Loop::new(&device.path, layout.copies[1])?];
    let mut fat = Command::new("mkfs.vfat");
    tools::run("making the first partition", fat.args(["-F", "32", "-n", BOOT_LABEL]).arg(&boot.path))?;
    let mut btrfs = Command::new("mkfs.btrfs");
    btrfs.args(["-q", "-f", "-L", LABEL, "-m", "raid1", "-d", "raid1"]).args(copies.iter().map(|copy| &copy.path));
    tools::run("making the file system", &mut btrfs)?;
    let top = Mount::copies(&copies, "subvolid=5,compress=zstd:3,noatime")?;
    for name in [&Slot::RootA.folder()].into_iter().chain(SUBVOLUMES) {
        let mut make = Command::new("btrfs");
        tools::run("making a subvolume", make.args(["subvolume", "create"]).arg(top.path.join(name)))?;
    }
    progress.step("writing the root");
    let root = top.path.join(Slot::RootA.folder());
    unpack(job.image, &manifest, &root, progress)?;
    progress.step("writing the identity");
    identity(job, &root, &top.path.join("@config"))?;
    let roots = Roots::settled(Slot::RootA).to_text();
    put(&top.path.join(SLOTS).join(ROOTS), roots.as_bytes(), 0o644)?;
    progress.step("writing the boot files");
    let files = Files::from_folder(&inside(&root, BOOT)?)?;
    for (block, bytes) in boot_files(&files, &boot)? {
        device.write(&bytes, block * BLOCK)?;
    }
    drop(top);
    device.flush()?;
    progress.step("verifying the card");
    verify(&boot, &copies, &files, device)?;
    drop((boot, copies));
    // The partition table is written last. From then on, the card boots.
    let table = layout.table(number(&manifest, job.robot));
    device.write(&table, 0)?;
    device.flush()?;
    let mut back = [0; BLOCK as usize];
    device.read(&mut back, 0)?;
    if back != table {
        return Err(bad(device, "the partition table"));
    }
    Ok(manifest)
}

/// Returns the disk identifier in the partition table of a robot's card. It depends on the image and the robot.
fn number(manifest: &Manifest, robot: &str) -> u32 {
    let digest = Sha256::digest([manifest.sha256.as_bytes(), robot.as_bytes()].concat());
    u32::from_le_bytes(std::array::from_fn(|i| digest[i]))
}

/// Returns whether the device is a card that was written for the robot with the image of the manifest.
pub fn is_card_of(device: &Device, manifest: &Manifest, robot: &str) -> bool {
    let mut found = [0; BLOCK as usize];
    let table = Layout::for_size(device.size).map(|layout| layout.table(number(manifest, robot)));
    device.read(&mut found, 0).is_ok() && table == Some(found)
}

fn bad(device: &Device, what: &str) -> FlashError {
    FlashError::Verify { device: device.path.display().to_string(), what: what.into() }
}

/// Passes the payload of an image to `take` in pieces. Returns an error if the payload's digest differs from the digest
/// in the manifest.
fn payload(
    image: &Path,
    manifest: &Manifest,
    progress: &mut impl Progress,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<(), FlashError> {
    let trouble = |error| FlashError::Image { path: image.display().to_string(), error };
    let file = file::open(image).map_err(ToolError::file(image))?;
    let reader = Reader::new(io::BufReader::new(file)).map_err(trouble)?;
    let mut done = 0;
    let read = reader.payload(manifest, |piece| {
        done += piece.len() as u64;
        progress.bytes(done, manifest.size);
        take(piece)
    });
    read.map(drop).map_err(trouble)
}

/// Unpacks the root of an image into the folder `root`. Returns an error if the payload's digest differs from the
/// digest in the manifest.
fn unpack(image: &Path, manifest: &Manifest, root: &Path, progress: &mut impl Progress) -> Result<(), FlashError> {
    let mut tar = Command::new("tar");
    tar.args(["--zstd", "--xattrs", "--xattrs-include=security.capability", "--numeric-owner", "-xpf", "-", "-C"]);
    tar.arg(root).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = tools::start(&mut tar)?;
    let mut input = child.stdin.take();
    let read =
        payload(image, manifest, progress, |piece| input.as_mut().map_or(Ok(()), |input| input.write_all(piece)));
    drop(input);
    // If tar has failed, its error is returned instead of the error of the pipe, because tar's error is more
    // informative.
    tools::finish("writing the root", &tar, child)?;
    read
}

/// Writes the files of the robot's identity to the folder `config`. Files that the robot's program may change belong to
/// the user of the program, because the hub can send new settings to the robot.
fn identity(job: &Job<'_>, root: &Path, config: &Path) -> Result<(), FlashError> {
    let owner = user_of(root)?;
    for entry in job.identity {
        let path = config.join(&entry.name);
        let mut above = config.to_path_buf();
        for part in Path::new(&entry.name).parent().into_iter().flat_map(Path::components) {
            above.push(part);
            if !above.exists() {
                fs::DirBuilder::new().mode(0o755).create(&above).map_err(ToolError::file(&above))?;
                chown(&above, (!entry.system).then_some(owner))?;
            }
        }
        put(&path, &entry.bytes, if entry.secret { 0o600 } else { 0o644 })?;
        chown(&path, (!entry.system).then_some(owner))?;
    }
    let link = config.join("robot.toml");
    symlink(format!("robots/{}.toml", job.robot), &link).map_err(ToolError::file(&link))?;
    // The robot's configuration file refers to the folder of checkpoints by a relative path, which needs this link.
    let state = config.join("state");
    symlink("/var/lib/xpuck", &state).map_err(ToolError::file(&state))?;
    chown(config, Some(owner))?;
    Ok(())
}

/// Resolves the path `name` in the root of an image. Returns an error if a link in the image leads to a file of this
/// machine.
fn inside(root: &Path, name: &str) -> Result<PathBuf, ToolError> {
    let path = root.join(name);
    let real = |path: &Path| path.canonicalize().map_err(ToolError::file(path));
    let (found, root) = (real(&path)?, real(root)?);
    match found.starts_with(&root) {
        true => Ok(found),
        false => Err(ToolError::file(Path::new(name))(io::Error::other("a link at this path leads outside the image"))),
    }
}

/// Returns the user id and the group id of the user [`USER`] in a root.
fn user_of(root: &Path) -> Result<(u32, u32), ToolError> {
    let path = inside(root, "etc/passwd")?;
    let text = file::bytes(&path, LONGEST_TEXT).map_err(ToolError::file(&path))?;
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("{USER}:")));
    let mut numbers = line.into_iter().flat_map(|line| line.split(':').skip(1)).map_while(|word| word.parse().ok());
    match (numbers.next(), numbers.next()) {
        (Some(user), Some(group)) => Ok((user, group)),
        _ => Err(ToolError::File {
            path: path.display().to_string(),
            error: io::Error::other(format!("the image does not have the user {USER}")),
        }),
    }
}

fn chown(path: &Path, owner: Option<(u32, u32)>) -> Result<(), ToolError> {
    let (user, group) = owner.unwrap_or((0, 0));
    std::os::unix::fs::chown(path, Some(user), Some(group)).map_err(ToolError::file(path))
}

fn put(path: &Path, bytes: &[u8], mode: u32) -> Result<(), ToolError> {
    let write = || {
        let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(path)?;
        file.set_permissions(PermissionsExt::from_mode(mode))?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(ToolError::file(path))
}

/// Copies the boot files to the first partition. Returns the first blocks and contents of the boot files that are not
/// in a partition. The first partition is not mounted, because this machine's kernel may not support FAT.
fn boot_files(files: &Files, boot: &Loop) -> Result<Vec<(u64, Vec<u8>)>, FlashError> {
    let mut blocks = Vec::new();
    let folder = tempfile::tempdir().map_err(ToolError::file(Path::new("a folder for boot files")))?;
    for (name, bytes) in &files.0 {
        if let Some(block) = block_of(name) {
            let end = block.checked_mul(BLOCK).and_then(|start| start.checked_add(bytes.len() as u64));
            // Block 0 contains the partition table, so no boot file may be there.
            if block == 0 || end.is_none_or(|end| end > FIRST_PARTITION_START) {
                let why =
                    "the image has a boot file for blocks that are not between partition table and first partition";
                return Err(ToolError::file(Path::new(name))(io::Error::other(why)).into());
            }
            blocks.push((block, bytes.clone()));
            continue;
        }
        let path = folder.path().join(name);
        let above = path.parent().unwrap_or(folder.path());
        fs::create_dir_all(above).map_err(ToolError::file(above))?;
        put(&path, bytes, 0o644)?;
    }
    for entry in fs::read_dir(folder.path()).map_err(ToolError::file(folder.path()))?.flatten() {
        let mut copy = Command::new("mcopy");
        copy.arg("-i").arg(&boot.path).args(["-s", "-o", "-Q"]).arg(entry.path()).arg("::/");
        tools::run("writing the boot files", &mut copy)?;
    }
    Ok(blocks)
}

/// Returns the number of the first block for a boot file. `None` if the file is for the first partition.
fn block_of(name: &str) -> Option<u64> {
    name.strip_prefix("blocks/").and_then(|block| block.parse().ok())
}

/// Contents of the files in and below a folder, by their paths relative to the folder.
struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    fn from_folder(folder: &Path) -> Result<Files, ToolError> {
        let (mut files, mut open) = (BTreeMap::new(), vec![PathBuf::new()]);
        while let Some(inside) = open.pop() {
            let here = folder.join(&inside);
            for entry in fs::read_dir(&here).map_err(ToolError::file(&here))? {
                let entry = entry.map_err(ToolError::file(&here))?;
                let name = inside.join(entry.file_name());
                let kind = entry.file_type().map_err(ToolError::file(&entry.path()))?;
                if kind.is_dir() {
                    open.push(name);
                } else if kind.is_file() {
                    let bytes = file::bytes(&entry.path(), LONGEST_FILE).map_err(ToolError::file(&entry.path()))?;
                    files.insert(name.display().to_string(), bytes);
                }
            }
        }
        Ok(Files(files))
    }
}

/// Reads the card back. In the file system, both copies of every block are verified by their checksums. The boot files
/// on the card are compared with the contents of `files`.
fn verify(boot: &Loop, copies: &[Loop; 2], files: &Files, device: &Device) -> Result<(), FlashError> {
    for part in copies.iter().chain([boot]) {
        part.drop_cache()?;
    }
    let top = Mount::copies(copies, "subvolid=5,ro")?;
    let mut scrub = Command::new("btrfs");
    // The scrub is read-only, so that it reports errors of a new card instead of repairing them.
    let said = tools::run("reading the card again", scrub.args(["scrub", "start", "-B", "-r"]).arg(&top.path))?;
    if !said.lines().any(|line| line.starts_with("Error summary:") && line.ends_with("no errors found")) {
        return Err(bad(device, "the file system"));
    }
    drop(top);
    for (name, bytes) in &files.0 {
        let back = match block_of(name) {
            Some(block) => {
                let mut back = vec![0; bytes.len()];
                device.read(&mut back, block * BLOCK)?;
                back
            }
            None => {
                let mut read = Command::new("mcopy");
                read.arg("-i").arg(&boot.path).arg(format!("::/{name}")).arg("-");
                tools::bytes("reading the boot files again", &mut read)?
            }
        };
        if back != *bytes {
            return Err(bad(device, name));
        }
    }
    Ok(())
}

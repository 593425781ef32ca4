//! Writing a card: partitions, the file system twice, the image's root, the robot's identity; then everything is read again.
//!
//! The file system is btrfs with two copies on one card (RAID1, thesis 5.2.2): what one copy lost is read, and put right, from
//! the other. Subvolumes: `@a` the root (an update brings `@b`), `@config` who the robot is, `@state` what it evolved, `@slots`
//! its programs' updates, `@log`. Until the last step the card has no partition table, so one that was broken off in the middle
//! starts nowhere.

mod mounts;

use crate::Progress;
use crate::build::BOOT;
use crate::card::{BLOCK, FIRST, LEAST, Layout};
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

/// Subvolumes beside the root's, and where the running system has them.
pub const SUBVOLUMES: &[&str] = &["@config", "@state", SLOTS, "@log"];
/// Where updates are.
const SLOTS: &str = "@slots";
/// Longest `etc/passwd` of a system, and longest file for the boot partition, bytes.
const LONGEST_TEXT: u64 = 1 << 20;
/// See [`LONGEST_TEXT`].
const LONGEST_FILE: u64 = 256 << 20;
/// Name of the file system.
const LABEL: &str = "xpuck";
/// Name of the first partition.
const BOOT_LABEL: &str = "XPUCKBOOT";
/// The robot's program's user.
const USER: &str = "xpuck";

/// Why a card is not written.
#[derive(Debug, thiserror::Error)]
pub enum FlashError {
    /// The device.
    #[error("{0}")]
    Device(#[from] DeviceError),
    /// The image.
    #[error("{path}: {error}")]
    Image {
        /// Its file.
        path: String,
        /// What is wrong.
        error: BundleError,
    },
    /// A program or a file.
    #[error("{0}")]
    Tool(#[from] ToolError),
    /// No image at all.
    #[error(
        "{0} is a package, and a card wants an image; `xpuck card build` makes one, `xpuck robot update --deb` takes the package"
    )]
    Package(String),
    /// A card that is too small.
    #[error("{device} holds {size}, and a card has at least {least}")]
    Small {
        /// The device.
        device: String,
        /// Its size.
        size: String,
        /// The least size.
        least: String,
    },
    /// What was read back is not what was written.
    #[error("{device}: {what} is not what was written; the card is bad, take another")]
    Verify {
        /// The device.
        device: String,
        /// What differs.
        what: String,
    },
}

/// What goes onto a card.
pub struct Job<'a> {
    /// The image.
    pub image: &'a Path,
    /// Whose images are taken.
    pub operators: &'a BTreeMap<String, Key>,
    /// What the robot's card has and no other.
    pub identity: &'a [Entry],
    /// The robot.
    pub robot: &'a str,
}

/// The image's description, once its signature was verified.
///
/// # Errors
/// It is none, or nobody who counts signed it.
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
    // Before anything is written: a file that was cut on its way is the usual fault.
    if have < manifest.size {
        return Err(trouble(BundleError::Truncated { what: "payload", have, want: manifest.size }));
    }
    Ok(manifest)
}

/// Writes a card and reads it again.
///
/// # Errors
/// Why it is no good. The card then has no partition table.
pub fn write(job: &Job<'_>, device: &Device, progress: &mut impl Progress) -> Result<Manifest, FlashError> {
    let manifest = describe(job.image, job.operators)?;
    let Some(layout) = Layout::of(device.size) else {
        let (size, least) = (device::bytes(device.size), device::bytes(LEAST));
        return Err(FlashError::Small { device: device.path.display().to_string(), size, least });
    };
    // A damaged image costs no card.
    progress.step("reading the image");
    payload(job.image, &manifest, progress, |_| Ok(()))?;
    mounts::alone()?;
    progress.step("trying the card");
    device.probe()?;
    // Whatever was there starts no more, and is not taken for a part of the new file system. A boot loader's settings are
    // anywhere in front of the first partition.
    let front = (0..layout.boot.start).step_by(1 << 20);
    for place in front.chain([layout.boot.start, layout.copies[0].start, layout.copies[1].start]) {
        device.write(&vec![0; 1 << 20], place)?;
    }
    device.settle()?;
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
    let roots = Roots::of(Slot::RootA).to_text();
    put(&top.path.join(SLOTS).join(ROOTS), roots.as_bytes(), 0o644)?;
    progress.step("writing the boot files");
    let files = Files::of(&inside(&root, BOOT)?)?;
    for (block, bytes) in boot_files(&files, &boot)? {
        device.write(&bytes, block * BLOCK)?;
    }
    drop(top);
    device.settle()?;
    progress.step("reading it again");
    verify(&boot, &copies, &files, device)?;
    drop((boot, copies));
    // The last thing: from now on it starts.
    let table = layout.table(number(&manifest, job.robot));
    device.write(&table, 0)?;
    device.settle()?;
    let mut back = [0; BLOCK as usize];
    device.read(&mut back, 0)?;
    if back != table {
        return Err(bad(device, "the partition table"));
    }
    Ok(manifest)
}

/// The number of a robot's card in its partition table.
fn number(manifest: &Manifest, robot: &str) -> u32 {
    let digest = Sha256::digest([manifest.sha256.as_bytes(), robot.as_bytes()].concat());
    u32::from_le_bytes(std::array::from_fn(|i| digest[i]))
}

/// True if this is the robot's card of this image, as it was written.
pub fn is_card_of(device: &Device, manifest: &Manifest, robot: &str) -> bool {
    let mut found = [0; BLOCK as usize];
    let table = Layout::of(device.size).map(|layout| layout.table(number(manifest, robot)));
    device.read(&mut found, 0).is_ok() && table == Some(found)
}

fn bad(device: &Device, what: &str) -> FlashError {
    FlashError::Verify { device: device.path.display().to_string(), what: what.into() }
}

/// Hands out an image's payload piece by piece; the digest of all that was read must be the manifest's.
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

/// Unpacks the image's root; the digest of all that was read must be the manifest's.
fn unpack(image: &Path, manifest: &Manifest, root: &Path, progress: &mut impl Progress) -> Result<(), FlashError> {
    let mut tar = Command::new("tar");
    tar.args(["--zstd", "--xattrs", "--xattrs-include=security.capability", "--numeric-owner", "-xpf", "-", "-C"]);
    tar.arg(root).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = tools::start(&mut tar)?;
    let mut input = child.stdin.take();
    let read =
        payload(image, manifest, progress, |piece| input.as_mut().map_or(Ok(()), |input| input.write_all(piece)));
    drop(input);
    // A program that stopped reading knows best why.
    tools::finish("writing the root", &tar, child)?;
    read
}

/// Writes who the robot is. Its own files belong to its program's user, as settings may be sent to it.
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
    // Robots' files name the folder of their checkpoints beside them.
    let state = config.join("state");
    symlink("/var/lib/xpuck", &state).map_err(ToolError::file(&state))?;
    chown(config, Some(owner))?;
    Ok(())
}

/// A path of an image's root. Links in the image must not lead to files of this machine.
fn inside(root: &Path, name: &str) -> Result<PathBuf, ToolError> {
    let path = root.join(name);
    let real = |path: &Path| path.canonicalize().map_err(ToolError::file(path));
    let (found, root) = (real(&path)?, real(root)?);
    match found.starts_with(&root) {
        true => Ok(found),
        false => Err(ToolError::file(Path::new(name))(io::Error::other("the image has a link there that leaves it"))),
    }
}

/// The number of the program's user and of its group in a root.
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
            error: io::Error::other(format!("the image has no user {USER}")),
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

/// Copies what boot loaders read; gives what goes to blocks of its own. The partition is not mounted: not every kernel that
/// writes cards knows FAT.
fn boot_files(files: &Files, boot: &Loop) -> Result<Vec<(u64, Vec<u8>)>, FlashError> {
    let mut blocks = Vec::new();
    let folder = tempfile::tempdir().map_err(ToolError::file(Path::new("a folder for boot files")))?;
    for (name, bytes) in &files.0 {
        if let Some(block) = block_of(name) {
            let end = block.checked_mul(BLOCK).and_then(|start| start.checked_add(bytes.len() as u64));
            // The first block has the partition table.
            if block == 0 || end.is_none_or(|end| end > FIRST) {
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

/// The block that a boot file is written to; most are files of the first partition.
fn block_of(name: &str) -> Option<u64> {
    name.strip_prefix("blocks/").and_then(|block| block.parse().ok())
}

/// Files of a folder and below, by their names.
struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    fn of(folder: &Path) -> Result<Files, ToolError> {
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

/// Reads the card again: both copies of every block by their checksums, and the first partition's files.
fn verify(boot: &Loop, copies: &[Loop; 2], files: &Files, device: &Device) -> Result<(), FlashError> {
    for part in copies.iter().chain([boot]) {
        part.forget()?;
    }
    let top = Mount::copies(copies, "subvolid=5,ro")?;
    let mut scrub = Command::new("btrfs");
    // Read-only: what differs is not put right but told, because the card is new.
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

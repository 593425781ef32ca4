//! Builds an image, which is a signed file with a root. The root consists of Debian's packages for the board's
//! architecture, the kernel, the package of the robot's program, and the robot's files.
//!
//! The results of slow steps (Debian's root, kernel packages) are stored in a cache under names that depend on their
//! inputs. An interrupted build can therefore resume. Builds are reproducible: equal inputs give equal images. All
//! files have the same timestamp.

mod apt;
mod base;
mod blobs;
mod device_tree;
mod foreign;
mod kernel;
mod pack;
mod tree;

use crate::board::{Board, Boot};
use crate::tools::{self, ToolError};
use crate::{Progress, initramfs};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use xpuck_update::{BundleError, Kind, Release, bundle};
use xpuck_wire::atomic;
use xpuck_wire::keys::Secret;

pub use device_tree::merge as device_tree;

/// Folder in a root with the boot files, which are copied to the card's first partition.
pub const BOOT: &str = "usr/lib/xpuck/boot";
/// Path of the file in a root that contains the name of the board.
pub const BOARD: &str = "usr/lib/xpuck/board";

/// Inputs of an image.
pub struct Recipe<'a> {
    /// Board for which the image is built.
    pub board: &'a Board,
    /// Package of the robot's program for the board's architecture.
    pub package: &'a Path,
    /// Operator's folder with files that must not be redistributed, if any.
    pub blobs: Option<&'a Path>,
    /// Address of a mirror of Debian's archive. `None` for the archives of this machine.
    pub mirror: Option<&'a str>,
    /// Folder of the cache for the results of slow steps.
    pub cache: &'a Path,
    /// Key of the operator who signs the image.
    pub signer: &'a Secret,
}

/// Reason why no image was built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A program or a file operation failed.
    #[error("{0}")]
    Tool(#[from] ToolError),
    /// Signing or writing the bundle failed.
    #[error("{0}")]
    Bundle(#[from] BundleError),
    /// The user is not root. Only root can create device nodes, and files that belong to users of another system.
    #[error("building an image requires root; run it with sudo")]
    NotRoot,
    /// The package of the robot's program is not for the architecture of the board.
    #[error(
        "{path}: this package is for {found}, but {board} requires {wanted}; build one with `make deb ARCH={wanted}`"
    )]
    Package {
        /// Path of the package.
        path: String,
        /// Architecture of the package.
        found: String,
        /// Name of the board.
        board: String,
        /// Architecture of the board.
        wanted: String,
    },
    /// A file that must not be redistributed is missing.
    #[error(
        "{name} from {source_place} is required and may not be redistributed; download it into a folder and specify the folder with --blobs"
    )]
    Blob {
        /// Name of the file.
        name: String,
        /// Source from which the operator can download the file.
        source_place: String,
    },
    /// A boot file is larger than its space on the card.
    #[error("{name} has {size} bytes, but the card has space for {room}")]
    Room {
        /// Name of the file.
        name: String,
        /// Size of the file (bytes).
        size: u64,
        /// Space up to the next boot file or the first partition (bytes).
        room: u64,
    },
    /// A blob has the wrong contents.
    #[error("{path} has SHA-256 {found}, expected {wanted}")]
    BlobDigest {
        /// Path of the file.
        path: String,
        /// SHA-256 of the file.
        found: String,
        /// Required SHA-256.
        wanted: String,
    },
}

/// Builds an image and writes it to `out`. An existing image is replaced. Returns the manifest of the image.
///
/// # Errors
/// An input is missing or a step fails. The error describes the input or the step, and `out` is unchanged.
pub fn image(recipe: &Recipe<'_>, out: &Path, progress: &mut impl Progress) -> Result<bundle::Manifest, BuildError> {
    if !rustix_is_root() {
        return Err(BuildError::NotRoot);
    }
    let board = recipe.board;
    let release = package(recipe)?;
    let found = blobs::find(recipe)?;
    fs::create_dir_all(recipe.cache).map_err(ToolError::file(recipe.cache))?;
    progress.step("Debian's root");
    let base = base::root(board, recipe.mirror, recipe.cache)?;
    progress.step("the kernel");
    let work = tempfile::tempdir_in(recipe.cache).map_err(ToolError::file(recipe.cache))?;
    let kernel = kernel::fetch(board, blobs::kernel(&found), recipe.mirror, recipe.cache, work.path())?;
    let root = work.path().join("root");
    progress.step("unpacking");
    tree::unpack(&base, &root)?;
    let running = kernel::install(board, &kernel, &root, work.path())?;
    progress.step("our package");
    foreign::install(board, &root, recipe.package)?;
    progress.step("the files of a robot");
    tree::robot(board, &root)?;
    let boot = root.join(BOOT);
    let initial = initramfs::make(&root, &running, board, &kernel.busybox()?)?;
    put(&boot.join("initrd.img"), &initial)?;
    boot_files(board, &boot)?;
    blobs::place(board, &found, &kernel.debian, work.path(), &root)?;
    tree::clean(&root)?;
    progress.step("packing");
    let payload = work.path().join("payload.tar.zst");
    pack::pack(&root, release.counter, &payload)?;
    progress.step("signing");
    let boards = [board.name.clone()];
    let read = |path: &Path| File::open(path).map_err(ToolError::file(path));
    let head = bundle::seal(Kind::Image, &boards, &board.architecture, &release, read(&payload)?, recipe.signer)?;
    // The image is written to a temporary file, which is then renamed. An existing image is therefore available until
    // the new image is complete.
    let mut name = out.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let file = File::create(&new).map_err(ToolError::file(&new))?;
    let written = bundle::write(&head, read(&payload)?, file).map_err(BuildError::from);
    let written = written.and_then(|()| Ok(atomic::replace(&new, out).map_err(ToolError::file(out))?));
    if let Err(error) = written {
        // The incomplete file is useless. A failed removal is ignored, because the first error is returned.
        let _ = fs::remove_file(&new);
        return Err(error);
    }
    Ok(head.unverified_manifest()?)
}

/// Downloads a board's kernel from Debian, and builds its device tree, module dependencies, initramfs and boot files in
/// the folder `into`. Returns the folder with the files for the card's first partition. This function requires neither
/// root rights nor programs of the board's architecture.
///
/// # Errors
/// A package cannot be downloaded or lacks a file, or a program fails.
pub fn kernel_alone(board: &Board, cache: &Path, into: &Path) -> Result<PathBuf, ToolError> {
    fs::create_dir_all(cache).map_err(ToolError::file(cache))?;
    let kernel = kernel::fetch(board, None, None, cache, into)?;
    let root = into.join("root");
    fs::create_dir_all(root.join("usr/lib")).map_err(ToolError::file(&root))?;
    std::os::unix::fs::symlink("usr/lib", root.join("lib")).map_err(ToolError::file(&root))?;
    let release = kernel::install(board, &kernel, &root, into)?;
    let boot = root.join(BOOT);
    put(&boot.join("initrd.img"), &initramfs::make(&root, &release, board, &kernel.busybox()?)?)?;
    boot_files(board, &boot)?;
    Ok(boot)
}

fn rustix_is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Checks the architecture of the robot program's package, and returns the release of the package.
fn package(recipe: &Recipe<'_>) -> Result<Release, BuildError> {
    let path = recipe.package.display().to_string();
    let mut ask = Command::new("dpkg-deb");
    ask.arg("--field").arg(recipe.package).arg("Architecture");
    let found = tools::run(&path, &mut ask)?.trim().to_string();
    if found != recipe.board.architecture {
        let (board, wanted) = (recipe.board.name.clone(), recipe.board.architecture.clone());
        return Err(BuildError::Package { path, found, board, wanted });
    }
    let mut ask = Command::new("sh");
    ask.args(["-c", "dpkg-deb --fsys-tarfile \"$1\" | tar -xO ./usr/lib/xpuck/release", "sh"]).arg(recipe.package);
    let text = tools::run(&path, &mut ask)?;
    Release::parse(&path, &text).map_err(|error| {
        ToolError::Failed {
            what: path,
            program: "its release".into(),
            status: "unreadable".into(),
            words: error.to_string(),
        }
        .into()
    })
}

/// Writes the configuration files of the board's boot loader.
fn boot_files(board: &Board, boot: &Path) -> Result<(), ToolError> {
    let arguments = board.kernel_arguments();
    let mut lines = board.config.join("\n");
    lines.push('\n');
    match board.boot {
        Boot::Qemu => {}
        Boot::RaspberryPi => {
            put(&boot.join("config.txt"), lines.as_bytes())?;
        }
        Boot::Extlinux => {
            let tree = board.device_tree.as_deref().and_then(|tree| tree.rsplit('/').next()).unwrap_or_default();
            let text = format!(
                "default xpuck\nlabel xpuck\n  kernel /vmlinuz\n  initrd /initrd.img\n  fdt /{tree}\n  append {arguments}\n"
            );
            put(&boot.join("extlinux/extlinux.conf"), text.as_bytes())?;
        }
    }
    put(&boot.join("cmdline.txt"), format!("{arguments}\n").as_bytes())
}

/// Writes a file. Missing parent folders are created.
fn put(path: &Path, bytes: &[u8]) -> Result<(), ToolError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(ToolError::file(folder))?;
    }
    fs::write(path, bytes).map_err(ToolError::file(path))
}

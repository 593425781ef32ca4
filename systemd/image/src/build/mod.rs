//! Building an image: Debian's root for the board's architecture, its kernel, our package, the files that make it a robot's,
//! and all of that in one signed file.
//!
//! What takes long (the root, the kernel's package) is kept in a cache under a name that its inputs make, so that a build that
//! was broken off goes on where it was. The rest is made anew each time from the same inputs, with one time for all files,
//! so that two builds give the same bytes.

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

/// Where a root's boot files are: what goes onto the first partition of a card.
pub const BOOT: &str = "usr/lib/xpuck/boot";
/// Where a root says which board it is for.
pub const BOARD: &str = "usr/lib/xpuck/board";

/// What an image is made of.
pub struct Recipe<'a> {
    /// The board.
    pub board: &'a Board,
    /// Our package for robots, of the board's architecture.
    pub package: &'a Path,
    /// The operator's folder of what may not be shipped.
    pub blobs: Option<&'a Path>,
    /// Debian's archive from elsewhere.
    pub mirror: Option<&'a str>,
    /// Where to keep what takes long.
    pub cache: &'a Path,
    /// Who signs.
    pub signer: &'a Secret,
}

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A program or a file.
    #[error("{0}")]
    Tool(#[from] ToolError),
    /// Signing and writing.
    #[error("{0}")]
    Bundle(#[from] BundleError),
    /// Only root may make device nodes and users of another system.
    #[error("building an image takes root's rights: run it with sudo")]
    NotRoot,
    /// The package is not for this board.
    #[error("{path}: this package is for {found}, and {board} is {wanted}; `make deb ARCH={wanted}` makes one")]
    Package {
        /// The package.
        path: String,
        /// What it is for.
        found: String,
        /// The board.
        board: String,
        /// What would do.
        wanted: String,
    },
    /// Something that may not be shipped is missing.
    #[error(
        "{name} of {source_place} is needed and may not be passed on: fetch it into a folder and name that with --blobs"
    )]
    Blob {
        /// The file.
        name: String,
        /// Where it is.
        source_place: String,
    },
    /// Something is longer than the place for it.
    #[error("{name} has {size} bytes, and where it goes on the card are {room}")]
    Room {
        /// The file.
        name: String,
        /// Its bytes.
        size: u64,
        /// The bytes up to what comes next.
        room: u64,
    },
    /// It is there and is another one.
    #[error("{path} is not the file that is meant: its SHA-256 is {found}, and {wanted} is wanted")]
    BlobDigest {
        /// The file.
        path: String,
        /// What it has.
        found: String,
        /// What it should have.
        wanted: String,
    },
}

/// Builds an image into `out`, in the place of one that is there.
///
/// # Errors
/// What is missing or fails; `out` is then as it was.
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
    // Beside its place and then in it: an image that is there is whole until the new one is.
    let mut name = out.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let file = File::create(&new).map_err(ToolError::file(&new))?;
    let written = bundle::write(&head, read(&payload)?, file).map_err(BuildError::from);
    let written = written.and_then(|()| Ok(atomic::replace(&new, out).map_err(ToolError::file(out))?));
    if let Err(error) = written {
        // Why there is no image is said; what is left of it is nobody's.
        let _ = fs::remove_file(&new);
        return Err(error);
    }
    Ok(head.told()?)
}

/// Fetches a board's kernel from Debian and makes what is made of it alone: its device tree, its modules in order, its initial
/// file system. Gives the folder that a card's first partition gets; it takes no root's rights and no program of the board's.
///
/// # Errors
/// What cannot be fetched, or what the packages do not have.
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

/// The release that the package brings; it must be of the board's architecture.
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

/// What the boot loader reads.
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

/// Writes a file and the folders above it.
fn put(path: &Path, bytes: &[u8]) -> Result<(), ToolError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(ToolError::file(folder))?;
    }
    fs::write(path, bytes).map_err(ToolError::file(path))
}

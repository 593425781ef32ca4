//! `xpuck card build`: builds the card image of a kind of board.

use crate::terminal::steps::Steps;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use xpuck_image::build::{self, Recipe};
use xpuck_image::{Board, device};
use xpuck_wire::keys::Secret;
use xpuck_wire::{atomic, output};

/// Folders that are searched for the robot package.
const PACKAGES: [&str; 2] = [".", "target/deb"];

/// Build the card image of a kind of board: Debian, its kernel, and the robot's program, signed.
///
/// The image is the same for every robot. `xpuck card flash` writes it to a card with a robot's identity, and `xpuck
/// robot update` installs it on running robots. The first build needs root privileges, access to a Debian mirror and
/// some minutes. Results of long steps are kept, so an interrupted build continues where it stopped. The same packages
/// result in an identical image.
#[derive(Args)]
pub struct ImageArgs {
    /// Kind of board (see --boards).
    #[arg(long)]
    board: Option<String>,
    /// Image file to write; an existing file is replaced only when the new one is complete.
    #[arg(short, long = "output", alias = "out", value_name = "FILE", required_unless_present = "boards")]
    out: Option<PathBuf>,
    /// List the kinds of board, and the files that the operator has to fetch for each.
    #[arg(long, conflicts_with_all = ["board", "out"])]
    boards: bool,
    /// Robot package for the board's processor [default: the newest xpuckd_*_ARCH.deb here or in target/deb].
    #[arg(long, value_name = "DEB")]
    package: Option<PathBuf>,
    /// Operator's key that signs the image.
    #[arg(long, value_name = "KEY", default_value = "keys/operators/operator.key")]
    key: PathBuf,
    /// Folder with the files that must not be redistributed (see --boards).
    #[arg(long, value_name = "DIR")]
    blobs: Option<PathBuf>,
    /// URL of a Debian archive, such as a mirror of the lab: the folder with `dists` and `pool` [default: Debian's
    /// own, with its security updates].
    #[arg(long, value_name = "URL")]
    mirror: Option<String>,
    /// Folder for the results of long steps [default: ~/.cache/xpuck].
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

/// Runs `xpuck card build`.
pub fn run(args: &ImageArgs) -> Result<()> {
    if args.boards {
        return list();
    }
    let names: Vec<&str> = Board::names().collect();
    let Some(name) = &args.board else { bail!("--board is missing; choose one of {}", names.join(", ")) };
    let board = Board::named(name)?;
    if !args.key.exists() {
        let key = args.key.display();
        bail!(
            "{key} is missing, but must sign the image; run the command in a folder made by `xpuck init`, or use --key"
        );
    }
    let signer = Secret::read(&args.key).context("--key")?;
    let package = match &args.package {
        Some(package) => package.clone(),
        None => newest(&board.architecture)?,
    };
    let cache = match &args.cache {
        Some(cache) => cache.clone(),
        None => cache().context("no home folder is set; choose a folder with --cache")?,
    };
    let out = args.out.as_deref().context("--output is missing")?;
    let place = atomic::folder(out);
    if !place.is_dir() {
        bail!("{}: this folder does not exist; create it, or choose another one with --output", place.display());
    }
    let recipe = Recipe {
        board: &board,
        package: &package,
        blobs: args.blobs.as_deref(),
        mirror: args.mirror.as_deref(),
        cache: &cache,
        signer: &signer,
    };
    let mut steps = Steps::new(false);
    let manifest = build::image(&recipe, out, &mut steps)?;
    drop(steps);
    output::line(format_args!(
        "{}: {name}, release {} (counter {}), {}, signed by {}",
        out.display(),
        manifest.version,
        manifest.counter,
        device::bytes(manifest.size),
        signer.public.name
    ))?;
    Ok(())
}

fn list() -> Result<()> {
    for name in Board::names() {
        let board = Board::named(name)?;
        let kernel = board.kernel.as_deref().unwrap_or("from the vendor, to be fetched");
        output::line(format_args!("{name}: {}, kernel {kernel}", board.architecture))?;
        for blob in &board.blobs {
            let digest = blob.sha256.as_deref().unwrap_or("unknown; compare it with the vendor's");
            let need = if blob.optional { "optional" } else { "required" };
            output::line(format_args!("  {need}: {} from {}; SHA-256 {digest}", blob.name, blob.source))?;
        }
    }
    Ok(())
}

/// Returns the robot package of this architecture with the latest modification time.
fn newest(architecture: &str) -> Result<PathBuf> {
    let end = format!("_{architecture}.deb");
    let fits = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("xpuckd_") && name.ends_with(&end)
    };
    let entries = PACKAGES.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let found = entries.map(|entry| entry.path()).filter(|path| fits(path));
    let newest = found.max_by_key(|path| path.metadata().and_then(|found| found.modified()).ok());
    newest.with_context(|| {
        format!(
            "--package is missing, and no xpuckd_*{end} exists here or in target/deb; build one with `make deb \
             ARCH={architecture}`"
        )
    })
}

fn cache() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache"))).map(|folder| folder.join("xpuck"))
}

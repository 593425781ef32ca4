//! Third-party files of a board. They are blobs that the operator downloads, and some files from Debian packages.

use super::{BOOT, BuildError, Recipe, apt, put};
use crate::board::{Blob, Board, PackageFile};
use crate::card::{BLOCK, FIRST_PARTITION_START};
use crate::tools::{self, ToolError};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xpuck_wire::signed::hex;

/// Verified blob, with the path of its file.
pub(super) type FetchedBlob<'a> = (&'a Blob, PathBuf);

/// Finds and verifies the board's blobs in the operator's folder.
///
/// # Errors
/// A required blob is missing, or a blob has the wrong contents. The error names the first such blob.
pub(super) fn find<'a>(recipe: &Recipe<'a>) -> Result<Vec<FetchedBlob<'a>>, BuildError> {
    let mut found = Vec::new();
    for blob in &recipe.board.blobs {
        let path = recipe.blobs.map(|folder| folder.join(&blob.name)).filter(|path| path.exists());
        let Some(path) = path else {
            if blob.optional {
                continue;
            }
            return Err(BuildError::Blob { name: blob.name.clone(), source_place: blob.source.clone() });
        };
        if let Some(wanted) = &blob.sha256 {
            let digest = hex(&Sha256::digest(fs::read(&path).map_err(ToolError::file(&path))?));
            if digest != *wanted {
                let path = path.display().to_string();
                return Err(BuildError::BlobDigest { path, found: digest, wanted: wanted.clone() });
            }
        }
        found.push((blob, path));
    }
    Ok(found)
}

/// Returns the path of the operator's kernel package. `None` if no blob is a kernel package.
pub(super) fn kernel<'a>(found: &'a [FetchedBlob<'_>]) -> Option<&'a Path> {
    found.iter().find(|(blob, _)| blob.kernel).map(|(_, path)| path.as_path())
}

/// Copies the third-party files into a root. `found` are the board's blobs, and `debian` is the folder with the board's
/// unpacked Debian packages.
pub(super) fn place(
    board: &Board,
    found: &[FetchedBlob<'_>],
    debian: &Path,
    work: &Path,
    root: &Path,
) -> Result<(), BuildError> {
    let boot = root.join(BOOT);
    let mut blocks = BTreeMap::new();
    let read = |path: &Path| fs::read(path).map_err(ToolError::file(path));
    for (blob, path) in found {
        if let Some(file) = &blob.file {
            put(&boot.join(file), &read(path)?)?;
        }
        if let Some(block) = blob.block {
            blocks.insert(block, (blob.name.clone(), read(path)?));
        }
    }
    let mut pieces: Vec<(PathBuf, &PackageFile)> = Vec::new();
    for fetched in &board.fetched {
        pieces.extend(fetched.files.iter().map(|piece| (debian.to_path_buf(), piece)));
    }
    for (blob, path) in found.iter().filter(|(blob, _)| !blob.files.is_empty()) {
        let unpacked = work.join("blobs").join(&blob.name);
        fs::create_dir_all(&unpacked).map_err(ToolError::file(&unpacked))?;
        apt::unpack(path, &unpacked)?;
        pieces.extend(blob.files.iter().map(|piece| (unpacked.clone(), piece)));
    }
    for (package, piece) in pieces {
        let from = package.join(&piece.from);
        if let Some(file) = &piece.file {
            put(&boot.join(file), &read(&from)?)?;
        }
        if let Some(block) = piece.block {
            blocks.insert(block, (piece.from.clone(), read(&from)?));
        }
        if let Some(place) = &piece.root {
            add(&from, &root.join(place))?;
        }
    }
    for (block, bytes) in arrange(blocks)? {
        put(&boot.join(format!("blocks/{block:08}")), &bytes)?;
    }
    Ok(())
}

/// Copies a file, or the contents of a folder, to the path `to`. Existing files are not replaced.
fn add(from: &Path, to: &Path) -> Result<(), ToolError> {
    let folder = from.is_dir();
    let above = if folder { Some(to) } else { to.parent() };
    if let Some(above) = above {
        fs::create_dir_all(above).map_err(ToolError::file(above))?;
    }
    let mut copy = Command::new("cp");
    copy.args(["-a", "--no-clobber"]).arg(if folder { from.join(".") } else { from.to_path_buf() }).arg(to);
    tools::run("copying firmware", &mut copy).map(drop)
}

/// Pads the files that are stored before the first partition to whole blocks. Each key of `blocks` is the number of a
/// file's first block. In the layouts of some boot loaders, the last block of a file overlaps the first block of the
/// next file. This last block is then omitted.
fn arrange(blocks: BTreeMap<u64, (String, Vec<u8>)>) -> Result<Vec<(u64, Vec<u8>)>, BuildError> {
    let ends = blocks.keys().skip(1).copied().chain([FIRST_PARTITION_START / BLOCK]).collect::<Vec<_>>();
    let mut arranged = Vec::new();
    for ((block, (name, mut bytes)), end) in blocks.into_iter().zip(ends) {
        let room = end.saturating_sub(block) * BLOCK;
        let size = bytes.len() as u64;
        if block == 0 || size >= room + BLOCK {
            return Err(BuildError::Room { name, size, room });
        }
        bytes.resize(bytes.len().next_multiple_of(BLOCK as usize), 0);
        bytes.truncate(room as usize);
        arranged.push((block, bytes));
    }
    Ok(arranged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged_sizes(sizes: &[(u64, usize)]) -> Result<Vec<(u64, usize)>, String> {
        let blocks = sizes.iter().map(|(block, size)| (*block, (format!("at {block}"), vec![1; *size]))).collect();
        let arranged = arrange(blocks).map_err(|error| error.to_string())?;
        Ok(arranged.into_iter().map(|(block, bytes)| (block, bytes.len())).collect())
    }

    #[test]
    fn boot_loaders_lie_beside_each_other_in_whole_blocks() {
        // First blocks and sizes (bytes) of the boot files of the Odroid XU4. The first file is half a block longer
        // than its space. The manufacturer's script overwrites the end of this file with the second file.
        let xu4 = [(1, 15_616), (31, 14_592), (63, 538_224), (2111, 262_144)];
        assert_eq!(arranged_sizes(&xu4).unwrap(), [(1, 15_360), (31, 14_848), (63, 538_624), (2111, 262_144)]);
        assert_eq!(arranged_sizes(&[(64, 200_000), (16_384, 9_000_000)]).unwrap_err().lines().count(), 1);
        assert!(arranged_sizes(&[(64, 200_000), (16_384, 8 << 20)]).is_ok());
    }

    #[test]
    fn overlapping_blobs_are_rejected() {
        let error = arranged_sizes(&[(1, 15_872 + 1), (31, 10)]).unwrap_err();
        assert!(error.contains("at 1") && error.contains("15360"), "{error}");
        assert!(
            arranged_sizes(&[(FIRST_PARTITION_START / BLOCK - 1, 1025)]).is_err() && arranged_sizes(&[(0, 1)]).is_err()
        );
    }
}

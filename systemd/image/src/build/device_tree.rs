//! Device tree of a board with the robot's devices. It is the kernel's device tree with an overlay of this project. The
//! overlay is applied while the image is built, because some boot loaders cannot apply overlays.

use crate::board::Board;
use crate::tools::{self, ToolError};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Overlays of the boards, by board name.
const OVERLAYS: &[(&str, &str)] = &[
    ("pi4", include_str!("../../overlays/pi4.dtso")),
    ("pi5", include_str!("../../overlays/pi5.dtso")),
    ("rk3588", include_str!("../../overlays/rk3588.dtso")),
    ("xu4", include_str!("../../overlays/xu4.dtso")),
];
/// Files that the overlays include.
const PARTS: &[(&str, &str)] = &[
    ("monitors.dtsi", include_str!("../../overlays/monitors.dtsi")),
    ("pi-puck.dtsi", include_str!("../../overlays/pi-puck.dtsi")),
    ("spidev.dtsi", include_str!("../../overlays/spidev.dtsi")),
];
/// First phandle for nodes that lack a phandle. It is far above the values that device tree compilers assign.
const HANDLES: u32 = 0x7f00_0000;

/// Returns the kernel's device tree `tree` with the board's symbols, overlay and aliases. Intermediate files are
/// written to a subfolder of `work`.
///
/// # Errors
/// The device tree compiler is missing, or the device tree lacks a node that the board's file or the overlay names.
pub fn merge(board: &Board, tree: &Path, work: &Path) -> Result<Vec<u8>, ToolError> {
    let folder = work.join("device-tree");
    fs::create_dir_all(&folder).map_err(ToolError::file(&folder))?;
    let (named, compiled, merged) = (folder.join("named.dtb"), folder.join("overlay.dtbo"), folder.join("merged.dtb"));
    fs::copy(tree, &named).map_err(ToolError::file(tree))?;
    name_nodes(board, &named)?;
    if let Some((_, overlay)) = OVERLAYS.iter().find(|(name, _)| *name == board.name) {
        for (name, text) in PARTS.iter().chain([&("overlay.dtso", *overlay)]) {
            let path = folder.join(name);
            fs::write(&path, text).map_err(ToolError::file(&path))?;
        }
        let mut compile = Command::new("dtc");
        compile.args(["-q", "-@", "-I", "dts", "-O", "dtb", "-i"]).arg(&folder).arg("-o").arg(&compiled);
        tools::run("compiling the fragment", compile.arg(folder.join("overlay.dtso")))?;
        let mut lay = Command::new("fdtoverlay");
        lay.arg("-i").arg(&named).arg("-o").arg(&merged).arg(&compiled);
        tools::run("laying the fragment over the device tree", &mut lay)?;
    } else {
        fs::rename(&named, &merged).map_err(ToolError::file(&named))?;
    }
    number_devices(board, &merged)?;
    fs::read(&merged).map_err(ToolError::file(&merged))
}

/// Adds the board's symbols to the device tree. Their nodes get phandles, because overlays refer to nodes by phandles.
fn name_nodes(board: &Board, tree: &Path) -> Result<(), ToolError> {
    for ((name, path), handle) in board.symbols.iter().zip(HANDLES..) {
        let what = format!("adding {path} as symbol {name} to the device tree");
        if tools::run(&what, Command::new("fdtget").arg(tree).args([path, "phandle"])).is_err() {
            // Option -p is omitted, so that fdtput reports an error if the path is missing.
            let mut number = Command::new("fdtput");
            tools::run(&what, number.args(["-t", "x"]).arg(tree).args([path, "phandle", &format!("{handle:x}")]))?;
        }
        let mut enter = Command::new("fdtput");
        tools::run(&what, enter.args(["-p", "-t", "s"]).arg(tree).args(["/__symbols__", name, path]))?;
    }
    Ok(())
}

/// Adds the board's aliases to the device tree. Aliases determine the numbers of devices.
fn number_devices(board: &Board, tree: &Path) -> Result<(), ToolError> {
    for (alias, node) in &board.aliases {
        let what = format!("numbering {alias} in the device tree");
        let path = if node.starts_with('/') {
            node.clone()
        } else {
            let (name, below) = node.split_once('/').map_or((node.as_str(), None), |(name, below)| (name, Some(below)));
            let top = tools::run(&what, Command::new("fdtget").arg(tree).args(["/__symbols__", name]))?;
            below.map_or_else(|| top.trim().to_string(), |below| format!("{}/{below}", top.trim()))
        };
        // Checks that the node exists, because an alias of a missing node would have no effect.
        tools::run(&what, Command::new("fdtget").arg("-p").arg(tree).arg(&path))?;
        tools::run(&what, Command::new("fdtput").args(["-p", "-t", "s"]).arg(tree).args(["/aliases", alias, &path]))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_real_board_has_overlay_using_its_symbols() {
        for name in Board::names().filter(|name| !name.starts_with("qemu")) {
            let board = Board::named(name).unwrap();
            let overlay = OVERLAYS.iter().find(|(known, _)| known == &name).unwrap().1;
            for symbol in board.symbols.keys() {
                assert!(overlay.contains(&format!("&{symbol}")), "{name}: {symbol} is named in vain");
            }
        }
    }
}

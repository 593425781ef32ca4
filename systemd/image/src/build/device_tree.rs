//! A board's device tree with the robot's devices: the kernel's tree with our overlay applied. The overlay is applied
//! while the image is built, because not every boot loader can apply overlays.

use crate::board::Board;
use crate::tools::{self, ToolError};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Overlays by board.
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
/// First phandle for nodes without one, far above the values that compilers assign.
const HANDLES: u32 = 0x7f00_0000;

/// Merges a kernel's device tree with the board's symbols, overlay and aliases, in a subfolder of `work`.
///
/// # Errors
/// The compiler is missing, or the tree lacks a node that the board's file or its overlay names.
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

/// Adds the board's symbols, each with a phandle for references from overlays.
fn name_nodes(board: &Board, tree: &Path) -> Result<(), ToolError> {
    for ((name, path), handle) in board.symbols.iter().zip(HANDLES..) {
        let what = format!("naming {path} {name} in the device tree");
        if tools::run(&what, Command::new("fdtget").arg(tree).args([path, "phandle"])).is_err() {
            // Without option -p, fdtput treats a missing path as an error.
            let mut number = Command::new("fdtput");
            tools::run(&what, number.args(["-t", "x"]).arg(tree).args([path, "phandle", &format!("{handle:x}")]))?;
        }
        let mut enter = Command::new("fdtput");
        tools::run(&what, enter.args(["-p", "-t", "s"]).arg(tree).args(["/__symbols__", name, path]))?;
    }
    Ok(())
}

/// Adds the board's aliases, which determine device numbers.
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
        // Verifies that the node exists, because an alias of a missing node would have no effect.
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

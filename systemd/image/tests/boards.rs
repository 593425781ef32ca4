//! Checks the boards' data files against Debian's packages. Every module, device tree, node and file that a data file
//! names must exist. Files from other sources are not downloaded. The Raspberry Pi 5, whose kernel is not from Debian,
//! is therefore only checked with a device tree of the same structure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xpuck_image::{Board, build};
use xpuck_testing::skipped;

/// Returns the folder with the boot files of a board's kernel from Debian. `None` if a program is missing or Debian's
/// archive cannot be reached; the test is then skipped.
fn boot_files(board: &Board, work: &Path) -> Option<PathBuf> {
    for program in ["apt-get", "dtc", "depmod", "xz"] {
        if Command::new(program).arg("--version").output().is_err() {
            skipped(format!("{program} is missing: make deps-image"));
            return None;
        }
    }
    // The downloaded packages take about 60 MB per board, and are kept between runs of the test.
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
    match build::kernel_alone(board, &cache, work) {
        Ok(boot) => Some(boot),
        Err(error) if error.to_string().starts_with("fetching from Debian") => {
            skipped(format!("{}: Debian's archive cannot be read ({error})", board.name));
            None
        }
        Err(error) => panic!("{}: {error}", board.name),
    }
}

fn get(tree: &Path, node: &str, property: &str) -> String {
    let out = Command::new("fdtget").arg(tree).args([node, property]).output().unwrap();
    assert!(out.status.success(), "{node} has no {property}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim().into()
}

fn check_buses(tree: &Path, spi: &str, device: &str, i2c: &str) {
    assert_eq!((get(tree, spi, "status"), get(tree, i2c, "status")), ("okay".into(), "okay".into()));
    let device = format!("{spi}/{device}");
    assert_eq!(get(tree, &device, "compatible"), "rohm,dh2228fv");
    assert_eq!(get(tree, &device, "spi-max-frequency"), "5000000");
    for (monitor, address) in [("battery-monitor@40", "64"), ("supply-monitor@41", "65")] {
        let monitor = format!("{i2c}/{monitor}");
        assert_eq!(get(tree, &monitor, "compatible"), "ti,ina231");
        assert_eq!(
            (get(tree, &monitor, "reg"), get(tree, &monitor, "shunt-resistor")),
            (address.into(), "20000".into())
        );
    }
}

/// Checks that a property of the node `node` refers to the node `target`.
fn refers_to(tree: &Path, node: &str, property: &str, target: &str) {
    let handle = get(tree, target, "phandle");
    assert!(get(tree, node, property).split(' ').any(|word| word == handle), "{node}'s {property} is not {target}");
}

#[test]
fn raspberry_pi_4_boot_files_describe_robot_buses() {
    let (work, board) = (tempfile::tempdir().unwrap(), Board::named("pi4").unwrap());
    let Some(boot) = boot_files(&board, work.path()) else { return };
    let tree = boot.join("bcm2711-rpi-4-b.dtb");
    let (spi, i2c) = ("/soc/spi@7e204000", "/soc/i2c@7e804000");
    check_buses(&tree, spi, "robot@0", i2c);
    refers_to(&tree, spi, "pinctrl-0", "/soc/gpio@7e200000/xpuck-spi");
    refers_to(&tree, spi, "cs-gpios", "/soc/gpio@7e200000");
    assert_eq!(get(&tree, "/soc/gpio@7e200000/xpuck-spi", "brcm,pins"), "9 10 11");
    assert_eq!(get(&tree, "/aliases", "mmc0"), "/emmc2bus/mmc@7e340000");
    assert_eq!(get(&tree, "/aliases", "i2c12"), format!("{i2c}/i2c-mux@70/i2c@1"));
    assert_eq!(get(&tree, &format!("{i2c}/i2c-mux@70"), "compatible"), "nxp,pca9548");
    let config = fs::read_to_string(boot.join("config.txt")).unwrap();
    for named in ["vmlinuz", "initrd.img", "bcm2711-rpi-4-b.dtb"] {
        assert!(config.contains(named) && boot.join(named).exists(), "{named}");
    }
    assert!(
        fs::read_to_string(boot.join("cmdline.txt")).unwrap().contains("xpuck.copies=/dev/mmcblk0p2,/dev/mmcblk0p3 ")
    );
}

#[test]
fn orange_pi_5_boot_files_describe_robot_buses() {
    let (work, board) = (tempfile::tempdir().unwrap(), Board::named("rk3588").unwrap());
    let Some(boot) = boot_files(&board, work.path()) else { return };
    let tree = boot.join("rk3588s-orangepi-5.dtb");
    check_buses(&tree, "/spi@fecb0000", "robot@1", "/i2c@fead0000");
    refers_to(&tree, "/spi@fecb0000", "pinctrl-0", "/pinctrl/xpuck/xpuck-spi");
    refers_to(&tree, "/i2c@fead0000", "pinctrl-0", "/pinctrl/xpuck/xpuck-i2c");
    refers_to(&tree, "/pinctrl/xpuck/xpuck-i2c", "rockchip,pins", "/pinctrl/pcfg-pull-none");
    let extlinux = fs::read_to_string(boot.join("extlinux/extlinux.conf")).unwrap();
    assert!(
        extlinux.contains("fdt /rk3588s-orangepi-5.dtb\n") && extlinux.contains("initrd /initrd.img\n"),
        "{extlinux}"
    );
}

#[test]
fn odroid_xu4_boot_files_describe_robot_buses() {
    let (work, board) = (tempfile::tempdir().unwrap(), Board::named("xu4").unwrap());
    let Some(boot) = boot_files(&board, work.path()) else { return };
    let tree = boot.join("exynos5422-odroidxu4.dtb");
    check_buses(&tree, "/soc/spi@12d30000", "robot@0", "/soc/i2c@12c70000");
    refers_to(&tree, "/soc/spi@12d30000", "cs-gpios", "/soc/pinctrl@14010000/gpa2-gpio-bank");
    assert_eq!(get(&tree, "/aliases", "mmc0"), "/soc/mmc@12220000");
    for fetched in &board.fetched {
        for piece in &fetched.files {
            let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packages");
            let mut packages = fs::read_dir(cache).unwrap().flatten();
            assert!(packages.any(|entry| entry.path().join("unpacked").join(&piece.from).exists()), "{}", piece.from);
        }
    }
}

#[test]
fn raspberry_pi_5_fragment_applies_to_matching_tree() {
    if Command::new("dtc").arg("--version").output().is_err() {
        skipped("dtc is missing: make deps-image");
        return;
    }
    // The device tree has the nodes that the overlay needs, with the same structure as in Raspberry Pi's kernel 6.12
    // (bcm2712-rpi.dtsi, rp1.dtsi).
    let tree = "/dts-v1/;\n/ { aliases { spi0 = &spi0; i2c1 = &i2c1; };\n\
        axi { pcie@1000120000 { rp1 {\n\
        spi0: spi@50000 { status = \"disabled\"; spidev0: spidev@0 { compatible = \"spidev\"; reg = <0>;\n\
        #address-cells = <1>; #size-cells = <0>; }; };\n\
        i2c1: i2c@74000 { status = \"disabled\"; }; }; }; }; };\n";
    let work = tempfile::tempdir().unwrap();
    let (source, base) = (work.path().join("base.dts"), work.path().join("base.dtb"));
    fs::write(&source, tree).unwrap();
    assert!(
        Command::new("dtc").args(["-q", "-@", "-O", "dtb", "-o"]).arg(&base).arg(&source).status().unwrap().success()
    );
    let merged = work.path().join("merged.dtb");
    fs::write(&merged, build::device_tree(&Board::named("pi5").unwrap(), &base, work.path()).unwrap()).unwrap();
    let i2c = "/axi/pcie@1000120000/rp1/i2c@74000";
    check_buses(&merged, "/axi/pcie@1000120000/rp1/spi@50000", "spidev@0", i2c);
    assert_eq!(get(&merged, "/aliases", "i2c12"), format!("{i2c}/i2c-mux@70/i2c@1"));
}

//! Checks that programs read files through `xpuck_wire::file`, which rejects pipes and devices, and limits the size.
//! `std::fs::read` blocks on a pipe, and loads a file of any size into memory.

use crate::{files, root};

/// Source files and folders whose code may read files without a size limit. The second text of each entry names the
/// files that the code reads.
const ALLOWED: [(&str, &str); 14] = [
    ("robot/arena/src/shell/boards.rs", "/proc"),
    ("hub/service/src/console/assets.rs", "the console's own files, named by a developer"),
    ("hub/service/src/doctor/place.rs", "/proc"),
    ("hub/service/src/observer/process.rs", "/proc"),
    ("hub/cli/src/engines/bench_geneserver.rs", "/proc"),
    ("hub/cli/src/engines/bench_hub.rs", "/proc"),
    ("hub/cli/src/guests/kilobot/firmware.rs", "what a tool has just written"),
    ("robot/wire/src/runtime/process.rs", "/proc"),
    ("robot/src/device/body_lock.rs", "/proc"),
    ("robot/src/device/hwmon.rs", "/sys"),
    ("robot/src/onboard/thermal.rs", "/sys"),
    ("systemd/image/src/build/", "what the build has just made or checked by its digest"),
    ("systemd/image/src/device.rs", "/proc and /sys"),
    ("systemd/image/src/initramfs.rs", "what the build has just made"),
];
/// Folders of programs that read only their own files, or files of the repository.
const TOOLS: [&str; 5] = ["fuzz/", "kernels/testing/", "tools/", "systemd/boot-test/", "systemd/packaging/"];

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("tests.rs")
}

#[test]
fn files_of_others_are_read_with_a_bound() {
    let mut used = vec![false; ALLOWED.len()];
    for path in files().iter().filter(|path| path.ends_with(".rs") && !is_test(path)) {
        if TOOLS.iter().any(|tool| path.starts_with(tool)) {
            continue;
        }
        let text = std::fs::read_to_string(root().join(path)).expect("a source file");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let bare = |line: &&str| line.contains("fs::read(") || line.contains("fs::read_to_string(");
        for line in code.lines().filter(bare) {
            let allowed = ALLOWED.iter().position(|(allowed, _)| path.starts_with(allowed));
            let Some(allowed) = allowed else { panic!("{path}: read it with xpuck_wire::file: {}", line.trim()) };
            used[allowed] = true;
        }
    }
    let unused: Vec<&str> = ALLOWED.iter().zip(used).filter(|(_, used)| !used).map(|((path, _), _)| *path).collect();
    assert!(unused.is_empty(), "these read nothing bare any more: {unused:?}");
}

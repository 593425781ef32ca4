//! Packs a root as a compressed archive. The archive is reproducible, because its files are sorted by name and have the
//! same timestamp.

use crate::tools::{self, ToolError};
use std::path::Path;
use std::process::Command;

/// Packs a root as a compressed archive at the path `out`. All files get the timestamp `time` (s since 1970).
pub(super) fn pack(root: &Path, time: u64, out: &Path) -> Result<(), ToolError> {
    let script = "set -e; tar --sort=name --mtime=\"@$1\" --numeric-owner --format=posix \
        --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime \
        --xattrs --xattrs-include=security.capability -C \"$2\" -cf \"$3.tar\" .; zstd -q -12 -T0 --rm -f \"$3.tar\" -o \"$3\"";
    let mut pack = Command::new("sh");
    pack.args(["-c", script, "sh", &time.to_string()]).arg(root).arg(out);
    tools::run("packing the root", &mut pack).map(drop)
}

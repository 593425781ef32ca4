//! Environment variables for graphics drivers.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Variable that names the folder of the desktop session's sockets.
const SESSION: &str = "XDG_RUNTIME_DIR";

/// Restarts the program with `XDG_RUNTIME_DIR` set to a missing folder. Does nothing if the variable already contains
/// an absolute path. When adapters are listed, Mesa's loader searches the folder that the variable names for a display.
/// Without the variable, each of Mesa's drivers writes an error to standard error. Call this function at the very start
/// of the program. If the restart fails, the program continues.
pub fn hide_desktop_session() {
    if std::env::var_os(SESSION).is_some_and(|path| path.as_encoded_bytes().starts_with(b"/")) {
        return;
    }
    let mut arguments = std::env::args_os();
    if let (Ok(program), Some(name)) = (std::env::current_exe(), arguments.next()) {
        // `exec` returns only on failure. A failure is ignored, because its only consequence is Mesa's error output.
        let _ = Command::new(program).arg0(name).args(arguments).env(SESSION, "/nonexistent").exec();
    }
}

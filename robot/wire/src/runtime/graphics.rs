//! What graphics drivers want of a process's environment.

use std::os::unix::process::CommandExt;
use std::process::Command;

/// Where programs of a desktop keep their sockets.
const SESSION: &str = "XDG_RUNTIME_DIR";

/// Begins the program anew with `XDG_RUNTIME_DIR` naming a folder that does not exist, where it names none: Mesa's loader looks
/// there for a display whenever adapters are listed, and writes an error on standard error for each of its drivers if it is
/// not told where. To be called before anything else; where the program cannot be begun anew, it goes on.
pub fn without_desktop() {
    if std::env::var_os(SESSION).is_some_and(|path| path.as_encoded_bytes().starts_with(b"/")) {
        return;
    }
    let mut arguments = std::env::args_os();
    if let (Ok(program), Some(name)) = (std::env::current_exe(), arguments.next()) {
        // It returns only if it fails, and then Mesa's lines are all that is wrong.
        let _ = Command::new(program).arg0(name).args(arguments).env(SESSION, "/nonexistent").exec();
    }
}

//! Full-screen mode of the terminal.

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{cursor, execute};
use ratatui::{Frame, Terminal};
use std::io::{self, BufWriter};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use xpuck_wire::output::Standard;

/// Whether the terminal is in full-screen mode.
static FULL_SCREEN: AtomicBool = AtomicBool::new(false);

/// Terminal that stays in full-screen mode until this value is dropped.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Standard>>>,
}

impl Screen {
    /// Enters full-screen mode. A panic restores the terminal before it prints its message.
    ///
    /// # Errors
    /// The terminal cannot be configured.
    pub fn open() -> io::Result<Screen> {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
        FULL_SCREEN.store(true, Ordering::Relaxed);
        enable_raw_mode()?;
        // From here on, dropping `screen` restores the terminal.
        let screen = Screen { terminal: Terminal::new(CrosstermBackend::new(BufWriter::new(Standard)))? };
        // Bracketed paste: pasted text must not be read as keys, which might resume a run.
        execute!(Standard, EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
        Ok(screen)
    }

    /// False once a panic of any thread has restored the terminal; drawing must then stop.
    pub fn is_active(&self) -> bool {
        FULL_SCREEN.load(Ordering::Relaxed)
    }

    /// Draws a frame; only changed cells are written.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.terminal.draw(draw).map(|_| ())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Restores the terminal. Errors are ignored, because the terminal may be gone.
fn restore() {
    FULL_SCREEN.store(false, Ordering::Relaxed);
    let _ = execute!(Standard, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
}

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

/// Terminal in full-screen mode. Dropping this value restores the normal mode.
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
        // If a later step fails, dropping `screen` restores the terminal.
        let screen = Screen { terminal: Terminal::new(CrosstermBackend::new(BufWriter::new(Standard)))? };
        // Bracketed paste is enabled. Otherwise pasted text would be read as keys, and might resume a run.
        execute!(Standard, EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
        Ok(screen)
    }

    /// Returns whether the terminal is still in full-screen mode. Drawing must stop after a panic of any thread,
    /// because the panic has restored the terminal.
    pub fn is_active(&self) -> bool {
        FULL_SCREEN.load(Ordering::Relaxed)
    }

    /// Draws a frame. Only changed cells are written.
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

/// Restores the normal mode of the terminal. Errors are ignored, because the terminal may be closed.
fn restore() {
    FULL_SCREEN.store(false, Ordering::Relaxed);
    let _ = execute!(Standard, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
}

//! The terminal while a program draws on the whole of it.

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{cursor, execute};
use ratatui::{Frame, Terminal};
use std::io::{self, BufWriter};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use xpuck_wire::output::Standard;

/// The terminal is taken.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// A terminal that shows what is drawn, until this is dropped.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Standard>>>,
}

impl Screen {
    /// Takes the terminal. A panic gives it back before it says anything.
    ///
    /// # Errors
    /// What the terminal says.
    pub fn open() -> io::Result<Screen> {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            give_back();
            before(info);
        }));
        TAKEN.store(true, Ordering::Relaxed);
        enable_raw_mode()?;
        // From here on the terminal is given back, whatever happens.
        let screen = Screen { terminal: Terminal::new(CrosstermBackend::new(BufWriter::new(Standard)))? };
        // Pasted text is no row of keys, one of which might resume a run.
        execute!(Standard, EnterAlternateScreen, EnableBracketedPaste, cursor::Hide)?;
        Ok(screen)
    }

    /// False once a panic, of whatever thread, has given the terminal back: nothing more is to be drawn.
    pub fn is_there(&self) -> bool {
        TAKEN.load(Ordering::Relaxed)
    }

    /// Draws all of it anew; what is the same as before is not written again.
    ///
    /// # Errors
    /// What the terminal says.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.terminal.draw(draw).map(|_| ())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// A terminal that is gone cannot be given back.
fn give_back() {
    TAKEN.store(false, Ordering::Relaxed);
    let _ = execute!(Standard, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
}

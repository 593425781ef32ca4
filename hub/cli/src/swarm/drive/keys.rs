//! Keyboard control of one robot.

use super::{DriveArgs, drive};
use anyhow::Result;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyModifiers};
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use std::time::{Duration, Instant};
use xpuck_wire::output;

/// Interval between two drive commands.
const COMMAND_INTERVAL: Duration = Duration::from_millis(30);
/// Maximum time between two repeats of a held key. A key that does not repeat within this time counts as released.
const KEY_RELEASE_TIMEOUT: Duration = Duration::from_millis(600);
/// Wheel speed for a turn on the spot, as a fraction of the maximum speed.
const TURN: f32 = 0.5;

/// Guard that keeps the terminal in raw mode. Dropping the guard restores the normal mode.
struct Raw;

impl Raw {
    fn new() -> Result<Raw> {
        enable_raw_mode()?;
        Ok(Raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = disable_raw_mode();
    }
}

/// Returns the speeds of the left and right wheel for a key, as fractions of the maximum speed. `None` if the key
/// does not drive.
fn wheels(key: KeyCode) -> Option<[f32; 2]> {
    match key {
        KeyCode::Up | KeyCode::Char('w') => Some([1.0, 1.0]),
        KeyCode::Down | KeyCode::Char('s') => Some([-1.0, -1.0]),
        KeyCode::Left | KeyCode::Char('a') => Some([-TURN, TURN]),
        KeyCode::Right | KeyCode::Char('d') => Some([TURN, -TURN]),
        KeyCode::Char(' ') => Some([0.0, 0.0]),
        _ => None,
    }
}

/// Drives the robot by keyboard until the user presses `q`, Esc, Ctrl-C or Ctrl-D.
pub fn run(args: &DriveArgs, robot: &str) -> Result<()> {
    let (link, _) = args.address.open()?;
    // The first command is sent before the terminal enters raw mode, so that a refusal is printed normally.
    if let Some(why) = drive(&link, robot, [0.0; 2], None)? {
        anyhow::bail!("{why}");
    }
    output::line(format_args!("{robot}: arrow keys drive, space stops, q quits"))?;
    let _raw = Raw::new()?;
    let (mut wanted, mut pressed) = ([0.0; 2], Instant::now());
    let mut told = String::new();
    loop {
        if event::poll(COMMAND_INTERVAL)?
            && let Event::Key(key) = event::read()?
        {
            let control = key.modifiers.contains(KeyModifiers::CONTROL);
            match key.code {
                KeyCode::Char('q') | KeyCode::Esc => break,
                KeyCode::Char('c' | 'd') if control => break,
                code => {
                    if let Some(parts) = wheels(code) {
                        (wanted, pressed) = (parts.map(|part| part * args.speed), Instant::now());
                    }
                }
            }
        }
        if pressed.elapsed() > KEY_RELEASE_TIMEOUT {
            wanted = [0.0; 2];
        }
        let refused = drive(&link, robot, wanted, None)?;
        let line = refused.unwrap_or_else(|| format!("{:+.2} {:+.2} m/s", wanted[0], wanted[1]));
        if line != told {
            output::overwrite_line(&line)?;
            told = line;
        }
    }
    drop(_raw);
    drive(&link, robot, [0.0; 2], None)?;
    Ok(output::line("")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_and_letters_mean_the_same() {
        for (arrow, letter) in [(KeyCode::Up, 'w'), (KeyCode::Down, 's'), (KeyCode::Left, 'a'), (KeyCode::Right, 'd')] {
            assert_eq!(wheels(arrow), wheels(KeyCode::Char(letter)));
        }
        assert_eq!((wheels(KeyCode::Char(' ')), wheels(KeyCode::Tab)), (Some([0.0; 2]), None));
    }
}

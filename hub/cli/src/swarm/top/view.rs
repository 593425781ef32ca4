//! Draws the screen from the state. Does no I/O.

use super::detail;
use super::keys::HELP;
use super::state::{Mode, TopState};
use super::table::{self, COLUMNS, Column};
use crate::swarm::acks::Obedience;
use crate::swarm::log;
use crate::swarm::summary;
use crate::swarm::swarm_state::{clock, fitness, fitness_reference, phase, robot_counts, troubles, value};
use ratatui::Frame;
use ratatui::layout::{Alignment, Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Clear, Paragraph, Row, Sparkline, Table, TableState, Wrap};
use xpuck_stats::figure::Figure;
use xpuck_wire::message::Severity;
use xpuck_wire::output::{count, value_note};
use xpuck_wire::{RobotRow, Status, escape};

/// Minimum width of the terminal at which all columns are shown (characters).
const WIDE: u16 = 110;
/// Height of the events area, including its title (rows).
const BELOW: u16 = 6;
const RED: Style = Style::new().fg(Color::Red);
const DIM: Style = Style::new().add_modifier(Modifier::DIM);
const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// Draws the whole screen.
pub fn draw(top: &TopState, frame: &mut Frame) {
    let chosen = table::chosen(top).filter(|_| top.detail);
    let of_one = if chosen.is_some() { detail::LINES + 1 } else { 0 };
    let [head, list, one, below, foot] = Layout::vertical([
        Constraint::Length(5),
        Constraint::Min(3),
        Constraint::Length(of_one),
        Constraint::Length(BELOW),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let [happened, curve] = Layout::horizontal([Constraint::Min(20), Constraint::Percentage(30)]).areas(below);
    frame.render_widget(Paragraph::new(header(top, head.width)), head);
    draw_table(top, frame, list);
    if let Some(robot) = chosen {
        draw_detail(robot, frame, one);
    }
    draw_events(top, frame, happened);
    draw_curve(top, frame, curve);
    frame.render_widget(Paragraph::new(footer(top)), foot);
    if top.mode == Mode::Help {
        draw_help(frame);
    }
}

fn header(top: &TopState, width: u16) -> Vec<Line<'static>> {
    let silent = top.silent.as_ref().map(|(since, why)| {
        let seconds = top.now.saturating_sub(*since).as_secs();
        Line::styled(format!("NO ANSWER for {seconds} s, retrying: {}", escape(why)), RED.add_modifier(Modifier::BOLD))
    });
    let Some(status) = &top.status else {
        return vec![Line::styled("xpuck swarm top", BOLD), silent.unwrap_or_else(|| "waiting for the hub".into())];
    };
    let experiment = if status.experiment.is_empty() { "no experiment".into() } else { escape(&status.experiment) };
    let real = fitness(status);
    let real = real.map_or("none yet".into(), |real| format!("{:+.3}{}", Figure(real), value_note(value(status))));
    let scale = Some(fitness_reference(&status.task)).filter(|scale| !scale.is_empty() && width >= WIDE);
    let scale = scale.map_or(String::new(), |scale| format!(" ({scale})"));
    let (run, length) = (clock(status.run_seconds), clock(status.run_length));
    let told = Obedience::from_status(status);
    let directive = format!("{:?}", told.directive).to_uppercase();
    let losses = losses(status);
    let bad = |so: bool| if so { RED } else { Style::new() };
    vec![
        Line::from(vec![Span::styled(experiment, BOLD), Span::raw("  "), Span::styled(phase(status), BOLD)]),
        Line::raw(format!(
            "{run} of {length}  segment {}  fitness {real}, {:.3} evolved{scale}",
            status.segment,
            Figure(status.evolved)
        )),
        Line::styled(robot_counts(status), bad(status.robots.iter().any(|robot| !robot.alive))),
        Line::styled(format!("{directive}: {}", told.summary()), bad(!told.is_settled())),
        // Silence of the hub or other problems replace the line about poses and record.
        silent.unwrap_or_else(|| match losses.is_empty() {
            true => Line::styled(format!("poses {}; record {}", summary::poses(status), summary::record(status)), DIM),
            false => Line::styled(losses.join("; "), RED),
        }),
    ]
}

/// Returns texts about problems of the swarm, lost robots, slow round trips, rejected messages and lost log lines;
/// empty if there are none.
fn losses(status: &Status) -> Vec<String> {
    let of_robots: u64 = status.robots.iter().map(|robot| u64::from(robot.log_lines_lost)).sum();
    let lines = status.log_lines_lost + of_robots;
    let slow = 100.0 * status.slow_round_trips;
    let turned_away = status.security.refusals.total();
    let dev_mode =
        status.security.dev_mode.then(|| "DEV MODE: anyone who reaches the hub can command the swarm".into());
    let more = [
        (status.dead > 0).then(|| format!("robots lost {} in this run", count(status.dead as usize, "time", "times"))),
        (slow >= 1.0).then(|| format!("{slow:.0} % of the round trips above 100 ms")),
        (turned_away > 0).then(|| format!("{turned_away} rejected")),
        (lines > 0).then(|| format!("{lines} log lines lost")),
    ];
    dev_mode.into_iter().chain(troubles(status)).chain(more.into_iter().flatten()).collect()
}

fn draw_table(top: &TopState, frame: &mut Frame, area: Rect) {
    let wide = area.width >= WIDE;
    let columns: Vec<(usize, &Column)> =
        COLUMNS.iter().enumerate().filter(|(_, column)| wide || !column.wide).collect();
    let rows = table::shown(top);
    let place = table::place(top, &rows);
    let side = |column: &Column| if column.number { Alignment::Right } else { Alignment::Left };
    let cells = rows.iter().map(|robot| {
        let style = match (robot.alive, robot.held) {
            (false, _) if robot.version.is_empty() => DIM,
            (false, _) => RED,
            (true, true) => Style::new().fg(Color::Yellow),
            (true, false) => Style::new(),
        };
        let cell = |(_, column): &(usize, &Column)| Cell::new(Line::raw((column.text)(robot)).alignment(side(column)));
        Row::new(columns.iter().map(cell)).style(style)
    });
    let title = |(index, column): &(usize, &Column)| {
        let sorted = if *index == top.sort { Modifier::UNDERLINED | Modifier::BOLD } else { Modifier::BOLD };
        Cell::new(Line::styled(column.title, Style::new().add_modifier(sorted)).alignment(side(column)))
    };
    let width = |(_, column): &(usize, &Column)| match column.width {
        0 => Constraint::Fill(1),
        width => Constraint::Length(width),
    };
    let drawn = Table::new(cells, columns.iter().map(width))
        .header(Row::new(columns.iter().map(title)))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::new().with_selected(Some(place));
    frame.render_stateful_widget(drawn, area, &mut state);
}

/// Returns a block with a line and a title at the top.
fn titled(title: String) -> Block<'static> {
    Block::new().borders(Borders::TOP).border_style(DIM).title(Span::styled(title, BOLD))
}

fn draw_detail(robot: &RobotRow, frame: &mut Frame, area: Rect) {
    let lines: Vec<Line> = detail::lines(robot).into_iter().map(Line::raw).collect();
    frame.render_widget(Paragraph::new(lines).block(titled(format!("{} ", escape(&robot.id)))), area);
}

fn draw_events(top: &TopState, frame: &mut Frame, area: Rect) {
    let room = usize::from(area.height.saturating_sub(1));
    let lines = top.events.iter().skip(top.events.len().saturating_sub(room)).map(|event| {
        let style = match event.level {
            Severity::Error => RED,
            Severity::Warn => Style::new().fg(Color::Yellow),
            Severity::Info => Style::new(),
            Severity::Debug => DIM,
        };
        Line::styled(log::line(event, false), style)
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()).block(titled("events ".into())), area);
}

fn draw_curve(top: &TopState, frame: &mut Frame, area: Rect) {
    let best = top.history.best().map_or(String::new(), |best| format!("to {:.3} ", Figure(best)));
    let values = top.history.latest(usize::from(area.width.saturating_sub(1)));
    let block = titled(format!("evolved {best}")).borders(Borders::TOP | Borders::LEFT);
    frame.render_widget(Sparkline::default().data(&values).style(Style::new().fg(Color::Cyan)).block(block), area);
}

fn footer(top: &TopState) -> Line<'static> {
    match (&top.mode, &top.message) {
        (Mode::Note(text), _) => Line::styled(format!("note (enter sends, esc leaves): {}_", tail(text)), BOLD),
        (Mode::Filter, _) => Line::styled(format!("filter (enter keeps, esc clears): {}_", tail(&top.filter)), BOLD),
        (_, Some((text, bad, _))) => Line::styled(text.clone(), if *bad { RED } else { BOLD }),
        (_, None) => {
            let keys = "space STOP  p pause  r resume  n note  i identify  h hold  ? help  q quit";
            let filter =
                if top.filter.is_empty() { String::new() } else { format!("  filter: {}", escape(&top.filter)) };
            Line::styled(format!("{keys}{filter}"), DIM)
        }
    }
}

/// Returns the end of a text that is being entered, so that the cursor stays visible.
fn tail(text: &str) -> String {
    const SEEN: usize = 40;
    let skipped = text.chars().count().saturating_sub(SEEN);
    escape(&text.chars().skip(skipped).collect::<String>())
}

fn draw_help(frame: &mut Frame) {
    let lines: Vec<Line> = HELP.iter().map(|(keys, what)| Line::raw(format!(" {keys:<9} {what}"))).collect();
    let [_, middle, _] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(lines.len() as u16 + 2), Constraint::Fill(1)])
            .areas(frame.area());
    let [_, middle, _] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Length(66), Constraint::Fill(1)]).areas(middle);
    frame.render_widget(Clear, middle);
    frame.render_widget(
        Paragraph::new(lines).wrap(Wrap { trim: false }).block(Block::bordered().title(" keys ")),
        middle,
    );
}

#[cfg(test)]
mod tests;

//! Frames of a film. The static background and its text are drawn as SVG and rasterised once. For each frame, bodies
//! and the digits of clock and fitness are drawn on a copy of the background.

use super::canvas::{Canvas, Rgb};
use crate::analysis::picture::colours::FLOOR;
use crate::analysis::picture::raster::convert;
use crate::analysis::picture::scenery::Scenery;
use crate::analysis::picture::svg_bodies::Plan;
use crate::analysis::tools::FFMPEG;
use anyhow::{Context, Result};
use std::fmt::Write;
use xpuck_kernels::fonts;
use xpuck_kernels::markup::escape;
use xpuck_kernels::math::Vec2;
use xpuck_stats::figure::Figure;

/// Number of film pixels per pixel of the SVG drawing.
const ZOOM: f32 = 1.5;
/// Length to whose multiples the drawing's width and height are rounded up (pixels). The film's width and height are
/// therefore even.
const STEP: f32 = 4.0;
/// Length of the longer side of the arena. All lengths below are in pixels of the drawing.
const LONG_SIDE: f32 = 840.0;
const MARGIN: f32 = 24.0;
/// Height of titles and clock above the arena.
const HEAD: f32 = 88.0;
const KEYS: f32 = 28.0;
const ROW: f32 = 19.0;
/// Width and height of a digit's cell. A letter of Liberation Mono at 20 pixels is 12 pixels wide.
const DIGIT: (usize, usize) = (12, 24);
/// Characters that clock and fitness may contain.
const DIGITS: &str = "0123456789.-e";
/// Left edge of the clock, and its number of characters. `FITNESS` contains these two values for the fitness or value.
const CLOCK: (usize, usize) = (72, 8);
const FITNESS: (usize, usize) = (324, 10);
/// Top edge of the line with clock and fitness.
const CLOCK_TOP: usize = 56;
/// Edge colour of robots.
const DARK: Rgb = [0x1b, 0x1f, 0x24];

const STYLE: &str = "    text { font: 13px monospace; fill: #1b1f24 }
    .title { font: bold 16px sans-serif }
    .small { font: 12px sans-serif; fill: #57606a }
    .clock { font: 20px monospace }
    .bar { stroke: #1b1f24; stroke-width: 3 }
";

/// Static content of a film.
pub struct Sheet<'a> {
    /// Half the lengths of the arena along x and y (m).
    pub half: (f32, f32),
    /// Walls, coloured patches, goal and floor areas.
    pub scenery: Scenery<'a>,
    /// Title and subtitle.
    pub titles: [String; 2],
    /// Name of the number beside the clock, at most seven characters.
    pub number: &'static str,
    /// Heading of the legend.
    pub legend: &'a str,
    /// Rows of the legend: a colour in CSS notation, and its meaning.
    pub rows: Vec<(&'a str, String)>,
}

/// Robot or disc in a frame.
pub struct Token {
    /// Centre (m).
    pub at: Vec2,
    /// Heading of a robot (rad); `None` for a disc.
    pub heading: Option<f32>,
    /// Radius (m).
    pub radius: f32,
    /// Fill colour.
    pub colour: Rgb,
}

/// Drawing surface of the frames.
pub struct Stage {
    plan: Plan,
    size: (usize, usize),
    /// Background, with images of the digits in additional rows below it.
    still: Canvas,
    frame: Canvas,
}

impl Stage {
    /// Draws the background.
    ///
    /// # Errors
    /// A required program is missing or fails.
    pub fn new(sheet: &Sheet<'_>) -> Result<Stage> {
        let scale = LONG_SIDE / (2.0 * sheet.half.0.max(sheet.half.1));
        let plan = Plan { half: sheet.half, scale, left: MARGIN, top: HEAD };
        let (svg, drawn) = draw(sheet, &plan);
        let zoomed = |length: f32| (length * ZOOM) as usize;
        let (width, height) = (zoomed(drawn.0), zoomed(drawn.1));
        let high = height + (DIGIT.1 as f32 * ZOOM) as usize;
        let mut decode = FFMPEG.command();
        decode.args(["-v", "error", "-f", "png_pipe", "-i", "pipe:0"]);
        decode.args(["-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"]);
        let pixels = FFMPEG.output(&mut decode, &convert(&svg, Some(ZOOM))?)?;
        let got = pixels.len();
        let still = Canvas::from_raw(width, high, pixels).with_context(|| {
            format!("the drawn picture has {got} bytes instead of 3 for each of {width} x {high} pixels")
        })?;
        let frame = Canvas::from_raw(width, height, still.bytes[..3 * width * height].to_vec());
        let plan = Plan { scale: scale * ZOOM, left: MARGIN * ZOOM, top: HEAD * ZOOM, ..plan };
        Ok(Stage { plan, size: (width, height), frame: frame.context("the drawing is too large")?, still })
    }

    /// Returns width and height of a frame (pixels), which are even.
    pub fn size(&self) -> (usize, usize) {
        self.size
    }

    /// Returns red, green and blue of each pixel of the current frame, row by row.
    pub fn pixels(&self) -> &[u8] {
        &self.frame.bytes
    }

    /// Draws a segment of a trajectory into the background. `from` and `to` are the segment's ends (m). In all later
    /// frames, bodies are drawn over the segment.
    pub fn way(&mut self, from: Vec2, to: Vec2, colour: Rgb) {
        let (from, to) = (self.plan.at(from), self.plan.at(to));
        self.still.line(from, to, 1.8 * ZOOM, colour);
    }

    /// Draws a frame. `seconds` is the time on the clock (s). A `number` of `None` is not drawn.
    pub fn draw(&mut self, bodies: impl IntoIterator<Item = Token>, seconds: f64, number: Option<f64>) {
        let length = self.frame.bytes.len();
        self.frame.bytes.copy_from_slice(&self.still.bytes[..length]);
        for body in bodies {
            let (at, radius) = (self.plan.at(body.at), body.radius * self.plan.scale);
            let Some(heading) = body.heading else {
                self.frame.disc(at, radius, body.colour);
                continue;
            };
            self.frame.disc(at, radius, DARK);
            self.frame.disc(at, radius - 1.4 * ZOOM, body.colour);
            let rim = self.plan.at(body.at + Vec2::unit(heading) * body.radius);
            self.frame.line(at, rim, 5.0 * ZOOM, DARK);
            self.frame.line(at, rim, 2.0 * ZOOM, [255; 3]);
        }
        self.write(CLOCK, &format!("{:.1}", Figure(seconds)));
        if let Some(number) = number {
            let short = format!("{:.4}", Figure(number));
            self.write(FITNESS, &if short.len() > FITNESS.1 { format!("{number:.3e}") } else { short });
        }
    }

    /// Writes a number into the field with the left edge `left` and `room` characters. The number is right-aligned.
    fn write(&mut self, (left, room): (usize, usize), text: &str) {
        let zoomed = |length: usize| (length as f32 * ZOOM) as usize;
        let size = (zoomed(DIGIT.0), zoomed(DIGIT.1));
        let begin = left + DIGIT.0 * room.saturating_sub(text.len());
        for (i, letter) in text.chars().take(room).enumerate() {
            if let Some(digit) = DIGITS.find(letter) {
                let to = (zoomed(begin + DIGIT.0 * i), zoomed(CLOCK_TOP));
                self.frame.copy(&self.still, (size.0 * digit, self.size.1), to, size);
            }
        }
    }
}

/// Returns the background as SVG, with its width and height (pixels of the drawing). The height excludes the additional
/// rows with the digits.
fn draw(sheet: &Sheet<'_>, plan: &Plan) -> (String, (f32, f32)) {
    let up = |length: f32| (length / STEP).ceil() * STEP;
    let (wide, high) = (2.0 * plan.half.0 * plan.scale, 2.0 * plan.half.1 * plan.scale);
    // The drawing of a narrow arena is widened to make room for clock and fitness.
    let width = up((wide + 2.0 * MARGIN).max((FITNESS.0 + DIGIT.0 * FITNESS.1) as f32 + MARGIN));
    let height = up(HEAD + high + KEYS + ROW * (sheet.rows.len() + 1) as f32 + MARGIN);
    let whole = height + DIGIT.1 as f32;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{whole}\" viewBox=\"0 0 {width} {whole}\">\n  \
         <style>\n{}{}  </style>\n  <rect width=\"100%\" height=\"100%\" fill=\"{FLOOR}\"/>\n",
        fonts::with_fonts(STYLE),
        sheet.scenery.style()
    );
    let mut text = |class: &str, x: f32, y: f32, words: &str| {
        let _ = writeln!(svg, "  <text class=\"{class}\" x=\"{x}\" y=\"{y:.1}\">{}</text>", escape(words));
    };
    text("title", MARGIN, 24.0, &sheet.titles[0]);
    text("small", MARGIN, 44.0, &sheet.titles[1]);
    let line = CLOCK_TOP as f32 + 18.0;
    text("clock", MARGIN, line, "time");
    text("clock", (CLOCK.0 + DIGIT.0 * (CLOCK.1 + 1)) as f32, line, "s");
    text("clock", (FITNESS.0 - 8 * DIGIT.0) as f32, line, sheet.number);
    for (i, digit) in DIGITS.chars().enumerate() {
        text("clock", (DIGIT.0 * i) as f32, height + 18.0, &digit.to_string());
    }
    let mut y = HEAD + high + KEYS + 12.0;
    text("small", MARGIN, y, sheet.legend);
    let (bar, under) = (0.2 * plan.scale, HEAD + high + 16.0);
    text("small", MARGIN + wide - bar - 42.0, under + 4.0, "0.2 m");
    for (_, words) in &sheet.rows {
        y += ROW;
        text("branch", MARGIN + 32.0, y, words);
    }
    let top = y - ROW * sheet.rows.len() as f32 - 10.0;
    for (row, (colour, _)) in (1..).zip(&sheet.rows) {
        let y = top + ROW * row as f32;
        let _ = writeln!(svg, "  <rect x=\"{MARGIN}\" y=\"{y:.1}\" width=\"22\" height=\"11\" fill=\"{colour}\"/>");
    }
    let _ = writeln!(svg, "  <path class=\"bar\" d=\"M{:.1} {under:.1}h{bar:.1}\"/>", MARGIN + wide - bar);
    sheet.scenery.floor(&mut svg, plan);
    sheet.scenery.walls(&mut svg, plan);
    svg.push_str("</svg>\n");
    (svg, (width, height))
}

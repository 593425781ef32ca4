//! The camera's parallel port: what stands on its lines at each of its clocks.

use crate::verilated::Pins;
use std::collections::VecDeque;

/// How a sensor puts a frame on its lines, in its pixel clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// From the beginning of a row to the beginning of the next.
    pub row: usize,
    /// Rows of a frame's time that have no pixels; VSYNC is high in the first half of it.
    pub blank_rows: usize,
}

impl Timing {
    /// 640 x 480 in a window of 800 x 500, two clocks a pixel (thesis 5.1.4): at 12 MHz 15 frames a second.
    pub const VGA: Timing = Timing { row: 1600, blank_rows: 20 };
    /// 640 x 480 in a window of 900 x 500: at 27 MHz 30 frames a second.
    pub const VGA_30: Timing = Timing { row: 1800, blank_rows: 20 };
}

/// What is on the lines for some clocks.
#[derive(Clone, Debug)]
enum Segment {
    Pause(usize),
    Vsync(usize),
    Row(Vec<u8>),
    /// VSYNC rises within a row.
    Cut(Vec<u8>),
}

/// The sensor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Camera {
    segments: VecDeque<Segment>,
    /// Clocks of the first segment that have passed.
    at: usize,
}

impl Camera {
    /// VSYNC, and a pause behind it.
    pub(crate) fn vsync(&mut self, clocks: usize) {
        self.segments.push_back(Segment::Vsync(clocks));
        self.segments.push_back(Segment::Pause(clocks));
    }

    /// A row, and a pause behind it.
    pub(crate) fn row(&mut self, bytes: &[u8], pause: usize) {
        self.segments.push_back(Segment::Row(bytes.to_vec()));
        self.segments.push_back(Segment::Pause(pause));
    }

    /// A row in which a new frame begins.
    pub(crate) fn cut(&mut self, bytes: &[u8], pause: usize) {
        self.segments.push_back(Segment::Cut(bytes.to_vec()));
        self.segments.push_back(Segment::Pause(pause));
    }

    /// Nothing waits to be sent.
    pub(crate) fn is_idle(&self) -> bool {
        self.segments.is_empty()
    }

    /// The falling edge of the pixel clock: the lines change.
    pub(crate) fn falls(&mut self, pins: &mut Pins) {
        (pins.cam_href, pins.cam_vsync) = (0, 0);
        while let Some(segment) = self.segments.front() {
            let length = match segment {
                Segment::Pause(clocks) | Segment::Vsync(clocks) => *clocks,
                Segment::Row(bytes) | Segment::Cut(bytes) => bytes.len(),
            };
            if self.at == length {
                self.segments.pop_front();
                self.at = 0;
                continue;
            }
            match segment {
                Segment::Pause(_) => {}
                Segment::Vsync(_) => pins.cam_vsync = 1,
                Segment::Row(bytes) => (pins.cam_href, pins.cam_d) = (1, bytes[self.at]),
                Segment::Cut(bytes) => {
                    (pins.cam_href, pins.cam_d) = (1, bytes[self.at]);
                    pins.cam_vsync = u8::from(self.at >= bytes.len() / 2);
                }
            }
            self.at += 1;
            return;
        }
    }
}

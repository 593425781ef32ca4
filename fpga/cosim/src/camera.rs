//! Parallel port of the camera: levels of its lines at each pixel clock.

use crate::verilated::Pins;
use std::collections::VecDeque;

/// Timing of a frame (pixel clocks).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Time between the starts of two consecutive rows (pixel clocks).
    pub row: usize,
    /// Time without pixels between two frames (rows). VSYNC is high in the first half of this time.
    pub blank_rows: usize,
}

impl Timing {
    /// Timing of 640 x 480 pixels in a window of 800 x 500, with two clocks per pixel (thesis 5.1.4). It gives 15
    /// frames/s at 12 MHz.
    pub const VGA: Timing = Timing { row: 1600, blank_rows: 20 };
    /// Timing of 640 x 480 pixels in a window of 900 x 500. It gives 30 frames/s at 27 MHz.
    pub const VGA_30: Timing = Timing { row: 1800, blank_rows: 20 };
}

/// Segment of the camera signal, which lasts for one or more pixel clocks.
#[derive(Clone, Debug)]
enum Segment {
    Pause(usize),
    Vsync(usize),
    Row(Vec<u8>),
    /// Bytes of a row during which VSYNC rises.
    Cut(Vec<u8>),
}

/// Simulated camera sensor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Camera {
    segments: VecDeque<Segment>,
    /// Number of elapsed clocks of the first segment.
    at: usize,
}

impl Camera {
    /// Queues a VSYNC of `clocks` pixel clocks and an equally long pause.
    pub(crate) fn vsync(&mut self, clocks: usize) {
        self.segments.push_back(Segment::Vsync(clocks));
        self.segments.push_back(Segment::Pause(clocks));
    }

    /// Queues a row, followed by a pause (pixel clocks).
    pub(crate) fn row(&mut self, bytes: &[u8], pause: usize) {
        self.segments.push_back(Segment::Row(bytes.to_vec()));
        self.segments.push_back(Segment::Pause(pause));
    }

    /// Queues a row within which a new frame starts, followed by a pause (pixel clocks).
    pub(crate) fn cut(&mut self, bytes: &[u8], pause: usize) {
        self.segments.push_back(Segment::Cut(bytes.to_vec()));
        self.segments.push_back(Segment::Pause(pause));
    }

    /// Returns whether the queue is empty.
    pub(crate) fn is_idle(&self) -> bool {
        self.segments.is_empty()
    }

    /// Updates the lines at a falling edge of the pixel clock.
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

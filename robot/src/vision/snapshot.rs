//! Reduced picture of a camera frame for operators. The camera's thread makes it on request.

use crate::device::Frame;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use xpuck_registers::yuyv;
use xpuck_wire::bytes::Bytes;
use xpuck_wire::message::Picture;

/// Maximum width and height of a picture (pixels).
const SIZE: (usize, usize) = (160, 120);

/// Buffer for one picture, through which the camera's thread passes the picture to the control loop.
#[derive(Debug, Default)]
pub struct Snapshot {
    wanted: AtomicBool,
    made: Mutex<Option<Picture>>,
}

impl Snapshot {
    /// Requests a picture of the next frame.
    pub fn request(&self) {
        self.wanted.store(true, Ordering::Relaxed);
    }

    /// Makes a picture of the frame if a picture is requested.
    pub fn on_frame(&self, frame: &Frame) {
        if self.wanted.swap(false, Ordering::Relaxed) {
            let picture = picture(frame);
            *self.made.lock().unwrap_or_else(PoisonError::into_inner) = Some(picture);
        }
    }

    /// Returns the picture and removes it from the buffer; `None` if no picture is available. Never blocks.
    pub fn take(&self) -> Option<Picture> {
        self.made.try_lock().ok()?.take()
    }
}

/// Reduces a frame by an integer factor to at most [`SIZE`].
fn picture(frame: &Frame) -> Picture {
    let (width, height) = (frame.width(), frame.height());
    let step = width.div_ceil(SIZE.0).max(height.div_ceil(SIZE.1)).max(1);
    let (columns, rows) = (width / step, height / step);
    let row_bytes = width * yuyv::BYTES_PER_PIXEL;
    let mut rgb = Vec::with_capacity(columns * rows * 3);
    for row in frame.bytes().chunks_exact(row_bytes).step_by(step).take(rows) {
        for column in (0..width).step_by(step).take(columns) {
            let pair = &row[column / 2 * 4..][..4];
            let luma = pair[2 * (column % 2)];
            rgb.extend(yuyv::to_rgb([luma, pair[1], pair[3]]));
        }
    }
    Picture { width: columns as u16, height: rows as u16, rgb: Bytes(rgb) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picture_is_made_on_request_and_returned_once() {
        let snapshot = Snapshot::default();
        let frame = Frame::new(640, 480, [235, 128, 16, 128].repeat(640 * 480 / 2)).unwrap();
        snapshot.on_frame(&frame);
        assert!(snapshot.take().is_none());
        snapshot.request();
        snapshot.on_frame(&frame);
        let picture = snapshot.take().unwrap();
        assert!(picture.is_sound() && (picture.width, picture.height) == (160, 120));
        // The picture consists of every fourth pixel of the frame. Each of these pixels is the left pixel of a pair,
        // and all left pixels are white.
        assert!(picture.rgb.0.iter().all(|value| *value > 250));
        assert!(snapshot.take().is_none());
    }

    #[test]
    fn frames_of_any_size_fit() {
        for (width, height) in [(4, 2), (6, 4), (160, 120), (162, 120), (320, 240), (640, 480), (2048, 2)] {
            let black = Frame::new(width, height, [16, 128, 16, 128].repeat(width * height / 2)).unwrap();
            let picture = picture(&black);
            assert!(picture.height == 0 || picture.is_sound(), "{width} x {height}: {picture:?}");
        }
    }
}

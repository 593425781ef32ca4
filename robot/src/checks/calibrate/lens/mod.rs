//! The camera's lens, from views of a board of tags that somebody holds before it.

pub mod fit;

use super::file::Edit;
use super::{CalibrateError, Operator, unfit};
use crate::device::FrameSource;
use crate::vision::markers::Markers;
use crate::vision::tags::board::Board;
use fit::{Fit, Seen};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The camera is asked for a frame so often, and given up after so many askings without a new view: 60 s.
const ASK: (Duration, usize) = (Duration::from_millis(20), 3000);
/// Fewest tags of a view.
const TAGS: usize = 6;
/// A view is another one when its tags moved by this part of the picture's width on average.
const MOVED: f64 = 0.06;
/// A board that moved more than this from frame to frame, in the same measure, is not held still.
const STILL: f64 = 0.004;

/// Collects views of the board, and tells the operator what to do.
///
/// # Errors
/// Any trouble on the way.
pub fn measure(
    camera: &mut dyn FrameSource,
    board: &Board,
    wanted: usize,
    operator: &mut dyn Operator,
    stop: &AtomicBool,
    wait: &mut dyn FnMut(Duration),
) -> Result<(Vec<Vec<Seen>>, [usize; 2]), CalibrateError> {
    operator.ready(&format!(
        "Hold the board of {} tags before the camera so that it fills half of the picture or more. {wanted} views are \
         wanted: hold it still for each, tilted to all sides, and in every corner of the picture.",
        board.tags()
    ))?;
    let mut markers = Markers::new(board.size, 1);
    let (mut views, mut last, mut size, mut frames): (Vec<Vec<Seen>>, Vec<Seen>, _, usize) =
        (Vec::new(), Vec::new(), [0, 0], 0);
    let mut idle = 0;
    while views.len() < wanted {
        if stop.load(Ordering::Relaxed) {
            return Err(CalibrateError::Operator("stopped".into()));
        }
        idle += 1;
        if idle > ASK.1 {
            return unfit(format!(
                "{} of {wanted} views after 60 s without a new one; {frames} frames came, the last with {} tags of the \
                 board, and {TAGS} are needed",
                views.len(),
                last.len()
            ));
        }
        if let Some(frame) = camera.latest()? {
            frames += 1;
            size = [frame.width(), frame.height()];
            let found = markers.detect(frame).iter();
            let on: Vec<Seen> = found.filter(|m| board.corners(m.id).is_some()).map(|m| (m.id, m.corners)).collect();
            let width = size[0] as f64;
            let still = apart(&on, &last).is_some_and(|far| far < STILL * width);
            let fresh = views.iter().all(|view| apart(&on, view).is_none_or(|far| far > MOVED * width));
            last = on;
            if last.len() >= TAGS && still && fresh {
                views.push(last.clone());
                idle = 0;
                operator.say(&format!("view {} of {wanted}: {} tags", views.len(), last.len()));
            }
        }
        wait(ASK.0);
    }
    Ok((views, size))
}

/// How far the tags that are in both moved on average, pixels; none if no tag is.
fn apart(now: &[Seen], then: &[Seen]) -> Option<f64> {
    let pairs = now.iter().filter_map(|(id, corners)| Some((corners, &then.iter().find(|(old, _)| old == id)?.1)));
    let (mut sum, mut count) = (0.0, 0);
    for (a, b) in pairs.flat_map(|(a, b)| a.iter().zip(b)) {
        sum += (a[0] - b[0]).hypot(a[1] - b[1]);
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// What the file is to say.
pub fn edits(fit: &Fit) -> Vec<Edit> {
    let list = |key: &'static str, values: [f64; 2]| Edit::list(&["camera", "lens", key], &values.map(|x| x as f32));
    let lens = &fit.lens;
    vec![
        list("size", lens.size),
        list("focal", lens.focal),
        list("centre", lens.centre),
        list("distortion", lens.distortion),
    ]
}

/// One line about how good it is.
pub fn verdict(fit: &Fit) -> String {
    let [fx, _, cx, cy, k1, _] = fit.deviation;
    format!(
        "{} corners, {:.2} pixels off on average; focal length to {fx:.1}, centre to {:.1} pixels, k1 to {k1:.3}",
        fit.corners,
        fit.rms,
        cx.max(cy)
    )
}

#[cfg(test)]
mod tests;

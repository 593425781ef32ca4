//! Lens calibration: collects views of a board of tags that the operator holds in front of the camera.

pub mod fit;

use super::file::Edit;
use super::{CalibrateError, Operator, unfit};
use crate::device::FrameSource;
use crate::vision::markers::Markers;
use crate::vision::tags::board::Board;
use fit::{Fit, TagView};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Polling interval of the camera, and maximum number of polls without a new view (60 s in total).
const ASK: (Duration, usize) = (Duration::from_millis(20), 3000);
/// Minimum number of the board's tags in a view.
const TAGS: usize = 6;
/// Mean displacement of the tags from every earlier view above which a view counts as new, as a fraction of the
/// picture's width.
const MOVED: f64 = 0.06;
/// Mean displacement of the tags between frames above which the board counts as moving, as a fraction of the picture's
/// width.
const STILL: f64 = 0.004;

/// Collects `wanted` views of the board, and guides the operator. Returns the views and the size of the pictures
/// (pixels).
///
/// # Errors
/// Any error of the camera or the operator, or no new view in 60 s.
pub fn measure(
    camera: &mut dyn FrameSource,
    board: &Board,
    wanted: usize,
    operator: &mut dyn Operator,
    stop: &AtomicBool,
    wait: &mut dyn FnMut(Duration),
) -> Result<(Vec<Vec<TagView>>, [usize; 2]), CalibrateError> {
    operator.ready(&format!(
        "Hold the board of {} tags in front of the camera so that it fills at least half of the image. {wanted} views \
         are needed: hold the board still for each, tilted to all sides, and in every corner of the image.",
        board.tags()
    ))?;
    let mut markers = Markers::new(board.size, 1);
    let (mut views, mut last, mut size, mut frames): (Vec<Vec<TagView>>, Vec<TagView>, _, usize) =
        (Vec::new(), Vec::new(), [0, 0], 0);
    let mut idle = 0;
    while views.len() < wanted {
        if stop.load(Ordering::Relaxed) {
            return Err(CalibrateError::Operator("stopped".into()));
        }
        idle += 1;
        if idle > ASK.1 {
            return unfit(format!(
                "{} of {wanted} views, and no new one in 60 s; {frames} frames were received, the last with {} tags \
                 of the board ({TAGS} are needed)",
                views.len(),
                last.len()
            ));
        }
        if let Some(frame) = camera.latest()? {
            frames += 1;
            size = [frame.width(), frame.height()];
            let found = markers.detect(frame).iter();
            let on: Vec<TagView> = found.filter(|m| board.corners(m.id).is_some()).map(|m| (m.id, m.corners)).collect();
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

/// Computes the mean displacement of the tags' corners between two views (pixels); `None` without a common tag.
fn apart(now: &[TagView], then: &[TagView]) -> Option<f64> {
    let pairs = now.iter().filter_map(|(id, corners)| Some((corners, &then.iter().find(|(old, _)| old == id)?.1)));
    let (mut sum, mut count) = (0.0, 0);
    for (a, b) in pairs.flat_map(|(a, b)| a.iter().zip(b)) {
        sum += (a[0] - b[0]).hypot(a[1] - b[1]);
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// Returns the entries for the robot's file.
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

/// Describes the quality of the fit in one line.
pub fn verdict(fit: &Fit) -> String {
    let [fx, _, cx, cy, k1, _] = fit.deviation;
    format!(
        "{} corners, {:.2} pixels off on average; standard deviations: focal length {fx:.1}, centre {:.1} pixels, k1 {k1:.3}",
        fit.corners,
        fit.rms,
        cx.max(cy)
    )
}

#[cfg(test)]
mod tests;

//! End-to-end test: renders a board through a lens with distortion, blur and noise, collects views, and fits the
//! lens.

use super::super::test_bench::Script;
use super::*;
use crate::device::frames::CameraCounts;
use crate::device::{DeviceError, Frame};
use crate::vision::lens::Lens;
use crate::vision::markers::Pose;
use crate::vision::synthetic::{self, Optics};
use xpuck_kernels::random::{Draws, Stream};

const BOARD: Board = Board { first: 0, columns: 4, rows: 6, size: 0.03, pitch: 0.04 };

/// Simulated camera that sees the board in one pose after another, for two frames each.
struct Bench {
    optics: Optics,
    views: Vec<Vec<(u16, Pose)>>,
    frame: Option<Frame>,
    asked: usize,
}

impl FrameSource for Bench {
    fn latest(&mut self) -> Result<Option<&Frame>, DeviceError> {
        let Some(view) = self.views.get(self.asked / 2) else { return Ok(None) };
        let mut draws = Draws::new(9, 0, 0, self.asked as u32, Stream::Device);
        self.asked += 1;
        self.frame = Some(synthetic::render(view, BOARD.size, &self.optics, &mut draws));
        Ok(self.frame.as_ref())
    }

    fn counts(&self) -> CameraCounts {
        CameraCounts::default()
    }
}

fn bench(views: usize) -> Bench {
    let plain = Optics::perfect(640, 480);
    let lens = Lens { focal: [583.0, 585.0], centre: [326.0, 236.0], distortion: [-0.22, 0.06], ..plain.lens };
    let optics = Optics { lens, blur: 0.7, dark_noise: 2.0, shot_noise: 0.06, ..plain };
    Bench { optics, views: synthetic::calibration_views(&BOARD, views), frame: None, asked: 0 }
}

fn collect(bench: &mut Bench, wanted: usize) -> Result<(Vec<Vec<TagView>>, [usize; 2]), CalibrateError> {
    let mut operator = Script { ready: &mut |_| (), answer: &mut |_| f64::NAN };
    measure(bench, &BOARD, wanted, &mut operator, &AtomicBool::new(false), &mut |_| ())
}

#[test]
fn lens_is_measured_from_board_pictures() {
    let mut camera = bench(8);
    let (views, size) = collect(&mut camera, 8).unwrap();
    let found = fit::fit(&views, &BOARD, size).unwrap();
    let truth = camera.optics.lens;
    for corner in [[0.0, 0.0], [640.0, 0.0], [0.0, 480.0], [640.0, 480.0], [320.0, 240.0], [160.0, 120.0]] {
        let seen = found.lens.pixel(truth.slopes(corner));
        let off = (seen[0] - corner[0]).hypot(seen[1] - corner[1]);
        let nominal = Lens::nominal(640, 480).pixel(truth.slopes(corner));
        let before = (nominal[0] - corner[0]).hypot(nominal[1] - corner[1]);
        assert!(off < 2.0 && off < before, "{corner:?}: {off} pixels, {before} before: {found:?}");
    }
    assert!(found.rms < 0.3, "{}", verdict(&found));
    assert_eq!(edits(&found).len(), 4);
}

#[test]
fn missing_or_unmoved_board_is_reported() {
    let error = collect(&mut bench(4), 6).unwrap_err().to_string();
    assert!(error.contains("4 of 6 views") && error.contains("8 frames"), "{error}");
    let mut empty = bench(0);
    empty.views = vec![Vec::new(); 3];
    let error = collect(&mut empty, 6).unwrap_err().to_string();
    assert!(error.contains("0 of 6 views") && error.contains("with 0 tags"), "{error}");
}

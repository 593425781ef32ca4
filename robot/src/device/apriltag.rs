//! Interface to the AprilTag library (Debian's libapriltag-dev, BSD licence), which detects square black and white tags
//! of the family 36h11 in a picture. [`markers`](crate::vision::markers) computes the poses of the tags.

use std::ptr::NonNull;

/// Maximum number of tags per picture; the thesis's hardest picture has 81 tags (Table 5.4).
pub const MAX_TAGS: usize = 128;
/// Side length of a tag's picture including its white margin (cells).
pub const PICTURE_SIDE: usize = 10;
/// Side length of a tag between its black edges (cells). This length defines the size of a tag.
pub const TAG_SIDE: usize = 8;

/// Tag as detected by the library. The origin of pixel coordinates is the upper left corner of the picture. The centre
/// of the first pixel is (0.5, 0.5).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Tag {
    /// Number of the tag in its family, 0..=586.
    pub id: i32,
    /// Decision margin of the tag's bits, on the scale of luma.
    pub margin: f32,
    /// Centre (pixels).
    pub centre: [f64; 2],
    /// Corners (pixels): lower left, lower right, upper right and upper left of an upright tag.
    pub corners: [[f64; 2]; 4],
}

#[repr(C)]
struct Opaque([u8; 0]);

#[allow(unsafe_code, reason = "calls to a C library")]
unsafe extern "C" {
    fn xpuck_detector_create(decimate: f32) -> *mut Opaque;
    fn xpuck_detector_destroy(detector: *mut Opaque);
    fn xpuck_detector_detect(
        detector: *mut Opaque,
        luma: *mut u8,
        width: i32,
        height: i32,
        tags: *mut Tag,
        most: i32,
    ) -> i32;
    fn xpuck_tag_picture(id: i32, bits: *mut u8, most: i32) -> i32;
}

/// Tag detector of the library.
#[derive(Debug)]
pub struct Detector {
    handle: NonNull<Opaque>,
    tags: Vec<Tag>,
}

// SAFETY: the handle owns all its memory, the library has no per-thread state, and calls require `&mut`.
#[allow(unsafe_code, reason = "a C library's handle")]
unsafe impl Send for Detector {}

impl Detector {
    /// Creates a detector that searches for the outlines of tags in a picture reduced by the factor `decimate` (1..=4).
    /// It reads the bits of tags at full resolution.
    ///
    /// # Panics
    /// If memory is exhausted.
    pub fn new(decimate: u8) -> Detector {
        // SAFETY: the call takes no pointers, and its result is checked.
        #[allow(unsafe_code, reason = "a call to a C library")]
        let handle = unsafe { xpuck_detector_create(f32::from(decimate.clamp(1, 4))) };
        let handle = NonNull::new(handle).expect("memory for a detector");
        Detector { handle, tags: vec![Tag::default(); MAX_TAGS] }
    }

    /// Detects at most [`MAX_TAGS`] tags in a picture of `width` by `luma.len() / width` pixels. The library may
    /// modify the picture, and keeps no reference to it.
    ///
    /// # Panics
    /// If the rows are incomplete, or a row or column exceeds 65536 pixels.
    pub fn detect(&mut self, luma: &mut [u8], width: usize) -> &[Tag] {
        assert!(width > 0 && luma.len().is_multiple_of(width), "whole rows");
        let height = luma.len() / width;
        assert!(width.max(height) <= 1 << 16, "a picture of a sensible size");
        // SAFETY: the handle is valid until `drop`. The picture has width * height bytes, one per pixel. `tags` has
        // room for MAX_TAGS tags.
        #[allow(unsafe_code, reason = "a call to a C library")]
        let count = unsafe {
            let (pixels, tags) = (luma.as_mut_ptr(), self.tags.as_mut_ptr());
            xpuck_detector_detect(self.handle.as_ptr(), pixels, width as i32, height as i32, tags, MAX_TAGS as i32)
        };
        &self.tags[..count as usize]
    }
}

impl Drop for Detector {
    fn drop(&mut self) {
        // SAFETY: the handle came from `create` and is not used again.
        #[allow(unsafe_code, reason = "a call to a C library")]
        unsafe {
            xpuck_detector_destroy(self.handle.as_ptr());
        }
    }
}

/// Returns the cells of tag `id` for printing, row by row, including the white margin. White cells are true. `None` if
/// `id` is above 586.
pub fn picture(id: u16) -> Option<[[bool; PICTURE_SIDE]; PICTURE_SIDE]> {
    let mut cells = [0u8; PICTURE_SIDE * PICTURE_SIDE];
    // SAFETY: the call writes at most the number of bytes passed as its last argument.
    #[allow(unsafe_code, reason = "a call to a C library")]
    let side = unsafe { xpuck_tag_picture(i32::from(id), cells.as_mut_ptr(), cells.len() as i32) };
    let cell = |row: usize, column: usize| cells[row * PICTURE_SIDE + column] != 0;
    (side == PICTURE_SIDE as i32).then(|| std::array::from_fn(|row| std::array::from_fn(|column| cell(row, column))))
}

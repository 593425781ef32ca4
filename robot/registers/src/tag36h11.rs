//! Black and white cells of the first 30 AprilTags of the family 36h11 (Olson 2011, Wang and Olson 2016), for drawing
//! the tags.

/// Number of cells per side of a tag, including the black border.
pub const SIDE: usize = 8;
/// Number of cells per side of a tag, including the white margin.
pub const WITH_MARGIN: usize = SIDE + 2;
/// Number of cells per side of the code, which is inside the black border.
const CODE: usize = 6;

/// Codes of the tags with ids 0 to 29. The 36 bits of a code are six rows of six cells each, starting at the upper left
/// with the most significant bit. A 1 bit means a white cell.
pub const CODES: [u64; 30] = [
    0xd5d628584,
    0xd97f18b49,
    0xdd280910e,
    0xe479e9c98,
    0xebcbca822,
    0xf31dab3ac,
    0x056a5d085,
    0x10652e1d4,
    0x22b1dfead,
    0x265ad0472,
    0x34fe91b86,
    0x3ff962cd5,
    0x43a25329a,
    0x474b4385f,
    0x4e9d243e9,
    0x5246149ae,
    0x5997f5538,
    0x683bb6c4c,
    0x6be4a7211,
    0x7e3158eea,
    0x81da494af,
    0x858339a74,
    0x8cd51a5fe,
    0x9f21cc2d7,
    0xa2cabc89c,
    0xadc58d9eb,
    0xb16e7dfb0,
    0xb8c05eb3a,
    0xd25ef139d,
    0xd607e1962,
];

/// Returns whether a cell of tag `id` is white. `row` and `column` (0..=9) count from the upper left, white margin
/// included. Returns `None` for an unknown tag or a cell outside the tag.
pub fn is_white(id: u16, row: usize, column: usize) -> Option<bool> {
    let code = CODES.get(usize::from(id))?;
    let ring = [row, column, (WITH_MARGIN - 1).checked_sub(row)?, (WITH_MARGIN - 1).checked_sub(column)?];
    match ring.into_iter().min()? {
        0 => Some(true),
        1 => Some(false),
        _ => Some(code >> (CODE * CODE - 1 - ((row - 2) * CODE + column - 2)) & 1 == 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_has_white_margin_black_border_and_code() {
        let row = |row| (0..10).map(|column| is_white(0, row, column).unwrap()).collect::<Vec<_>>();
        assert_eq!(row(0), [true; 10]);
        assert_eq!(row(1)[1..9], [false; 8]);
        // The code 0xd5d628584 begins with the bits 110101 011101.
        assert_eq!(row(2)[2..8], [true, true, false, true, false, true]);
        assert_eq!(row(3)[2..8], [false, true, true, true, false, true]);
        assert_eq!((is_white(30, 0, 0), is_white(0, 10, 0), is_white(0, 0, 10)), (None, None, None));
    }
}

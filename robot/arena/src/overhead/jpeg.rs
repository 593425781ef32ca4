//! Minimal baseline JPEG encoder (ITU-T T.81). All symbols of a Huffman table have codes of the same length. This
//! increases the size of a file slightly, but requires no optimised table.

use std::f32::consts::PI;

/// Side of a block (px).
const SIDE: usize = 8;
/// Quantisation step of all coefficients.
const QUANT_STEP: u8 = 12;
/// Code lengths (bits): for the size of the first coefficient (DC), and for the run and size of the other coefficients
/// (AC).
const DC_BITS: u32 = 4;
const AC_BITS: u32 = 8;
/// Number of possible sizes of a DC difference: 0 to 11 bits.
const DC_SYMBOLS: u8 = 12;

/// Returns the column and row of each coefficient, in zigzag order.
fn zigzag() -> [(usize, usize); SIDE * SIDE] {
    let mut order = [(0, 0); SIDE * SIDE];
    let mut n = 0;
    for diagonal in 0..2 * SIDE - 1 {
        let along = diagonal.saturating_sub(SIDE - 1)..=diagonal.min(SIDE - 1);
        let mut places: Vec<usize> = along.collect();
        // Odd diagonals run down to the left, and even diagonals run up to the right.
        if diagonal % 2 == 0 {
            places.reverse();
        }
        for row in places {
            order[n] = (diagonal - row, row);
            n += 1;
        }
    }
    order
}

/// Returns the symbols of the AC coefficients: end of block, a run of 16 zeros, and each run of 0 to 15 zeros before a
/// coefficient of 1 to 10 bits.
fn ac_symbols() -> Vec<u8> {
    let runs = (0u8..16).flat_map(|run| (1u8..=10).map(move |size| run << 4 | size));
    [0x00, 0xf0].into_iter().chain(runs).collect()
}

/// Writer of bits to a byte stream.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    held: u32,
    count: u32,
}

impl Bits {
    fn put(&mut self, value: u32, bits: u32) {
        self.held = self.held << bits | value;
        self.count += bits;
        while self.count >= 8 {
            self.count -= 8;
            let byte = (self.held >> self.count) as u8;
            self.bytes.push(byte);
            if byte == 0xff {
                // A zero byte after 0xff marks 0xff as data, because markers also start with 0xff.
                self.bytes.push(0);
            }
            self.held &= (1 << self.count) - 1;
        }
    }

    /// Writes the low `size` bits of a number. For a negative number, writes the low bits of the number minus one.
    fn number(&mut self, value: i32, size: u32) {
        let told = if value < 0 { value - 1 } else { value };
        self.put(told as u32 & ((1 << size) - 1), size);
    }
}

/// Returns the number of bits in the magnitude of a number; 0 for 0.
fn size(value: i32) -> u32 {
    32 - value.unsigned_abs().leading_zeros()
}

/// Encodes a picture as a JPEG file. `rgb` contains red, green and blue of each pixel, row by row. The width and the
/// height must be multiples of 8 (px).
pub(super) fn encode(rgb: &[u8], width: usize, height: usize) -> Vec<u8> {
    let mut file = vec![0xff, 0xd8];
    segment(&mut file, 0xe0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0");
    segment(&mut file, 0xdb, &[&[0][..], &[QUANT_STEP; SIDE * SIDE]].concat());
    let [h1, h0] = (height as u16).to_be_bytes();
    let [w1, w0] = (width as u16).to_be_bytes();
    segment(&mut file, 0xc0, &[8, h1, h0, w1, w0, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]);
    let ac = ac_symbols();
    let table = |class: u8, bits: u32, symbols: &[u8]| {
        let counts: Vec<u8> = (1..=16).map(|n| if n == bits { symbols.len() as u8 } else { 0 }).collect();
        [&[class][..], &counts, symbols].concat()
    };
    segment(&mut file, 0xc4, &table(0x00, DC_BITS, &(0..DC_SYMBOLS).collect::<Vec<_>>()));
    segment(&mut file, 0xc4, &table(0x10, AC_BITS, &ac));
    segment(&mut file, 0xda, &[3, 1, 0, 2, 0, 3, 0, 0, 63, 0]);
    let mut codes = [0u32; 256];
    ac.iter().enumerate().for_each(|(code, symbol)| codes[usize::from(*symbol)] = code as u32);
    let (order, waves) = (zigzag(), cosines());
    let (mut bits, mut last) = (Bits::default(), [0i32; 3]);
    for (top, left) in (0..height).step_by(SIDE).flat_map(|top| (0..width).step_by(SIDE).map(move |left| (top, left))) {
        for (colour, last) in last.iter_mut().enumerate() {
            let block = block(rgb, width, top, left, colour);
            let found = coefficients(&block, &waves);
            let kept = order.map(|(u, v)| (found[v][u] / f32::from(QUANT_STEP)).round() as i32);
            let difference = kept[0] - *last;
            *last = kept[0];
            let bits_needed = size(difference);
            bits.put(bits_needed, DC_BITS);
            bits.number(difference, bits_needed);
            let mut run = 0;
            for value in &kept[1..] {
                if *value == 0 {
                    run += 1;
                    continue;
                }
                while run > 15 {
                    bits.put(codes[0xf0], AC_BITS);
                    run -= 16;
                }
                let needed = size(*value).min(10);
                bits.put(codes[(run << 4 | needed) as usize], AC_BITS);
                bits.number((*value).clamp(-1023, 1023), needed);
                run = 0;
            }
            if run > 0 {
                bits.put(codes[0], AC_BITS);
            }
        }
    }
    // The last byte is filled with ones.
    bits.put(0x7f, 7);
    file.extend(bits.bytes);
    file.extend([0xff, 0xd9]);
    file
}

fn segment(file: &mut Vec<u8>, marker: u8, data: &[u8]) {
    file.extend([0xff, marker]);
    file.extend((data.len() as u16 + 2).to_be_bytes());
    file.extend(data);
}

/// Extracts a block of one component, with values around 0. `colour` is 0 for luma, 1 for the blue difference, and 2
/// for the red difference.
fn block(rgb: &[u8], width: usize, top: usize, left: usize, colour: usize) -> [[f32; SIDE]; SIDE] {
    const PARTS: [[f32; 3]; 3] = [[0.299, 0.587, 0.114], [-0.168_74, -0.331_26, 0.5], [0.5, -0.418_69, -0.081_31]];
    let parts = PARTS[colour];
    let middle = if colour == 0 { 128.0 } else { 0.0 };
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            let pixel = &rgb[3 * ((top + row) * width + left + column)..][..3];
            pixel.iter().zip(parts).map(|(level, part)| f32::from(*level) * part).sum::<f32>() - middle
        })
    })
}

/// Returns the scaled cosines of the discrete cosine transform, by frequency and position.
fn cosines() -> [[f32; SIDE]; SIDE] {
    std::array::from_fn(|u| {
        let factor = if u == 0 { 0.5f32.sqrt() } else { 1.0 } / 2.0;
        std::array::from_fn(|x| factor * ((2 * x + 1) as f32 * u as f32 * PI / 16.0).cos())
    })
}

/// Computes the discrete cosine transform of a block, first along rows and then along columns.
fn coefficients(block: &[[f32; SIDE]; SIDE], waves: &[[f32; SIDE]; SIDE]) -> [[f32; SIDE]; SIDE] {
    let along = |line: &[f32; SIDE], u: usize| line.iter().zip(&waves[u]).map(|(a, b)| a * b).sum::<f32>();
    let rows: [[f32; SIDE]; SIDE] = std::array::from_fn(|y| std::array::from_fn(|u| along(&block[y], u)));
    std::array::from_fn(|v| std::array::from_fn(|u| along(&std::array::from_fn(|y| rows[y][u]), v)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zigzag_order_matches_jpeg_standard() {
        let order = zigzag();
        assert_eq!(order[..6], [(0, 0), (1, 0), (0, 1), (0, 2), (1, 1), (2, 0)]);
        assert_eq!((order[62], order[63]), ((6, 7), (7, 7)));
        assert_eq!(ac_symbols().len(), 162, "and none of their codes is all ones");
    }

    #[test]
    fn grey_block_encodes_to_dc_coefficient_only() {
        let block = [[-28.0; SIDE]; SIDE];
        let found = coefficients(&block, &cosines());
        assert!((found[0][0] + 224.0).abs() < 1e-3);
        assert!((1..64).all(|i| found[i / 8][i % 8].abs() < 1e-3));
        let file = encode(&[100; 3 * 64], 8, 8);
        assert_eq!((&file[..2], &file[file.len() - 2..]), (&[0xff, 0xd8][..], &[0xff, 0xd9][..]));
        // Luma 100 is 28 below the middle, so the DC value is -224, or -19 quantisation steps. Both colour differences
        // are 0.
        let data = &file[file.len() - 7..file.len() - 2];
        // The data of luma are the size (5 bits), the value -19 and the end of the block. The data of each colour
        // difference are the size (0 bits) and the end of the block. Fill bits follow.
        let mut bits = Bits::default();
        for (value, length) in [(5, 4), (0b01100, 5), (0, 8), (0, 4), (0, 8), (0, 4), (0, 8), (0x7f, 7)] {
            bits.put(value, length);
        }
        assert!(data.ends_with(&bits.bytes[bits.bytes.len() - 5..]), "{data:x?} {:x?}", bits.bytes);
    }
}

//! PNG encoder (ISO/IEC 15948). All pixels are in one chunk, and rows are not filtered.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;
use xpuck_wire::message::Picture;

/// Encodes a picture as a PNG file with 8 bits per colour.
///
/// # Errors
/// Does not fail in practice: all writes go to memory.
pub fn encode(picture: &Picture) -> std::io::Result<Vec<u8>> {
    let row = 3 * usize::from(picture.width);
    let mut pixels = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in picture.rgb.0.chunks_exact(row.max(1)) {
        // Each row begins with its filter type. Type 0 means that the row is not filtered.
        pixels.write_all(&[0])?;
        pixels.write_all(row)?;
    }
    let mut head = Vec::new();
    head.extend(u32::from(picture.width).to_be_bytes());
    head.extend(u32::from(picture.height).to_be_bytes());
    // These bytes are bit depth (8), colour type (RGB), compression method, filter method and interlacing (none).
    head.extend([8, 2, 0, 0, 0]);
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", head), (b"IDAT", pixels.finish()?), (b"IEND", Vec::new())] {
        file.extend((data.len() as u32).to_be_bytes());
        let from = file.len();
        file.extend(kind);
        file.extend(data);
        let sum = crc32fast::hash(&file[from..]);
        file.extend(sum.to_be_bytes());
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use xpuck_wire::bytes::Bytes;

    #[test]
    fn png_is_valid_and_preserves_pixels() {
        let rgb: Vec<u8> = (0..4 * 3 * 3).collect();
        let file = encode(&Picture { width: 4, height: 3, rgb: Bytes(rgb.clone()) }).unwrap();
        assert_eq!(file[..8], *b"\x89PNG\r\n\x1a\n");
        assert_eq!(file[8..33], *b"\0\0\0\x0dIHDR\0\0\0\x04\0\0\0\x03\x08\x02\0\0\0\x3b\x96\x39\x91");
        let length = u32::from_be_bytes(file[33..37].try_into().unwrap()) as usize;
        assert_eq!(file[37..41], *b"IDAT");
        let mut raw = Vec::new();
        flate2::read::ZlibDecoder::new(&file[41..41 + length]).read_to_end(&mut raw).unwrap();
        let rows: Vec<u8> = raw.chunks(13).flat_map(|row| row[1..].to_vec()).collect();
        assert!(rows == rgb && raw.chunks(13).all(|row| row[0] == 0));
        assert!(file.ends_with(b"\0\0\0\0IEND\xae\x42\x60\x82"), "the end's check is known");
    }
}

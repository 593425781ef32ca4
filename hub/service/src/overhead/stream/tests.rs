//! Tests with valid and invalid responses of cameras.

use super::*;

/// Creates a JPEG file of 16 x 8 pixels, with `length` bytes of the value `fill` after its header.
fn file(fill: u8, length: usize) -> Vec<u8> {
    let mut file = vec![0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc0, 0, 11, 8, 0, 8, 0, 16, 1, 1, 0x11, 0];
    file.extend(std::iter::repeat_n(fill, length));
    file.extend([0xff, 0xd9]);
    file
}

const HEAD: &str = "HTTP/1.0 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=frame\r\n\r\n";

fn read(answer: &[u8], piece: usize) -> Result<Vec<Jpeg>, String> {
    let (mut pictures, mut found) = (MultipartParser::default(), Vec::new());
    for bytes in answer.chunks(piece) {
        pictures.push(bytes, |jpeg| found.push(jpeg))?;
        assert!(pictures.held.len() <= MAX_PICTURE + MAX_HEAD + piece, "bounded");
    }
    Ok(found)
}

fn multipart_answer(head: &str, length: bool, parts: &[Vec<u8>]) -> Vec<u8> {
    let mut answer = head.as_bytes().to_vec();
    for part in parts {
        let told = if length { format!("Content-Length: {}\r\n", part.len()) } else { String::new() };
        answer.extend(format!("--frame\r\nContent-Type: image/jpeg\r\n{told}\r\n").bytes());
        answer.extend(part);
        answer.extend(b"\r\n");
    }
    answer.extend(b"--frame\r\n");
    answer
}

#[test]
fn pictures_come_out_whole_however_they_are_cut() {
    let parts = [file(1, 100), file(2, 3000), file(b'-', 50)];
    for length in [true, false] {
        let answer = multipart_answer(HEAD, length, &parts);
        for piece in [1, 2, 7, 64, 1000, 100_000] {
            let found = read(&answer, piece).unwrap();
            assert_eq!(found.iter().map(|j| j.bytes.clone()).collect::<Vec<_>>(), parts, "{length} {piece}");
            assert!(found.iter().all(|jpeg| jpeg.size == [16, 8]));
        }
    }
}

#[test]
fn boundary_inside_picture_of_known_length_is_kept() {
    let mut tricky = file(3, 40);
    drop(tricky.splice(30..30, b"\r\n--frame\r\n\r\n".iter().copied()));
    assert_eq!(read(&multipart_answer(HEAD, true, &[tricky.clone(), file(1, 5)]), 9).unwrap()[0].bytes, tricky);
}

#[test]
fn heads_of_many_cameras_are_understood() {
    for head in [
        HEAD.replace("boundary=frame", "boundary=\"frame\""),
        HEAD.replace("boundary=frame", "boundary=--frame"),
        HEAD.replace("Content-Type", "content-type").replace("\r\n", "\n"),
        HEAD.replace("boundary=frame", "boundary=frame;charset=utf-8"),
        HEAD.replace("\r\n\r\n", "\r\nServer: x\r\n\r\nsomething before the first part\r\n"),
    ] {
        assert_eq!(read(&multipart_answer(&head, false, &[file(1, 10)]), 5).unwrap().len(), 1, "{head}");
    }
    let whole = "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 33\r\n\r\n";
    assert_eq!(read(&[whole.as_bytes(), &file(7, 10)[..]].concat(), 4).unwrap().len(), 1);
    let endless = whole.replace("Content-Length: 33\r\n", "");
    let (mut pictures, mut found) = (MultipartParser::default(), 0);
    pictures.push(&[endless.as_bytes(), &file(7, 10)[..]].concat(), |_| found += 1).unwrap();
    pictures.end(|_| found += 1).unwrap();
    assert!(found == 1 && pictures.is_over());
}

#[test]
fn invalid_picture_streams_are_rejected_in_one_line() {
    let error = |answer: &[u8]| {
        let error = read(answer, 1000).unwrap_err();
        assert!(!error.contains('\n') && error.len() < 300, "{error}");
        error
    };
    assert!(error(b"HTTP/1.1 404 Not Found\r\n\r\n").contains("404"));
    assert!(error(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n").contains("check the path"));
    assert!(error(b"HTTP/1.1 200 OK\r\n\r\n").contains("without a type"));
    assert!(error(b"SSH-2.0-x\r\n\r\n").contains("SSH-2.0-x"));
    assert!(error(&HEAD.replace("boundary=frame", "x=1").into_bytes()).contains("boundary"));
    assert!(error(&HEAD.replace("OK\r\n", "OK\r\nTransfer-Encoding: chunked\r\n").into_bytes()).contains("chunked"));
    // The empty line at the end of a header is missing, in the header of the response and then in the header of a part.
    assert!(error(&[b"HTTP/1.1 200 OK\r\n".to_vec(), b"X: y\r\n".repeat(4000)].concat()).contains("longer than 16384"));
    assert!(
        error(&[HEAD.as_bytes(), b"--frame\r\n", &b"X: y\r\n".repeat(4000)[..]].concat()).contains("longer than 4096")
    );
    // The pictures are too large, invalid, or of an impossible size.
    let part = format!("{HEAD}--frame\r\nContent-Length: ");
    assert!(error(format!("{part}99999999\r\n\r\n").as_bytes()).contains("larger than 4 MiB"));
    assert!(error(format!("{part}-1\r\n\r\n").as_bytes()).contains("Content-Length is not a number: \"-1\""));
    assert!(error(format!("{part}5\r\n\r\nhello").as_bytes()).contains("not a JPEG"));
    assert!(
        error(&[HEAD.as_bytes(), b"--frame\r\n\r\n", &vec![7; MAX_PICTURE + 2000][..]].concat())
            .contains("larger than")
    );
    let mut flat = file(1, 3);
    flat[13..15].fill(0);
    assert!(error(&multipart_answer(HEAD, true, &[flat])).contains("16 x 0"));
    let text = format!("{HEAD}--frame\r\nContent-Type: text/plain\r\n\r\n");
    assert!(error(text.as_bytes()).contains("text/plain"));
}

#[test]
fn truncated_answer_is_reported() {
    let mut pictures = MultipartParser::default();
    let answer = multipart_answer(HEAD, true, &[file(1, 100)]);
    pictures.push(&answer[..answer.len() / 2], |_| panic!("it is not whole")).unwrap();
    assert!(pictures.end(|_| ()).unwrap_err().contains("before it was complete"));
    let mut ended = MultipartParser::default();
    let whole = multipart_answer(HEAD, true, &[file(1, 5)]);
    let before_the_last = whole.strip_suffix(b"--frame\r\n").unwrap();
    ended.push(&[before_the_last, b"--frame--\r\n"].concat(), |_| ()).unwrap();
    assert!(ended.is_over());
}

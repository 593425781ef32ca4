//! Pictures in PNG and PDF, and films, checked with third-party programs.

use crate::common::{said, xpuck};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use xpuck_hub_core::entry::Entry;
use xpuck_record::McapFile;
use xpuck_wire::{Body, Segment};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const TREE: &str = "docs/trees/806768.bt";
/// Colours (RGB) of the frisbee and of the first robot in a drawing of a record.
const FRISBEE: [u8; 3] = [0x1b, 0x74, 0xe8];
const FIRST: [u8; 3] = [0xaa, 0x33, 0x00];

/// Returns whether all these programs are installed. If not, reports that the test is skipped.
fn have(programs: &[&str]) -> bool {
    let missing = |name: &&&str| Command::new(name).arg("-v").stdin(std::process::Stdio::null()).output().is_err();
    match programs.iter().find(missing) {
        None => true,
        Some(name) => {
            xpuck_testing::skipped(format_args!("{name} is missing (make deps-films)"));
            false
        }
    }
}

fn run(folder: &Path, line: &[&str]) -> Output {
    xpuck().args(line).current_dir(folder).output().unwrap()
}

fn simulate(more: &[&str]) -> Output {
    run(
        Path::new(ROOT),
        &[&["simulate", TREE, "--scenario", "b", "--runs", "1", "--seconds", "10", "--json"], more].concat(),
    )
}

fn well(output: &Output) {
    assert!(output.status.success(), "{}", said(output));
}

/// Runs a program that must succeed. Returns its standard output.
fn asked(program: &str, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Returns the `entries` of a file's first video stream, as printed by `ffprobe`.
fn probed(file: &Path, entries: &str) -> Vec<String> {
    let entries = format!("stream={entries}");
    let arguments = ["-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries", &entries];
    let rest = ["-of", "csv=p=0", file.to_str().unwrap()];
    let text = String::from_utf8(asked("ffprobe", &[&arguments[..], &rest].concat())).unwrap();
    text.trim().split(',').map(str::to_string).collect()
}

/// Returns the pixels (RGB, by rows) of a picture, or of the last frame of a film.
fn pixels(file: &Path) -> Vec<u8> {
    let film = file.extension().is_some_and(|kind| kind == "mp4");
    let from: &[&str] = if film { &["-sseof", "-0.2"] } else { &[] };
    let rest = ["-i", file.to_str().unwrap(), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"];
    let all = asked("ffmpeg", &[&["-v", "error"], from, &rest].concat());
    let size: Vec<usize> = probed(file, "width,height").iter().map(|length| length.parse().unwrap()).collect();
    all[all.len() - 3 * size[0] * size[1]..].to_vec()
}

/// Returns whether the pixel at (x, y) has nearly this colour.
fn is_at(pixels: &[u8], width: usize, (x, y): (f64, f64), colour: [u8; 3]) -> bool {
    let begin = 3 * (y as usize * width + x as usize);
    pixels[begin..begin + 3].iter().zip(colour).all(|(a, b)| a.abs_diff(b) < 12)
}

fn only_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn drawings_are_png_and_pdf_with_the_fonts_that_are_set() {
    if !have(&["rsvg-convert", "pdffonts", "pdftotext", "ffprobe"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let [png, pdf, svg] = ["a.png", "a.pdf", "a.svg"].map(|name| dir.path().join(name));
    let [a, b, c] = [&png, &pdf, &svg].map(|path| path.to_str().unwrap());
    well(&simulate(&["--png", a, "--pdf", b, "--svg", c]));
    let text = std::fs::read_to_string(&svg).unwrap();
    let drawing = roxmltree::Document::parse(&text).unwrap();
    let of = |name: &str| drawing.root_element().attribute(name).unwrap().parse::<usize>().unwrap();
    assert_eq!(probed(&png, "width,height"), [(2 * of("width")).to_string(), (2 * of("height")).to_string()]);
    // Each robot's path ends at the same place and in the same colour as in the SVG. The test reads the pixels 9 pixels
    // left and right of the path's end, beside the mark of the heading.
    let pixels = pixels(&png);
    let ends: Vec<_> = drawing.descendants().filter(|n| n.attribute("class") == Some("end")).collect();
    let seen = ends.iter().filter(|end| {
        let number = |name: &str| end.attribute(name).unwrap().parse::<f64>().unwrap();
        let fill = end.attribute("fill").unwrap();
        let part = |i: usize| u8::from_str_radix(&fill[i..i + 2], 16).unwrap();
        let colour = [part(1), part(3), part(5)];
        [-9.0, 9.0]
            .iter()
            .any(|aside| is_at(&pixels, 2 * of("width"), (2.0 * number("cx") + aside, 2.0 * number("cy")), colour))
    });
    assert!(seen.count() >= 8, "of ten");
    let fonts = String::from_utf8(asked("pdffonts", &[b])).unwrap();
    let rows: Vec<&str> = fonts.lines().skip(2).collect();
    assert!(rows.len() == 3 && rows.iter().all(|row| row.contains("Liberation") && row.contains(" yes ")), "{fonts}");
    let words = String::from_utf8(asked("pdftotext", &[b, "-"])).unwrap();
    assert!(words.contains("fitness") && words.contains("avoiding"), "{words}");
    let first = std::fs::read(&pdf).unwrap();
    well(&simulate(&["--pdf", b]));
    assert!(std::fs::read(&pdf).unwrap() == first, "the same drawing is the same file");
}

#[test]
fn film_has_expected_length_and_frisbee_position() {
    if !have(&["rsvg-convert", "ffmpeg", "ffprobe"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let [mp4, svg] = ["-a:b.mp4", "a.svg"].map(|name| dir.path().join(name));
    let tree = Path::new(ROOT).join(TREE);
    let line =
        ["simulate", tree.to_str().unwrap(), "--scenario", "b", "--runs", "1", "--seconds", "10", "--film-speed", "4"];
    well(&run(dir.path(), &[&line[..], &["--mp4=-a:b.mp4", "--svg", "a.svg"]].concat()));
    assert_eq!(only_files(dir.path()), [mp4.clone(), svg.clone()]);
    let seen = probed(&mp4, "codec_name,width,height,pix_fmt,color_space,avg_frame_rate,duration,nb_read_frames");
    assert_eq!((&*seen[0], &*seen[3], &*seen[4], &*seen[5]), ("h264", "yuv420p", "bt709", "25/1"), "{seen:?}");
    let numbers = |i: usize| seen[i].parse::<f64>().unwrap();
    assert!(numbers(1) % 2.0 == 0.0 && numbers(2) % 2.0 == 0.0, "{seen:?}");
    // The film lasts 2.5 s, plus the initial frame.
    assert!((numbers(6) - 2.54).abs() <= 0.041 && (numbers(7) - 63.5).abs() <= 1.0, "{seen:?}");
    let text = std::fs::read_to_string(&svg).unwrap();
    let drawing = roxmltree::Document::parse(&text).unwrap();
    let disc = drawing.descendants().find(|n| n.attribute("class") == Some("disc")).unwrap();
    let at = |name: &str| disc.attribute(name).unwrap().parse::<f64>().unwrap();
    // The film shows the drawing at 1.5 pixels per unit of the SVG. A clock above the drawing moves the drawing down by
    // 30 units.
    let frame = pixels(&mp4);
    let place = (1.5 * at("cx"), 1.5 * (at("cy") + 30.0));
    assert!(is_at(&frame, numbers(1) as usize, place, FRISBEE), "{place:?}");
}

#[test]
fn errors_are_one_line_and_leave_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |output: Output, words: &str| {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.lines().count() == 1 && error.contains(words), "{words}: {error}");
        assert!(only_files(dir.path()).is_empty(), "{words}");
    };
    let here = |name: &str| dir.path().join(name).to_str().unwrap().to_string();
    let bare = |more: &[&str]| {
        let line = [&["simulate", TREE, "--runs", "1", "--seconds", "1"], more].concat();
        xpuck().args(line).env("PATH", "/nowhere").current_dir(ROOT).output().unwrap()
    };
    refused(bare(&["--png", &here("a.png")]), "rsvg-convert is missing; install it with `apt-get install librsvg2-bin");
    refused(bare(&["--mp4", &here("a.mp4")]), "is missing; install it with `apt-get install ");
    refused(simulate(&["--mp4", &here("a.mp4"), "--film-speed", "0"]), "--film-speed 0: must be 0.1 to 1000");
    refused(simulate(&["--mp4", TREE]), "is an input file");
    refused(simulate(&["--mp4", &here("a"), "--png", &here("a")]), "--png and --mp4 name the same file");
    if !have(&["rsvg-convert", "ffmpeg"]) {
        return;
    }
    refused(simulate(&["--mp4", "/nowhere/a.mp4"]), "/nowhere/a.mp4: cannot be written");
    refused(simulate(&["--mp4", "/dev/full"]), "/dev/full: cannot be written");
    refused(simulate(&["--png", "/dev/full"]), "/dev/full: cannot be written");
    refused(simulate(&["--pdf", "/"]), "/: cannot be written");
    // `ulimit -f` limits the file size (blocks of 512 bytes). For ffmpeg this looks like a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec {} simulate {TREE} --json --runs 1 --seconds 20 --film-speed 1 --mp4 {}",
        xpuck().get_program().display(),
        here("a.mp4")
    );
    let full = Command::new("sh").args(["-c", &script]).current_dir(ROOT).output().unwrap();
    refused(full, "a.mp4: ffmpeg");
}

#[test]
fn stopped_film_leaves_the_old_file() {
    if !have(&["rsvg-convert", "ffmpeg"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let film = dir.path().join("a.mp4");
    std::fs::write(&film, "old").unwrap();
    let mut command = xpuck();
    command.args(["simulate", TREE, "--runs", "1", "--seconds", "600", "--film-speed", "0.1", "--mp4"]).arg(&film);
    let mut child = command.current_dir(ROOT).stderr(std::process::Stdio::piped()).spawn().unwrap();
    // Waits until the new film has content. A file of more than 3 bytes is the new film, because the old file has 3
    // bytes. The file with which the program tests the folder before the simulation is not larger.
    let sizes = || std::fs::read_dir(dir.path()).unwrap().filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len()));
    let begun = std::time::Instant::now();
    while !sizes().any(|size| size > 3) {
        assert!(child.try_wait().unwrap().is_none() && begun.elapsed() < 2 * xpuck_testing::patience());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = nix::unistd::Pid::from_raw(child.id() as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success() && said(&output).contains("stopped; nothing was written"), "{}", said(&output));
    assert_eq!(only_files(dir.path()), std::slice::from_ref(&film));
    assert_eq!(std::fs::read(&film).unwrap(), b"old");
}

/// Writes the record of a run of 20 s with a frisbee and one robot that drives along x.
fn recorded(directory: &Path) {
    std::fs::create_dir_all(directory).unwrap();
    let described = "name = \"x\"\nstate = \"finished\"\nversion = \"0\"\nstarted_unix_ms = 1\nseed = 1\n\
                     robots = [\"xp01\"]\nspeed = 1.0\n[experiment]\n[hub]\nswarm = \"swarm.toml\"\n\
                     [hub.mocap]\naddress = \"127.0.0.1:1\"\nfrisbee = \"frisbee\"\n[hub.record]\ndirectory = \"runs\"\n";
    std::fs::write(directory.join("run.toml"), described).unwrap();
    let mut file = McapFile::begin(std::fs::File::create(directory.join("run.mcap")).unwrap()).unwrap();
    for i in 0..=200u32 {
        let time = 5.0 + 0.1 * f64::from(i);
        let body = |name: &str, pose: [f32; 3]| Body { name: name.into(), pose };
        let x = -0.5 + 0.005 * i as f32;
        let bodies = vec![body("frisbee", [0.3, 0.4, 0.0]), body("xp01", [x, -0.2, 1.57])];
        file.write(&Entry::Poses { time, bodies }).unwrap();
        let segments = vec![Segment { number: 0, fitness: 0.125, seconds: time, ..Segment::default() }];
        let run = Entry::Run {
            time,
            phase: Default::default(),
            run_seconds: time,
            segment: 0,
            segments,
            evolved: 0.0,
            slow_round_trips: 0.0,
            dead: 0,
        };
        file.write(&run).unwrap();
    }
    file.finish().unwrap();
}

#[test]
fn recorded_run_exports_to_film_and_picture() {
    if !have(&["rsvg-convert", "ffmpeg", "ffprobe"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path();
    recorded(&place.join("runs/x-1-seed1"));
    let export = |more: &[&str]| run(place, &[&["runs", "export", "last"], more].concat());
    well(&export(&["--mp4", "a.mp4", "--film-speed", "5"]));
    let seen = probed(&place.join("a.mp4"), "width,height,duration,nb_read_frames");
    assert!((seen[2].parse::<f64>().unwrap() - 4.0).abs() <= 0.041 && seen[3] == "101", "{seen:?}");
    let (width, frame) = (seen[0].parse::<usize>().unwrap(), pixels(&place.join("a.mp4")));
    // The arena is 2 m by 1.5 m by default. In the drawing it is 840 units wide, its upper left corner is at (24, 88),
    // and a unit has 1.5 pixels.
    let at = |x: f64, y: f64| (1.5 * (24.0 + (1.0 + x) * 420.0), 1.5 * (88.0 + (0.75 - y) * 420.0));
    assert!(is_at(&frame, width, at(0.3, 0.4), FRISBEE) && is_at(&frame, width, at(0.48, -0.2), FIRST));
    well(&export(&["--png", "a.png", "--from", "5", "--to", "10"]));
    let picture = pixels(&place.join("a.png"));
    // The drawing covers the interval from 5 s to 10 s. At its end the robot is in the middle of the arena. The robot's
    // path before 5 s is not drawn.
    assert!(is_at(&picture, width, at(-0.02, -0.2), FIRST) && is_at(&picture, width, at(-0.15, -0.2), FIRST));
    assert!(is_at(&picture, width, at(-0.4, -0.2), [255; 3]) && is_at(&picture, width, at(0.3, 0.4), FRISBEE));
    for (more, words) in [
        (&["--mp4", "b.mp4", "--from", "90"][..], "the run has 20.0 s of arena time"),
        (&["--png", "runs/x-1-seed1/run.mcap"], "is a file of the run itself"),
        (&["--mp4", "b.mp4", "--film-speed", "0"], "--film-speed"),
    ] {
        let output = export(more);
        assert!(!output.status.success() && said(&output).contains(words), "{more:?}: {}", said(&output));
    }
    assert!(!place.join("b.mp4").exists());
}

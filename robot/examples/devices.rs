//! Runs the checks of `conformance::plugged` on the robot's camera drivers. The kernel devices can be unplugged by
//! shell commands. `tools/devices-test.sh` runs this program in a virtual machine.

use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use xpuck_robot::body::devices::CAMERA;
use xpuck_robot::checks::conformance::{self, Picture, UnplugChecks};
use xpuck_robot::device::frames::PixelOrder;
use xpuck_robot::device::{FrameSource, ft2232h, v4l2};
use xpuck_wire::output;

#[derive(Parser)]
struct Args {
    /// Camera: "ft2232h" or the path of a video device.
    camera: PathBuf,
    /// Shell command that unplugs the camera.
    #[arg(long)]
    pull: String,
    /// Shell command that plugs the camera in again.
    #[arg(long)]
    put: String,
    /// Shell command that halts the camera's endpoint.
    #[arg(long)]
    halt: Option<String>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let shell = |command: &str| {
        let done = Command::new("sh").args(["-c", command]).status();
        if !done.is_ok_and(|status| status.success()) {
            output::print_error(format_args!("devices: {command}: failed"));
        }
    };
    let usb = args.camera == Path::new("ft2232h");
    let open = |(width, height): (usize, usize)| {
        let camera = match usb {
            true => ft2232h::open(None, width, height, PixelOrder::YCbYCr)?,
            false => v4l2::open(&args.camera, width, height)?,
        };
        Ok(Box::new(camera) as Box<dyn FrameSource>)
    };
    let (width, height) = CAMERA;
    let halt = args.halt.as_ref().map(|command| || shell(command));
    let findings = conformance::unplug_checks(&UnplugChecks {
        name: if usb { "FT2232H" } else { "video" },
        open: &open,
        picture: Picture { width, height, rate: 1.0..=60.0 },
        other_size: (!usb).then_some((width + 2, height)),
        halt: halt.as_ref().map(|halt| halt as &dyn Fn()),
        pull: &|| shell(&args.pull),
        put: &|| shell(&args.put),
    });
    let told = output::text(conformance::table(&findings, false));
    if told.is_ok() && conformance::passed(&findings) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

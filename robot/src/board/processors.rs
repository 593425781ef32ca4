//! Processor affinities. The control loop and the body link run on the control processor, which the table of boards
//! defines. The interrupts of the body's buses are routed to the control processor. All other interrupts are routed to
//! the other processors. Network and disk interrupts therefore do not delay an exchange with the body. Evolution runs
//! on all processors at idle priority, so that the kernel preempts it at once.

use super::table;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::io;
use std::path::Path;
use std::sync::OnceLock;
use tracing::warn;

/// File that contains the board's name.
const BOARD: &str = "/etc/xpuck/board";
/// Parts of driver names that identify a bus of the robot's body.
const BODY: &[&str] = &["spi", "i2c"];

/// Pins the calling thread to the board's control processor. The function has no effect if no board is configured.
pub fn pin_to_control() {
    static CONTROL: OnceLock<Option<usize>> = OnceLock::new();
    let control = CONTROL.get_or_init(|| table::control_of(Path::new(BOARD)));
    if let Some(processor) = *control
        && let Err(error) = pin_to(processor)
    {
        warn!(target: "xpuckd", "cannot pin the control loop to processor {processor}: {error}; the board table lists more processors than this board has");
    }
}

fn pin_to(processor: usize) -> rustix::io::Result<()> {
    let mut set = CpuSet::new();
    if processor >= CpuSet::MAX_CPU {
        return Err(rustix::io::Errno::INVAL);
    }
    set.set(processor);
    sched_setaffinity(None, &set)
}

/// Allows the calling thread, and the threads that it creates later, to run on all processors. A new thread inherits
/// the affinity of its creator.
pub fn unpin() {
    let mut set = CpuSet::new();
    (0..CpuSet::MAX_CPU).for_each(|processor| set.set(processor));
    // The kernel ignores processors that do not exist.
    let _ = sched_setaffinity(None, &set);
}

/// Returns the processor to which the calling thread is pinned. Returns `None` if several processors are allowed, or
/// if the affinity cannot be read.
pub fn pinned_to() -> Option<usize> {
    let set = sched_getaffinity(None).ok()?;
    let mut all = (0..CpuSet::MAX_CPU).filter(|processor| set.is_set(*processor));
    all.next().filter(|_| all.next().is_none())
}

/// Routes the interrupts of the body's buses to processor `control`, and all other interrupts to the other processors.
/// Returns a line for the log. `proc` is the directory of procfs, and `processors` is the number of processors.
///
/// # Errors
/// If the directory `irq` of procfs cannot be read.
pub fn route_interrupts(proc: &Path, control: usize, processors: usize) -> io::Result<String> {
    if processors < 2 || control >= processors {
        return Ok(format!(
            "interrupts: processor {control} of {processors} cannot be reserved for the control loop; interrupts are not moved"
        ));
    }
    let (mut here, mut away, mut fixed) = (0, 0, 0);
    let rest = others(control, processors);
    for entry in std::fs::read_dir(proc.join("irq"))? {
        let folder = entry?.path();
        if !folder.is_dir() {
            continue;
        }
        let body = is_of_body(&folder);
        let wanted = if body { control.to_string() } else { rest.clone() };
        // The file is not created if it is missing. For a per-processor interrupt, the kernel rejects the write.
        let list = folder.join("smp_affinity_list");
        let opened = std::fs::OpenOptions::new().write(true).open(list);
        match opened.and_then(|mut file| io::Write::write_all(&mut file, wanted.as_bytes())) {
            Ok(()) if body => here += 1,
            Ok(()) => away += 1,
            Err(_) => fixed += 1,
        }
    }
    Ok(format!(
        "interrupts: {here} of the body's buses on processor {control}, {away} others on {rest}, {fixed} cannot be moved"
    ))
}

/// Returns all processors except `control`, in the kernel's list format.
fn others(control: usize, processors: usize) -> String {
    let range = |from: usize, to: usize| match to.checked_sub(from) {
        None | Some(0) => None,
        Some(1) => Some(from.to_string()),
        Some(_) => Some(format!("{from}-{}", to - 1)),
    };
    [range(0, control), range(control + 1, processors)].into_iter().flatten().collect::<Vec<_>>().join(",")
}

/// Returns whether an interrupt belongs to a bus of the body. `folder` is the interrupt's folder in procfs. It contains
/// a subfolder for each driver, with the name of the driver.
fn is_of_body(folder: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    let drivers = entries.flatten().filter(|entry| entry.path().is_dir());
    let mut names = drivers.map(|entry| entry.file_name().to_string_lossy().to_lowercase());
    names.any(|name| BODY.iter().any(|bus| name.contains(bus)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn body_interrupts_go_to_control_processor_only() {
        let proc = tempfile::tempdir().unwrap();
        for (number, driver) in [("11", "fe204000.spi"), ("12", "eth0"), ("13", "mmc1"), ("14", "fe205000.i2c")] {
            let folder = proc.path().join("irq").join(number);
            fs::create_dir_all(folder.join(driver)).unwrap();
            fs::write(folder.join("smp_affinity_list"), "0-3").unwrap();
        }
        // Interrupt 1 represents a per-processor interrupt. It cannot be moved, because it has no affinity file here.
        fs::create_dir_all(proc.path().join("irq/1/arch_timer")).unwrap();
        fs::write(proc.path().join("irq/default_smp_affinity"), "f").unwrap();
        let text = route_interrupts(proc.path(), 3, 4).unwrap();
        assert_eq!(text, "interrupts: 2 of the body's buses on processor 3, 2 others on 0-2, 1 cannot be moved");
        let list = |number: &str| fs::read_to_string(proc.path().join(format!("irq/{number}/smp_affinity_list")));
        // Only the beginnings are compared. The kernel replaces the whole list, but a plain file keeps the old bytes
        // after the new list.
        assert!(list("11").unwrap().starts_with('3') && list("12").unwrap().starts_with("0-2"));
        assert!(route_interrupts(proc.path(), 4, 4).unwrap().contains("interrupts are not moved"));
        assert!(route_interrupts(&proc.path().join("none"), 0, 4).is_err());
    }

    #[test]
    fn lists_leave_one_processor_out() {
        assert_eq!(others(0, 2), "1");
        assert_eq!(others(1, 2), "0");
        assert_eq!(others(3, 4), "0-2");
        assert_eq!(others(0, 4), "1-3");
        assert_eq!(others(4, 8), "0-3,5-7");
    }

    #[test]
    fn thread_stays_on_one_processor_until_released() {
        std::thread::spawn(|| {
            let all = sched_getaffinity(None).unwrap();
            let Some(one) = (0..CpuSet::MAX_CPU).find(|processor| all.is_set(*processor)) else { return };
            pin_to(one).unwrap();
            assert_eq!(pinned_to(), Some(one));
            // A thread that is created here inherits the affinity of its creator.
            let made = std::thread::spawn(|| {
                let before = pinned_to();
                unpin();
                (before, pinned_to())
            });
            let (before, after) = made.join().unwrap();
            assert_eq!(before, Some(one));
            assert!(all.count() == 1 || after.is_none());
            assert!(pin_to(CpuSet::MAX_CPU).is_err());
        })
        .join()
        .unwrap();
    }
}

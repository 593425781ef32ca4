//! Scheduling priority of threads. A new thread inherits the priority of its creator.

use thread_priority::{
    Error, NormalThreadSchedulePolicy as Normal, RealtimeThreadSchedulePolicy as Realtime, ThreadPriority,
    ThreadPriorityValue, ThreadSchedulePolicy as Policy,
};

/// Value that stands for niceness 0 on the scale of the crate `thread_priority`, which is 0 to 99.
const MIDDLE: u8 = 47;

/// Gives the calling thread a real-time priority (1 to 99) under SCHED_FIFO. The thread then runs before all threads
/// with normal priority.
///
/// # Errors
/// The kernel rejects the priority, for example without CAP_SYS_NICE or a suitable limit. The thread then keeps its
/// priority.
pub fn run_first(priority: u8) -> Result<(), Error> {
    let priority = ThreadPriorityValue::try_from(priority.min(99)).unwrap_or_default();
    set(ThreadPriority::Crossplatform(priority), Policy::Realtime(Realtime::Fifo))
}

/// Gives the calling thread normal priority (SCHED_OTHER, niceness 0).
///
/// # Errors
/// The kernel rejects the priority.
pub fn run_as_others() -> Result<(), Error> {
    let middle = ThreadPriorityValue::try_from(MIDDLE).unwrap_or_default();
    set(ThreadPriority::Crossplatform(middle), Policy::Normal(Normal::Other))
}

/// Gives the calling thread idle priority (SCHED_IDLE).
///
/// # Errors
/// The kernel rejects the priority.
pub fn run_last() -> Result<(), Error> {
    set(ThreadPriority::Min, Policy::Normal(Normal::Idle))
}

/// Returns whether the calling thread has real-time priority.
pub fn runs_first() -> bool {
    matches!(thread_priority::thread_schedule_policy(), Ok(Policy::Realtime(_)))
}

fn set(priority: ThreadPriority, policy: Policy) -> Result<(), Error> {
    thread_priority::set_thread_priority_and_policy(thread_priority::thread_native_id(), priority, policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests that a thread created by a real-time thread has real-time priority until it lowers its priority. The test
    /// is skipped if the kernel forbids real-time threads.
    #[test]
    fn realtime_child_can_return_to_normal() {
        let maker = std::thread::spawn(|| {
            if run_first(1).is_err() {
                return false;
            }
            let made = std::thread::spawn(|| {
                let before = runs_first();
                run_as_others().unwrap();
                assert!(before && !runs_first());
                std::fs::read_to_string("/proc/thread-self/stat").unwrap()
            });
            let stat = made.join().unwrap();
            // The niceness is the 17th field after the name in parentheses.
            let niceness = stat.rsplit(')').next().unwrap().split_whitespace().nth(16);
            assert_eq!((runs_first(), niceness), (true, Some("0")));
            true
        });
        if !maker.join().unwrap() {
            xpuck_testing::skipped("the kernel refuses real-time priority (CAP_SYS_NICE)");
        }
        assert!(!runs_first());
    }
}

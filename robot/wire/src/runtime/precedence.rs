//! Which threads the kernel prefers. A new thread has its maker's precedence.

use thread_priority::{
    Error, NormalThreadSchedulePolicy as Normal, RealtimeThreadSchedulePolicy as Realtime, ThreadPriority,
    ThreadPriorityValue, ThreadSchedulePolicy as Policy,
};

/// What the scale of 0 to 99 has for niceness 0.
const MIDDLE: u8 = 47;

/// Lets the calling thread run before all that are not real-time (SCHED_FIFO), with a priority of 1 to 99.
///
/// # Errors
/// If the kernel refuses, which it does without CAP_SYS_NICE or a limit for it: the thread goes on as it was.
pub fn run_first(priority: u8) -> Result<(), Error> {
    let priority = ThreadPriorityValue::try_from(priority.min(99)).unwrap_or_default();
    set(ThreadPriority::Crossplatform(priority), Policy::Realtime(Realtime::Fifo))
}

/// Gives the calling thread its share among all others, as most threads have (SCHED_OTHER, niceness 0).
///
/// # Errors
/// If the kernel refuses.
pub fn run_as_others() -> Result<(), Error> {
    let middle = ThreadPriorityValue::try_from(MIDDLE).unwrap_or_default();
    set(ThreadPriority::Crossplatform(middle), Policy::Normal(Normal::Other))
}

/// Gives the calling thread only what no other thread wants (SCHED_IDLE).
///
/// # Errors
/// If the kernel refuses.
pub fn run_last() -> Result<(), Error> {
    set(ThreadPriority::Min, Policy::Normal(Normal::Idle))
}

/// True if the calling thread is real-time.
pub fn runs_first() -> bool {
    matches!(thread_priority::thread_schedule_policy(), Ok(Policy::Realtime(_)))
}

fn set(priority: ThreadPriority, policy: Policy) -> Result<(), Error> {
    thread_priority::set_thread_priority_and_policy(thread_priority::thread_native_id(), priority, policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the kernel allows real-time threads, what such a thread makes is one too, until it steps back.
    #[test]
    fn a_thread_made_by_a_real_time_thread_can_step_back() {
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
            // Niceness is the 17th field behind the name in brackets.
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

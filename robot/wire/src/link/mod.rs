//! The ZeroMQ sockets, who is let in at them, and what wakes a program that waits for them.

pub mod groot;
pub mod guard;
pub mod monitor;
pub mod session;
pub mod socket;
pub mod stream;
pub mod waker;

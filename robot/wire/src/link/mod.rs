//! ZeroMQ sockets, their access control, and wake-ups for threads that wait for messages on sockets.

pub mod groot;
pub mod guard;
pub mod monitor;
pub mod session;
pub mod socket;
pub mod stream;
pub mod waker;

//! Geneserver for other processes: [`Gate`] validates incoming genes, and [`Broker`] handles the messages of workers.
//! The types are state machines without sockets. `xpuck-hub-service` connects [`Broker`] to sockets.
//! [`Geneserver`](xpuck_evolve::geneserver::Geneserver) selects the immigrants.

mod broker;
mod gate;

pub use broker::{Broker, IslandState, SavedState, Status};
pub use gate::{Gate, to_emigrants};

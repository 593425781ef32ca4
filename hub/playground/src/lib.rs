//! Trees, worlds, simulation and evolution for browsers. A page runs this library as WebAssembly in its workers.
//!
//! A page sends requests as JSON, and receives answers as JSON ([`Playground::answer`], docs/playground.md). The results
//! have the digits of the program `xpuck`. The library has no file, socket, clock or thread: each worker of a page has
//! its own [`Playground`], and the page distributes work over its workers.

#[cfg(target_family = "wasm")]
mod exports;
mod islands;
mod measure;
mod playground;
mod request;
mod trees;
mod watch;
mod worlds;

pub use playground::Playground;

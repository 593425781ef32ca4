//! Observers of a swarm: dashboards, third-party viewers, the overhead camera.

mod dashboard;
mod foxglove;
mod groot;
mod overhead;
mod watched;

//! Tests of observers of a swarm: dashboards, third-party viewers, and the overhead camera.

mod dashboard;
mod foxglove;
mod groot;
mod overhead;
mod watched;

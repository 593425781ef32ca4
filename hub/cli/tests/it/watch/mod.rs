//! What watches a swarm: dashboards, viewers of others, the camera above.

mod dashboard;
mod foxglove;
mod groot;
mod overhead;
mod watched;

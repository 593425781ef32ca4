//! Camera vision: primary colours, AprilTags, the lens model, and synthetic pictures for tests and benchmarks.

pub mod colours;
#[cfg(feature = "apriltag")]
pub(crate) mod homography;
pub mod lens;
#[cfg(feature = "apriltag")]
pub mod markers;
#[cfg(feature = "apriltag")]
pub mod planar;
pub(crate) mod snapshot;
#[cfg(feature = "apriltag")]
pub mod synthetic;
#[cfg(feature = "apriltag")]
pub mod tags;

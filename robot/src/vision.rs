//! Vision.

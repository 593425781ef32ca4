//! Nothing: what counts is the build script.

//! Empty library. The crate exists only for its build script.

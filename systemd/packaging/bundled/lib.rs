//! Empty: the crate exists for its build script.

//! This file is empty, because the crate exists for its build script.

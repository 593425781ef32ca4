//! Reading of users' files and their errors, and escaping of untrusted text. Browsers use this module too.

pub mod file;
pub mod plain;
#[cfg(unix)]
pub mod regular_file;

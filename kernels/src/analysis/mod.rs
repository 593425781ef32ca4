//! What can be said about trees without running them: smaller ones that do the same, accounts in plain English, and
//! other kinds of machines that they stand for.

pub mod explain;
pub mod machine;
pub mod reduce;

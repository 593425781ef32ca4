//! Errors in the command line that are found after the parser has accepted it.

use std::fmt;

/// Error for an option whose value is out of range. The program ends with code 2, as for any wrong argument.
#[derive(Debug)]
pub struct WrongArgument(pub String);

impl fmt::Display for WrongArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongArgument {}

/// Returns from the enclosing function with the error [`WrongArgument`]. The arguments are those of `format!`.
macro_rules! wrong_argument {
    ($($message:tt)*) => {
        return Err($crate::terminal::WrongArgument(format!($($message)*)).into())
    };
}
pub(crate) use wrong_argument;

//! Errors in the command line that are found after it was parsed.

use std::fmt;

/// A value of an option that is out of range. The program ends with code 2, as for any wrong argument.
#[derive(Debug)]
pub struct WrongArgument(pub String);

impl fmt::Display for WrongArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongArgument {}

/// Returns a [`WrongArgument`] with a formatted message.
macro_rules! wrong_argument {
    ($($message:tt)*) => {
        return Err($crate::terminal::WrongArgument(format!($($message)*)).into())
    };
}
pub(crate) use wrong_argument;

//! A bundle: a file `NAME.xpb` with a manifest, an operator's signature of it, and the payload that the manifest describes.
//!
//! It begins with [`MAGIC`]. Then come the manifest, the signer's name and the signature in hexadecimal digits, each behind
//! its length in four bytes, most significant first; the rest is the payload.

mod manifest;
mod read;
mod write;

pub use manifest::{Head, Kind, MAX_APP, MAX_IMAGE, Manifest, this_arch};
pub use read::{Reader, payload_fits};
pub use write::{seal, write};

/// A bundle begins with this; the digit is the format's version.
pub const MAGIC: &[u8] = b"xpuck bundle 1\n";
/// Why a robot takes no image.
pub const NO_CARD: &str =
    "an image goes onto a card of `xpuck card flash`, and this robot has none; send a package (--deb)";
/// Longest manifest, bytes.
pub const MAX_MANIFEST: usize = 8192;
/// Longest name of a signer, bytes.
pub const MAX_SIGNER: usize = 32;
/// Digits of a signature.
const SIGNATURE: usize = 128;

/// Why a bundle is refused.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// It does not begin as one.
    #[error("this is no bundle; `xpuck robot update` makes one from a package or an image")]
    NoBundle,
    /// It ends too early.
    #[error("the bundle is truncated: {have} bytes of {what}, {want} are announced; send it again")]
    Truncated {
        /// Of what.
        what: &'static str,
        /// Bytes that are there.
        have: u64,
        /// Bytes that there should be.
        want: u64,
    },
    /// It goes on behind its end.
    #[error("the bundle has more than the {0} bytes of payload that its manifest announces; send it again")]
    Longer(u64),
    /// Nobody signed it.
    #[error("the bundle is not signed; sign it with an operator's key (--key)")]
    Unsigned,
    /// Somebody did who is not among the operators.
    #[error("`{0}` signed the bundle, who is no operator here; enrol them with `xpuck keys enrol`")]
    Stranger(String),
    /// The signature does not fit.
    #[error("the signature of `{0}` does not fit the bundle: its manifest was changed, or signed with another key")]
    Changed(String),
    /// The payload is not what the manifest says.
    #[error("the bundle's payload is not what its manifest says: its SHA-256 differs; send it again")]
    Payload,
    /// What the manifest says makes no sense.
    #[error("the bundle's manifest: {0}")]
    Manifest(String),
    /// A newer release was installed before.
    #[error("release {offered} (counter {counter}) is older than {installed} (counter {floor}); build a newer one")]
    Older {
        /// The version in the bundle.
        offered: String,
        /// Its counter.
        counter: u64,
        /// The version that was good here.
        installed: String,
        /// Its counter.
        floor: u64,
    },
    /// Another release with the same counter was installed before.
    #[error("release {offered} has the counter {counter} of {installed}, which is installed; give it a higher one")]
    SameCounter {
        /// The version in the bundle.
        offered: String,
        /// The counter of both.
        counter: u64,
        /// The version that was good here.
        installed: String,
    },
    /// It is for another board.
    #[error("the bundle is for {offered}, and this board is {board}")]
    Board {
        /// The boards that it is for.
        offered: String,
        /// This one.
        board: String,
    },
    /// It is for another processor.
    #[error("the bundle is for {offered}, and this processor is {arch}")]
    Arch {
        /// Debian's name of the architecture that it is for.
        offered: String,
        /// This one's.
        arch: String,
    },
    /// It cannot be read or written.
    #[error("{0}")]
    Disk(#[from] std::io::Error),
}

//! Bundles of updates. A bundle is a file `NAME.xpb` that contains a manifest, an operator's signature of the manifest,
//! and the payload that the manifest describes.
//!
//! The file begins with [`MAGIC`]. The manifest, the signer's name and the signature (in hexadecimal digits) follow,
//! each preceded by its length (four bytes, big-endian). The remaining bytes are the payload.

mod manifest;
mod read;
mod write;

pub use manifest::{Head, Kind, MAX_APP, MAX_IMAGE, Manifest, this_arch};
pub use read::{Reader, payload_fits};
pub use write::{seal, write};

/// First bytes of a bundle. The digit is the version of the format.
pub const MAGIC: &[u8] = b"xpuck bundle 1\n";
/// Error text of a robot that cannot install an image.
pub const NO_IMAGE_SUPPORT: &str =
    "an image needs a card written by `xpuck card flash`, which this robot does not have; send a package (--deb)";
/// Maximum length of a manifest (bytes).
pub const MAX_MANIFEST: usize = 8192;
/// Maximum length of a signer's name (bytes).
pub const MAX_SIGNER: usize = 32;
/// Number of hexadecimal digits of a signature.
const SIGNATURE: usize = 128;

/// Reason for rejecting a bundle.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The file does not begin with the magic bytes.
    #[error("not a bundle; create a bundle from a package or an image with `xpuck robot update`")]
    NoBundle,
    /// The bundle is truncated.
    #[error("the bundle is truncated: it contains {have} of {want} bytes of {what}; send it again")]
    Truncated {
        /// Name of the truncated part.
        what: &'static str,
        /// Number of bytes present.
        have: u64,
        /// Number of bytes expected.
        want: u64,
    },
    /// The bundle continues after the end of the payload. The field is the size of the payload (bytes).
    #[error("the bundle has more than the {0} bytes of payload that its manifest announces; send it again")]
    Longer(u64),
    /// The bundle is not signed.
    #[error("the bundle is not signed; sign it with an operator's key (--key)")]
    Unsigned,
    /// The signer, whose name is in the field, is not one of the operators.
    #[error("the bundle's signer `{0}` is not an operator here; enrol the signer's key with `xpuck keys enrol`")]
    UnknownSigner(String),
    /// The signature does not match the manifest and the signer's key. The field is the signer's name.
    #[error("the signature of `{0}` is not valid for the bundle: its manifest was changed, or signed with another key")]
    Changed(String),
    /// The payload does not match the manifest.
    #[error("the bundle's payload does not match its manifest: the SHA-256 differs; send it again")]
    Payload,
    /// The manifest is invalid, for the reason in the field.
    #[error("the bundle's manifest is invalid: {0}")]
    Manifest(String),
    /// The bundle's release is older than the installed release.
    #[error(
        "release {offered} (counter {counter}) is older than the installed release {installed} (counter {floor}); build a newer release"
    )]
    Older {
        /// Version in the bundle.
        offered: String,
        /// Counter of the bundle.
        counter: u64,
        /// Version that was healthy on this robot.
        installed: String,
        /// Counter of the version that was healthy on this robot.
        floor: u64,
    },
    /// The bundle's release has the same counter as the installed release, but another version.
    #[error(
        "release {offered} has the counter {counter} of the installed release {installed}; give it a higher counter"
    )]
    SameCounter {
        /// Version in the bundle.
        offered: String,
        /// Counter of both releases.
        counter: u64,
        /// Version that was healthy on this robot.
        installed: String,
    },
    /// The bundle is for another board.
    #[error("the bundle is for {offered}, but this board is {board}")]
    Board {
        /// Boards that the bundle supports.
        offered: String,
        /// Board of this robot.
        board: String,
    },
    /// The bundle is for another processor architecture.
    #[error("the bundle is for {offered}, but this processor is {arch}")]
    Arch {
        /// Debian's name of the bundle's architecture.
        offered: String,
        /// Debian's name of this robot's architecture.
        arch: String,
    },
    /// The bundle cannot be read or written.
    #[error("{0}")]
    Disk(#[from] std::io::Error),
}

//! Creates and writes bundles.

use super::{BundleError, Head, Kind, Manifest, Reader};
use crate::release::Release;
use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use xpuck_wire::keys::Secret;
use xpuck_wire::signed::hex;

/// Reads a payload to its end, describes it in a manifest, and signs the manifest. Returns the head of the bundle.
///
/// # Errors
/// The payload cannot be read, or its manifest is invalid.
pub fn seal(
    kind: Kind,
    boards: &[String],
    arch: &str,
    release: &Release,
    mut payload: impl Read,
    signer: &Secret,
) -> Result<Head, BundleError> {
    let mut digest = Sha256::new();
    let mut size = 0;
    let mut piece = vec![0; 64 * 1024];
    loop {
        let read = match payload.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        digest.update(&piece[..read]);
        size += read as u64;
    }
    let manifest = Manifest {
        kind,
        boards: boards.to_vec(),
        arch: arch.into(),
        version: release.version.clone(),
        counter: release.counter,
        size,
        sha256: hex(&digest.finalize()),
    };
    Head::sign(&manifest, signer)
}

/// Writes a bundle from a head and its payload.
///
/// # Errors
/// Reading or writing fails, or the payload does not match the manifest in the head.
pub fn write(head: &Head, payload: impl Read, mut bundle: impl Write) -> Result<(), BundleError> {
    let manifest = head.unverified_manifest()?;
    bundle.write_all(&head.to_bytes())?;
    Reader { head: head.clone(), rest: payload }.payload(&manifest, |piece| bundle.write_all(piece))?;
    Ok(bundle.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use xpuck_wire::keys::Key;

    fn made() -> (Head, Vec<u8>, BTreeMap<String, Key>) {
        let alice = Secret::generate("alice").unwrap();
        let payload: Vec<u8> = (0..200_000u32).map(|i| (i * i) as u8).collect();
        let release = Release { version: "0.3.0".into(), counter: 30 };
        let head = seal(Kind::App, &["pi5".into()], "arm64", &release, &payload[..], &alice).unwrap();
        let mut bundle = Vec::new();
        write(&head, &payload[..], &mut bundle).unwrap();
        (head, bundle, BTreeMap::from([("alice".into(), alice.public.ed25519)]))
    }

    fn read(bundle: &[u8], operators: &BTreeMap<String, Key>) -> Result<Vec<u8>, String> {
        let read = || {
            let reader = Reader::new(bundle)?;
            let manifest = reader.head.open(operators)?;
            let mut out = Vec::new();
            reader.payload(&manifest, |piece| {
                out.extend(piece);
                Ok(())
            })?;
            Ok::<_, BundleError>(out)
        };
        read().map_err(|error| error.to_string())
    }

    #[test]
    fn bundle_round_trips_and_truncated_bundle_is_rejected() {
        let (head, bundle, operators) = made();
        assert_eq!(read(&bundle, &operators).unwrap().len(), 200_000);
        let cuts = (0..head.to_bytes().len() + 3).chain([100_000, bundle.len() - 1]);
        for cut in cuts {
            let why = read(&bundle[..cut], &operators).unwrap_err();
            let told = if cut == 0 { "not a bundle" } else { "truncated" };
            assert!(why.contains(told) && why.lines().count() == 1, "{cut}: {why}");
        }
        assert!(read(b"!<arch>\ndebian-binary", &operators).unwrap_err().contains("not a bundle"));
    }

    #[test]
    fn changed_byte_anywhere_is_detected() {
        let (head, bundle, operators) = made();
        let places = (0..head.to_bytes().len()).chain([head.to_bytes().len(), 150_000, bundle.len() - 1]);
        for place in places {
            let mut changed = bundle.clone();
            changed[place] ^= 1;
            assert!(read(&changed, &operators).is_err(), "byte {place}");
        }
        let mut longer = bundle.clone();
        longer.push(0);
        assert!(read(&longer, &operators).unwrap_err().contains("more than the 200000 bytes"));
        let mut payload = bundle;
        *payload.last_mut().unwrap() ^= 1;
        assert!(read(&payload, &operators).unwrap_err().contains("SHA-256 differs"));
    }

    #[test]
    fn unsigned_or_forged_bundle_is_rejected() {
        let (head, _, operators) = made();
        let said = |head: &Head| head.open(&operators).unwrap_err().to_string();
        assert!(said(&Head { signature: String::new(), ..head.clone() }).contains("not signed"));
        assert!(
            said(&Head { signer: "mall\nory".into(), ..head.clone() })
                .contains("signer `mall\\nory` is not an operator")
        );
        let raised = head.manifest.replace("counter = 30", "counter = 31");
        assert_ne!(raised, head.manifest);
        assert!(said(&Head { manifest: raised, ..head.clone() }).contains("its manifest was changed"));
        let other = Secret::generate("alice").unwrap();
        let forged = Head::sign(&head.unverified_manifest().unwrap(), &other).unwrap();
        assert!(said(&forged).contains("another key"));
    }

    #[test]
    fn bundle_for_other_board_or_older_release_is_rejected() {
        let manifest = made().0.unverified_manifest().unwrap();
        let floor = |version: &str, counter| Release { version: version.into(), counter };
        let said = |board: &str, arch: &str, floor: Release| {
            manifest.fits(board, arch, &floor).map_err(|error| error.to_string())
        };
        assert_eq!(said("pi5", "arm64", floor("0.2.0", 20)), Ok(()));
        assert_eq!(said("pi5", "arm64", floor("0.3.0", 30)), Ok(()));
        assert!(said("xu4", "arm64", floor("0.2.0", 20)).unwrap_err().contains("for pi5, but this board is xu4"));
        assert!(
            said("pi5", "armhf", floor("0.2.0", 20)).unwrap_err().contains("for arm64, but this processor is armhf")
        );
        assert!(
            said("pi5", "arm64", floor("0.4.0", 31)).unwrap_err().contains("is older than the installed release 0.4.0")
        );
        assert!(said("pi5", "arm64", floor("0.2.9", 30)).unwrap_err().contains("give it a higher counter"));
        let any = Manifest { boards: vec!["any".into()], arch: "any".into(), ..manifest.clone() };
        assert!(any.fits("xu4", "armhf", &floor("0", 0)).is_ok());
    }

    #[test]
    fn invalid_manifest_is_not_signed() {
        let alice = Secret::generate("alice").unwrap();
        let good = made().0.unverified_manifest().unwrap();
        let said = |manifest: Manifest| Head::sign(&manifest, &alice).unwrap_err().to_string();
        assert!(said(Manifest { version: "1 2".into(), ..good.clone() }).contains("version must have"));
        assert!(said(Manifest { size: super::super::MAX_APP + 1, ..good.clone() }).contains("size ="));
        assert!(said(Manifest { size: 0, ..good.clone() }).contains("size = 0"));
        assert!(said(Manifest { sha256: "A".repeat(64), ..good.clone() }).contains("sha256"));
        assert!(said(Manifest { boards: vec![], ..good.clone() }).contains("boards"));
        assert!(said(Manifest { arch: "../x".into(), ..good.clone() }).contains("arch"));
        let image = Manifest { kind: Kind::Image, size: super::super::MAX_IMAGE, ..good };
        assert!(Head::sign(&image, &alice).is_ok());
    }
}

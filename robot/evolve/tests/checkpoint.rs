//! Tests that checkpoints are either restored exactly or rejected.

use xpuck_evolve::checkpoint::{CheckpointError, FORMAT, fingerprint, from_bytes, to_bytes};
use xpuck_evolve::{Algorithm, Island, PrimitiveSet, Settings};

fn state() -> (u32, Vec<Island>) {
    let settings = Settings { population: 12, immigrants: 4, ..Settings::for_algorithm(Algorithm::PooledSamples) };
    (7, (0..2).map(|i| Island::new(settings.clone(), PrimitiveSet::in_swarm(), i, 3)).collect())
}

#[test]
fn restored_islands_evolve_like_originals() {
    let bytes = to_bytes(&state(), 5);
    let (number, mut islands): (u32, Vec<Island>) = from_bytes(&bytes, 5).unwrap();
    assert_eq!(number, 7);
    let mut original = state().1;
    for generation in 0..6 {
        for (a, b) in islands.iter_mut().zip(&mut original) {
            assert_eq!((a.population(), a.trials()), (b.population(), b.trials()));
            let results: Vec<f32> = a.trials().iter().map(|t| (t.world % (7 + generation)) as f32).collect();
            a.record(&results);
            b.record(&results);
            let emigrant = b.emigrant();
            a.advance(std::slice::from_ref(&emigrant));
            b.advance(&[emigrant]);
        }
    }
}

#[test]
fn truncated_extended_or_changed_checkpoint_is_rejected() {
    let bytes = to_bytes(&state(), 5);
    let refusal = |bytes: &[u8]| from_bytes::<(u32, Vec<Island>)>(bytes, 5).map(|_| ()).unwrap_err();
    for length in 0..bytes.len() {
        assert!(matches!(refusal(&bytes[..length]), CheckpointError::Length { .. }), "cut at {length}");
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        let expected = match at {
            0..8 => CheckpointError::Foreign,
            8..12 => CheckpointError::Format(FORMAT ^ 1 << (8 * (at - 8) + at % 8)),
            16..24 => continue,
            _ => CheckpointError::Corrupt,
        };
        assert_eq!(refusal(&changed), expected, "bit of byte {at}");
    }
    for at in 16..24 {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(matches!(refusal(&changed), CheckpointError::Length { .. }));
    }
    assert!(matches!(refusal(&[bytes.as_slice(), b"x"].concat()), CheckpointError::Length { .. }));
}

#[test]
fn another_configuration_or_another_kind_of_state_is_refused() {
    let bytes = to_bytes(&state(), 5);
    assert_eq!(from_bytes::<(u32, Vec<Island>)>(&bytes, 6).unwrap_err(), CheckpointError::Configuration);
    assert_eq!(from_bytes::<u32>(&bytes, 5).unwrap_err(), CheckpointError::State);
    assert_eq!(from_bytes::<String>(&to_bytes(&[9u8; 3], 5), 5).unwrap_err(), CheckpointError::State);
    let mut older = bytes.clone();
    older[8..12].copy_from_slice(&1u32.to_le_bytes());
    let refusal = from_bytes::<(u32, Vec<Island>)>(&older, 6).unwrap_err();
    let line = "has format 1, but this program reads format 6; resume with the version that wrote it";
    assert_eq!(refusal.to_string(), line, "the format is said first: whatever else differs goes with it");
    assert_ne!(fingerprint(["a", "bc"]), fingerprint(["ab", "c"]));
    assert_eq!(fingerprint(["a", "bc"]), fingerprint(["a", "bc"]));
}

#[test]
fn state_layout_matches_format_number() {
    let bytes = to_bytes(&state(), 5);
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3));
    // If this hash changes but the golden hashes of the generations (`tests/island.rs`) do not, the layout of a state
    // has changed. Then increase `FORMAT`.
    assert_eq!(hash, GOLDEN, "{hash:#018x}");
}

const GOLDEN: u64 = 0x5ff7_73d3_678c_34fc;

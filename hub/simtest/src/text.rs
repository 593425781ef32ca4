//! Texts for a simulated run: signed experiments, and the forged experiments and genes of an attacker.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use xpuck_kernels::random::Draws;
use xpuck_wire::keys::Secret;
use xpuck_wire::message::Emigrant;
use xpuck_wire::signed::{Signed, Trust};

/// Secret keys of the trusted operator and of an attacker with the same name. Each process generates new keys. The
/// checks and hashes of a run do not depend on the keys.
static SIGNERS: LazyLock<[Secret; 2]> = LazyLock::new(|| {
    [0; 2].map(|_| Secret::generate("operator").expect("libzmq has CURVE and the system random numbers"))
});

/// Tree of all robots in a run without evolution. With this tree, a robot always drives.
pub const CONTROLLER: &str = "movcv v_goal 0deg";

/// Returns the signers whose experiments the hub and the robots accept.
pub fn trust() -> Trust {
    Trust::Operators(BTreeMap::from([("operator".into(), SIGNERS[0].public.ed25519)]))
}

fn sign(text: String, signer: &Secret) -> Signed {
    Signed::new(text, BTreeMap::new(), Some(signer)).expect("the experiments here are sound")
}

/// Returns an experiment signed by the operator. Its duration is `seconds` (s), and the duration of its segments is
/// `segment` (s). Without phases, the robots either evolve or run [`CONTROLLER`]. With phases, the robots evolve, rest,
/// and are then measured. During the measurement, two robots run [`CONTROLLER`], and all others run the swarm's fittest
/// tree.
pub fn experiment(seconds: f64, segment: f64, evolves: bool, phased: bool, alone: HubLossBehaviour) -> Signed {
    let text = if phased { phases(seconds, segment) } else { text(seconds, segment, evolves) };
    sign(alone.text() + &text, &SIGNERS[0])
}

/// Signs the text of an experiment with the operator's key.
pub fn signed(text: String) -> Signed {
    sign(text, &SIGNERS[0])
}

/// Keys of an experiment for operation without the hub: gene exchange between robots, and behaviour after the hub has
/// fallen silent.
#[derive(Clone, Copy, Debug, Default)]
pub struct HubLossBehaviour {
    /// Whether robots exchange genes directly, without the hub.
    peers: bool,
    /// Value of the experiment's key `silence.then`; `None` if the key is absent.
    then: Option<&'static str>,
}

impl HubLossBehaviour {
    /// Derives the behaviour from the seed of a run. In half of the runs, robots exchange genes directly. In two thirds
    /// of the runs, robots continue without a hub.
    pub fn from_seed(seed: u64) -> HubLossBehaviour {
        HubLossBehaviour {
            peers: seed / 2 % 2 == 1,
            then: [None, Some("evolve"), Some("drive")][(seed / 4 % 3) as usize],
        }
    }

    fn text(self) -> String {
        let genes = if self.peers { "genes = \"peers\"\n" } else { "" };
        let then = self.then.map(|then| format!("silence = {{ then = \"{then}\" }}\n")).unwrap_or_default();
        format!("{genes}{then}")
    }
}

fn text(seconds: f64, segment: f64, evolves: bool) -> String {
    let (minutes, segment) = (seconds / 60.0, segment / 60.0);
    let controller = if evolves { String::new() } else { format!("controller = \"{CONTROLLER}\"\n") };
    format!(
        "name = \"simtest\"\nminutes = {minutes}\nsegment_minutes = {segment}\ntask = \"transport\"\n{controller}\
         [evolution]\npopulation = 8\ntrial_seconds = 1.0\n[migration]\nreceive = 4\nkeep = 4\n"
    )
}

fn phases(seconds: f64, segment: f64) -> String {
    let [evolve, rest, measure] = [0.6, 0.2, 0.2].map(|part| seconds * part / 60.0);
    let segment = (segment / 60.0).min(measure);
    format!(
        "name = \"simtest\"\ntask = \"transport\"\n\
         [evolution]\npopulation = 8\ntrial_seconds = 1.0\n[migration]\nreceive = 4\nkeep = 4\n\
         [[phase]]\nminutes = {evolve}\nsegment_minutes = {segment}\nuntil = {{ generations = 8 }}\n\
         [[phase]]\nkind = \"rest\"\nminutes = {rest}\n\
         [[phase]]\nkind = \"measure\"\nminutes = {measure}\nsegment_minutes = {segment}\ndrive = \"swarm\"\n\
         controllers = [{{ tree = \"{CONTROLLER}\", robots = 2 }}]\n"
    )
}

/// Returns an invalid experiment: signed by an attacker, unsigned, or changed after signing. Robots that accepted the
/// experiment would drive.
pub fn invalid_experiment(draws: &mut Draws) -> Signed {
    let other = text(10.0, 2.0, false).replace(CONTROLLER, "movcv v_goal 90deg");
    let signed = experiment(10.0, 2.0, false, false, HubLossBehaviour::default());
    match draws.below(4) {
        0 => sign(other, &SIGNERS[1]),
        1 => Signed { signature: String::new(), signer: String::new(), ..sign(other, &SIGNERS[1]) },
        2 => Signed { manifest: sign(other, &SIGNERS[1]).manifest, ..signed },
        _ => Signed { manifest: signed.manifest[..signed.manifest.len() / 2].into(), ..signed },
    }
}

/// Returns an invalid gene: its tree is invalid or too large, or its samples are impossible. In a gene with impossible
/// samples, the tree drives in every situation, so that a robot that runs the tree is detected.
pub fn invalid_gene(draws: &mut Draws) -> Emigrant {
    let sound = "movcv v_goal 45deg".to_string();
    let (tree, count, sum) = match draws.below(4) {
        0 => ("mulav v_gaol v_zero 3 v_blue".to_string(), [4, 4], [4.0, 4.0]),
        1 => (format!("seq\n{}", "  avoiding\n".repeat(500)), [4, 4], [4.0, 4.0]),
        2 => (sound, [0, 0], [4.0, 4.0]),
        _ => (sound, [4, 4], [f64::NAN, 4.0]),
    };
    let island = 1 + draws.below(9) as u16;
    Emigrant { island, number: 1_000_000 + draws.below(1000), epoch: 0, tree, count, sum, square: sum }
}

//! SQLite cache of evaluations. With the cache, an interrupted step can be repeated without new simulations.

use crate::scenario::Kind;
use rusqlite::{Connection, OptionalExtension, params};
use std::path::Path;
use std::time::Duration;
use xpuck_automata::automaton::{MAX_STATES, Usage};
use xpuck_automata::cargo::{COUNTED_SCRIPTS, ControllerScores, Trials};
use xpuck_kernels::hash::fnv1a;

/// Format version of the cache file. A file with another version is cleared.
const FORMAT: i64 = 1;
/// Maximum number of starts of a step, and maximum number of runs from each start.
const MOST: usize = 64;

/// Cache of evaluations. The key of an entry consists of the trials and the controller.
pub struct Cache {
    database: Connection,
}

impl Cache {
    /// Opens or creates a cache file.
    ///
    /// # Errors
    /// Any SQLite error.
    pub fn open(path: &Path) -> rusqlite::Result<Cache> {
        let database = Connection::open(path)?;
        database.busy_timeout(Duration::from_secs(5))?;
        let format: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if format != FORMAT {
            database.execute_batch("DROP TABLE IF EXISTS tried")?;
            database.pragma_update(None, "user_version", FORMAT)?;
        }
        // Entries that are lost at a power failure are simulated again.
        database.pragma_update(None, "synchronous", "OFF")?;
        database.execute_batch(
            "CREATE TABLE IF NOT EXISTS tried (trials INTEGER, controller TEXT, result BLOB, PRIMARY KEY (trials, controller))
             WITHOUT ROWID",
        )?;
        Ok(Cache { database })
    }

    /// Evaluates controllers: takes results from the cache, and calls `evaluate` for all others. The results are in
    /// input order.
    ///
    /// # Errors
    /// Any SQLite error.
    pub fn tried<S: Kind>(
        &mut self,
        controllers: &[S::Controller],
        trials: &Trials,
        evaluate: impl FnOnce(&[S::Controller], &Trials) -> Vec<ControllerScores>,
    ) -> rusqlite::Result<Vec<ControllerScores>> {
        // The key contains the program version, because a release may change the simulated world.
        let key = fnv1a(format!("{} {trials:?}", env!("CARGO_PKG_VERSION")).bytes()) as i64;
        let text = |controller| S::arbitration(controller).text();
        let transaction = self.database.transaction()?;
        let mut known = Vec::with_capacity(controllers.len());
        {
            let mut look =
                transaction.prepare_cached("SELECT result FROM tried WHERE trials = ? AND controller = ?")?;
            for controller in controllers {
                let bytes: Option<Vec<u8>> =
                    look.query_row(params![key, text(controller)], |row| row.get(0)).optional()?;
                known.push(bytes.and_then(|bytes| from_bytes(&bytes, trials)));
            }
        }
        let new: Vec<S::Controller> =
            controllers.iter().zip(&known).filter(|(_, known)| known.is_none()).map(|(one, _)| one.clone()).collect();
        let mut tried = if new.is_empty() { Vec::new() } else { evaluate(&new, trials) }.into_iter();
        {
            let mut keep = transaction.prepare_cached("INSERT OR REPLACE INTO tried VALUES (?, ?, ?)")?;
            for (slot, controller) in known.iter_mut().zip(controllers).filter(|(slot, _)| slot.is_none()) {
                *slot = tried.next();
                if let Some(tried) = slot {
                    keep.execute(params![key, text(controller), to_bytes(tried)])?;
                }
            }
        }
        transaction.commit()?;
        Ok(known.into_iter().flatten().collect())
    }
}

fn to_bytes(tried: &ControllerScores) -> Vec<u8> {
    let mut bytes = Vec::new();
    for score in tried.scores.iter().flatten() {
        bytes.extend(score.to_le_bytes());
    }
    for usage in &tried.usages {
        let bits = [usage.states].into_iter().chain(usage.incoming).chain(usage.outgoing);
        bytes.extend(bits.flat_map(u16::to_le_bytes));
    }
    bytes.extend(tried.scripts.iter().flat_map(|count| count.to_le_bytes()));
    let sum = fnv1a(bytes.iter().copied());
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Decodes an entry; `None` if the entry is damaged.
fn from_bytes(bytes: &[u8], trials: &Trials) -> Option<ControllerScores> {
    if trials.starts > MOST || trials.repeats as usize > MOST {
        return None;
    }
    let (mut rest, sum) = bytes.split_last_chunk()?;
    if fnv1a(rest.iter().copied()) != u64::from_le_bytes(*sum) {
        return None;
    }
    fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Option<&'a [u8; N]> {
        let (first, others) = rest.split_first_chunk()?;
        *rest = others;
        Some(first)
    }
    let mut scores = vec![vec![0.0; trials.repeats as usize]; trials.starts];
    for score in scores.iter_mut().flatten() {
        *score = f64::from_le_bytes(*take(&mut rest)?);
    }
    let mut usages = [Usage::default(); 4];
    for usage in &mut usages {
        usage.states = u16::from_le_bytes(*take(&mut rest)?);
        for place in 0..MAX_STATES {
            usage.incoming[place] = u16::from_le_bytes(*take(&mut rest)?);
        }
        for place in 0..MAX_STATES {
            usage.outgoing[place] = u16::from_le_bytes(*take(&mut rest)?);
        }
    }
    let mut scripts = [0; COUNTED_SCRIPTS];
    for count in &mut scripts {
        *count = u32::from_le_bytes(*take(&mut rest)?);
    }
    rest.is_empty().then_some(ControllerScores { scores, usages, scripts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automata::AutomataSpecies;
    use xpuck_automata::cargo::{
        ControllerAutomata, PreparedScene, Weights, evaluate_all, hand_made_automata, published_scene,
    };

    #[test]
    fn reopened_cache_hits_and_damaged_entry_is_reevaluated() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c");
        let world = PreparedScene::new(published_scene()).unwrap();
        let weights = Weights { distance: 1.0, ..Weights::default() };
        let trials =
            Trials { world: &world, weights: &weights, starts: 2, repeats: 2, time: 4000, seed: 3, checkpoints: &[] };
        let controllers = [hand_made_automata(), ControllerAutomata::default()];
        let first = Cache::open(&path).unwrap().tried::<AutomataSpecies>(&controllers, &trials, evaluate_all).unwrap();
        let mut cache = Cache::open(&path).unwrap();
        let never = |_: &[ControllerAutomata], _: &Trials| -> Vec<ControllerScores> { panic!("it is known") };
        let again = cache.tried::<AutomataSpecies>(&controllers, &trials, never).unwrap();
        assert_eq!(format!("{first:?}"), format!("{again:?}"));
        cache.database.execute("UPDATE tried SET result = x'00'", []).unwrap();
        let counted = |new: &[ControllerAutomata], trials: &Trials| {
            assert_eq!(new.len(), 2);
            evaluate_all(new, trials)
        };
        assert_eq!(
            format!("{:?}", cache.tried::<AutomataSpecies>(&controllers, &trials, counted).unwrap()),
            format!("{first:?}")
        );
        let other = Trials { seed: 4, ..trials };
        cache.tried::<AutomataSpecies>(&controllers, &other, counted).unwrap();
    }
}

//! An algorithm's numbers where other keys of the same file say some of them: in evolution files and experiments.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use toml::{Table, Value};
use xpuck_evolve::{Algorithm, Settings};
use xpuck_wire::Migration;

/// Settings that other keys say, and which key that is.
pub const SAID_ELSEWHERE: [(&str, &str); 3] =
    [("algorithm", "algorithm"), ("immigrants", "migration.receive"), ("exchange_every", "migration.every")];

/// The algorithms' settings, none of which has to be there, without those that other keys say.
pub fn schema(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = Settings::json_schema(generator);
    schema.remove("required");
    if let Some(properties) = schema.get_mut("properties").and_then(|properties| properties.as_object_mut()) {
        SAID_ELSEWHERE.iter().for_each(|(key, _)| drop(properties.remove(*key)));
    }
    schema
}

/// The algorithm's settings with those that are given, and the numbers that migration says.
///
/// # Errors
/// One line with the key and what is right.
pub fn effective(algorithm: Algorithm, mut given: Table, migration: &Migration) -> Result<Settings, String> {
    for (key, instead) in SAID_ELSEWHERE {
        if given.contains_key(key) {
            return Err(format!("settings.{key} is said by `{instead}`; set that"));
        }
    }
    // The algorithm's own number may be too many for the population that is given.
    given.insert("immigrants".into(), Value::Integer(0));
    let settings = Settings::read(algorithm, &given).map_err(|error| error.to_string())?;
    // Never more than half of the population.
    let immigrants = migration.receive.min(settings.population / 2);
    Ok(Settings { immigrants, exchange_every: migration.every, ..settings })
}

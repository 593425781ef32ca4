//! Settings of an algorithm in evolution files and experiment files. Other keys of the same file determine some of the
//! settings.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use toml::{Table, Value};
use xpuck_evolve::{Algorithm, Migration, Settings};

/// Settings that other keys of the file determine. Each pair contains the name of the setting and the name of the key.
pub const DERIVED_SETTINGS: [(&str, &str); 3] =
    [("algorithm", "algorithm"), ("immigrants", "migration.receive"), ("exchange_every", "migration.every")];

/// Returns the schema of the algorithms' settings, which are all optional. It omits the settings that other keys
/// determine.
pub fn schema(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = Settings::json_schema(generator);
    schema.remove("required");
    if let Some(properties) = schema.get_mut("properties").and_then(|properties| properties.as_object_mut()) {
        DERIVED_SETTINGS.iter().for_each(|(key, _)| drop(properties.remove(*key)));
    }
    schema
}

/// Returns the algorithm's settings with the given values and the values that `migration` determines.
///
/// # Errors
/// One line with the key and the valid values.
pub fn effective(algorithm: Algorithm, mut given: Table, migration: &Migration) -> Result<Settings, String> {
    for (key, instead) in DERIVED_SETTINGS {
        if given.contains_key(key) {
            return Err(format!("settings.{key}: set `{instead}` instead"));
        }
    }
    // The algorithm's default number of immigrants may be too large for the given population. Zero is always valid. The
    // actual number replaces zero below.
    given.insert("immigrants".into(), Value::Integer(0));
    let settings = Settings::read(algorithm, &given).map_err(|error| error.to_string())?;
    // The number of immigrants is at most half of the population.
    let immigrants = migration.receive.min(settings.population / 2);
    Ok(Settings { immigrants, exchange_every: migration.every, ..settings })
}

//! Births of a generation in the format of a record: one column per value, with the births sorted by individual
//! number. Columns take a third of the space of rows. Records of earlier versions contain rows, which are still read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_wire::message::{Birth, Operator};
use xpuck_wire::telemetry::rounded;

/// Number of decimal places of a recorded fitness. The resulting resolution is a hundredth of the random error of a
/// fitness that is measured in a single trial.
const PLACES: i32 = 4;

/// Births of a generation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "Columns", try_from = "BirthsFormat")]
pub struct Births {
    /// Individuals that were born.
    pub rows: Vec<Birth>,
    /// Number of births that were omitted because the robot exceeded its recording allowance ([`crate::allowance`]).
    pub left_out: u32,
}

/// Births as columns, one list per value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Columns {
    /// Numbers of the individuals, in ascending order. They are unique on the individuals' island.
    numbers: Vec<u32>,
    /// Origins of the individuals, separated by blanks. `r` means drawn at random, and `u` means unknown. `m2:17` is
    /// a mutant of individual 17 of island 2. `c2:17+3:4` is a crossover of individual 17 of island 2 and individual
    /// 4 of island 3. If both parents are the same individual, it is written once.
    origins: String,
    /// Mean fitness of each individual's samples in its first generation, to four decimal places. NaN and infinity
    /// are written as null.
    fitness: Vec<Option<f32>>,
    /// Number of omitted births. Births with the lowest fitness are omitted first.
    left_out: u32,
}

/// Formats of births that records may contain: columns, or the rows of earlier versions.
#[derive(Deserialize)]
#[serde(untagged)]
enum BirthsFormat {
    Columns(Columns),
    Rows(Vec<Birth>),
}

impl JsonSchema for Births {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        Columns::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Columns::json_schema(generator)
    }
}

impl From<Births> for Columns {
    fn from(Births { mut rows, left_out }: Births) -> Columns {
        rows.sort_by_key(|birth| birth.number);
        let origins: Vec<String> = rows.iter().map(origin).collect();
        let brief = |fitness: f32| fitness.is_finite().then_some(rounded(fitness, PLACES));
        Columns {
            numbers: rows.iter().map(|birth| birth.number).collect(),
            origins: origins.join(" "),
            fitness: rows.iter().map(|birth| brief(birth.fitness)).collect(),
            left_out,
        }
    }
}

impl TryFrom<BirthsFormat> for Births {
    type Error = String;

    fn try_from(told: BirthsFormat) -> Result<Births, String> {
        let Columns { numbers, origins, fitness, left_out } = match told {
            BirthsFormat::Columns(columns) => columns,
            BirthsFormat::Rows(rows) => return Ok(Births { rows, left_out: 0 }),
        };
        let origins: Vec<&str> = origins.split_ascii_whitespace().collect();
        if numbers.len() != origins.len() || numbers.len() != fitness.len() {
            let lengths = format!("{}, {} and {}", numbers.len(), origins.len(), fitness.len());
            return Err(format!(
                "births: the counts of numbers, origins and fitnesses are {lengths}, but must be equal"
            ));
        }
        let rows = numbers.into_iter().zip(origins).zip(fitness).map(|((number, origin), fitness)| {
            let (operator, parents) =
                parse(origin).ok_or_else(|| format!("births: `{origin}` is not a valid origin"))?;
            Ok(Birth { number, parents, fitness: fitness.unwrap_or(f32::NAN), operator })
        });
        Ok(Births { rows: rows.collect::<Result<_, String>>()?, left_out })
    }
}

fn origin(birth: &Birth) -> String {
    let letter = match birth.operator {
        Operator::Unknown => "u",
        Operator::Random => "r",
        Operator::Crossover => "c",
        Operator::Mutation => "m",
    };
    let parents: Vec<String> = match &birth.parents[..] {
        [mother, father] if mother == father => vec![named(mother)],
        parents => parents.iter().map(named).collect(),
    };
    letter.to_string() + &parents.join("+")
}

fn named((island, number): &(u16, u32)) -> String {
    format!("{island}:{number}")
}

fn parse(origin: &str) -> Option<(Operator, Vec<(u16, u32)>)> {
    let operator = match origin.get(..1)? {
        "u" => Operator::Unknown,
        "r" => Operator::Random,
        "c" => Operator::Crossover,
        "m" => Operator::Mutation,
        _ => return None,
    };
    let named = |text: &str| {
        let (island, number) = text.split_once(':')?;
        Some((island.parse().ok()?, number.parse().ok()?))
    };
    let told = origin[1..].split('+').filter(|text| !text.is_empty());
    let mut parents: Vec<(u16, u32)> = told.map(named).collect::<Option<_>>()?;
    match parents[..] {
        [both] => parents.push(both),
        [] | [_, _] => {}
        _ => return None,
    }
    Some((operator, parents))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn birth(number: u32, parents: &[(u16, u32)], fitness: f32, operator: Operator) -> Birth {
        Birth { number, parents: parents.into(), fitness, operator }
    }

    #[test]
    fn births_are_columns_in_a_record_and_rows_again_when_read() {
        let rows = vec![
            birth(3, &[], 0.5, Operator::Random),
            birth(7, &[(2, 17), (2, 17)], -0.0625, Operator::Mutation),
            birth(9, &[(2, 17), (3, 4)], 0.12344, Operator::Crossover),
            birth(12, &[], 0.0, Operator::Unknown),
        ];
        let births = Births { rows: rows.iter().rev().cloned().collect(), left_out: 3 };
        let text = serde_json::to_string(&births).unwrap();
        assert_eq!(
            text,
            "{\"numbers\":[3,7,9,12],\"origins\":\"r m2:17 c2:17+3:4 u\",\"fitness\":[0.5,-0.0625,0.1234,0.0],\
             \"left_out\":3}"
        );
        let mut read: Births = serde_json::from_str(&text).unwrap();
        assert_eq!(read.rows[2].fitness, 0.1234);
        read.rows[2].fitness = 0.12344;
        assert_eq!((read.rows, read.left_out), (rows.clone(), 3));
        // Records of earlier versions contain rows.
        let old: Births = serde_json::from_str(&serde_json::to_string(&rows).unwrap()).unwrap();
        assert_eq!(old, Births { rows, left_out: 0 });
    }

    #[test]
    fn nan_round_trips_and_bad_origins_are_rejected() {
        let odd = Births { rows: vec![birth(1, &[], f32::NAN, Operator::Random)], left_out: 0 };
        let text = serde_json::to_string(&odd).unwrap();
        assert!(serde_json::from_str::<Births>(&text).unwrap().rows[0].fitness.is_nan(), "{text}");
        for bad in ["m2", "x1:2", "c1:2+1:3+1:4", "m70000:1", "é"] {
            let text = format!("{{\"numbers\":[1],\"origins\":\"{bad}\",\"fitness\":[0.5],\"left_out\":0}}");
            assert!(serde_json::from_str::<Births>(&text).is_err(), "{bad}");
        }
        assert!(
            serde_json::from_str::<Births>("{\"numbers\":[1],\"origins\":\"\",\"fitness\":[],\"left_out\":0}").is_err()
        );
    }
}

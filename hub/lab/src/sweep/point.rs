//! Points of a sweep: settings to compare. Each point consists of the sweep's common settings, called the base, with
//! some changed values.

use std::collections::BTreeSet;
use toml::{Table, Value};
use xpuck_wire::escape;

/// Maximum length of a label (characters).
const MAX_LABEL: usize = 80;

/// One combination of settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Label in legends and tables.
    pub label: String,
    /// Differences from the base: dotted keys with their values.
    pub values: Vec<(String, Value)>,
    /// Content of the evolution file: the base with the values of this point.
    pub content: Table,
}

/// Returns all combinations of a grid's lists. Keys are in alphabetical order, and the last key varies fastest.
///
/// # Errors
/// If a list is invalid, or there are more than `most` combinations. The message contains the key and its valid
/// values.
pub fn of_grid(base: &Table, grid: &Table, most: usize) -> Result<Vec<Point>, String> {
    let mut lists: Vec<(String, &[Value])> = Vec::new();
    for (key, value) in flatten(grid) {
        match value {
            Value::Array(list) if !list.is_empty() => lists.push((key, list)),
            _ => return Err(format!("grid: {key} = {value}: must be a list of at least one value")),
        }
    }
    if lists.is_empty() {
        return Err("[grid] is empty; add keys of the evolution file with lists of values".into());
    }
    let combinations = lists.iter().fold(1usize, |product, (_, list)| product.saturating_mul(list.len()));
    if combinations > most {
        return Err(format!("[grid] has {combinations} combinations; at most {most} are allowed"));
    }
    let point = |number: usize| {
        let mut rest = number;
        let mut values: Vec<(String, Value)> = Vec::new();
        for (key, list) in lists.iter().rev() {
            values.push((key.clone(), list[rest % list.len()].clone()));
            rest /= list.len();
        }
        values.reverse();
        (None, values)
    };
    points(base, (0..combinations).map(point))
}

/// Returns the points listed as `[[points]]`.
///
/// # Errors
/// If a point is invalid. The message contains the point, the key, and its valid values.
pub fn of_list(base: &Table, list: Vec<Table>) -> Result<Vec<Point>, String> {
    if list.is_empty() {
        return Err("the sweep has no points; add at least one [[points]]".into());
    }
    let mut given = Vec::new();
    for (i, mut table) in (1..).zip(list) {
        let label = match table.remove("label") {
            None => None,
            Some(Value::String(label))
                if (1..=MAX_LABEL).contains(&label.chars().count()) && escape(&label) == label =>
            {
                Some(label)
            }
            Some(other) => {
                return Err(format!(
                    "point {i}: label = {other}: must be one line of 1 to {MAX_LABEL} visible characters"
                ));
            }
        };
        given.push((label, flatten(&table).into_iter().map(|(key, value)| (key, value.clone())).collect()));
    }
    points(base, given.into_iter())
}

fn points(
    base: &Table,
    given: impl Iterator<Item = (Option<String>, Vec<(String, Value)>)>,
) -> Result<Vec<Point>, String> {
    let mut labels = BTreeSet::new();
    let mut points = Vec::new();
    for (i, (label, values)) in (1..).zip(given) {
        let mut content = base.clone();
        for (key, value) in &values {
            set(&mut content, key, value.clone()).map_err(|message| format!("point {i}: {message}"))?;
        }
        if content.contains_key("seed") {
            return Err("seed: is set by `seeds`; remove it from base, grid and points".into());
        }
        let label = label.unwrap_or_else(|| self::label(&values));
        if !labels.insert(label.clone()) {
            return Err(format!("point {i}: duplicate label `{label}`; give each point its own label"));
        }
        points.push(Point { label, values, content });
    }
    Ok(points)
}

/// Returns the default label of a point: the last part of each key with its value.
fn label(values: &[(String, Value)]) -> String {
    let part = |(key, value): &(String, Value)| {
        let name = key.rsplit('.').next().unwrap_or(key);
        match value {
            Value::String(text) => format!("{name} {text}"),
            other => format!("{name} {other}"),
        }
    };
    let label = values.iter().map(part).collect::<Vec<_>>().join(", ");
    if label.is_empty() { "base".into() } else { label.chars().take(MAX_LABEL).collect() }
}

/// Returns the values of a table and its nested tables, each with its dotted key.
fn flatten(table: &Table) -> Vec<(String, &Value)> {
    let mut flat = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                flat.extend(flatten(inner).into_iter().map(|(rest, value)| (format!("{key}.{rest}"), value)));
            }
            _ => flat.push((key.clone(), value)),
        }
    }
    flat
}

/// Sets a dotted key, and creates missing tables on the key's path.
fn set(table: &mut Table, key: &str, value: Value) -> Result<(), String> {
    match key.split_once('.') {
        None => {
            table.insert(key.into(), value);
            Ok(())
        }
        Some((first, rest)) => match table.entry(first).or_insert_with(|| Value::Table(Table::new())) {
            Value::Table(inner) => set(inner, rest, value),
            _ => Err(format!("{key}: `{first}` is a value in the base, so it cannot have keys")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> Table {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn grid_has_all_combinations_and_keeps_base() {
        let base = table("islands = 3\n[settings]\nelite = 0.5\ndepth = 4\n");
        let grid = table("\"settings.elite\" = [0.1, 0.25]\nalgorithm = [\"default\", \"classic\"]\n");
        let points = of_grid(&base, &grid, 100).unwrap();
        let labels: Vec<&str> = points.iter().map(|p| p.label.as_str()).collect();
        let expected = ["default, elite 0.1", "default, elite 0.25", "classic, elite 0.1", "classic, elite 0.25"];
        assert_eq!(labels, expected.map(|l| format!("algorithm {l}")));
        let last = table("algorithm = \"classic\"\nislands = 3\n[settings]\ndepth = 4\nelite = 0.25\n");
        assert_eq!(points[3].content, last);
        assert_eq!(points[3].values[1], ("settings.elite".into(), Value::Float(0.25)));
        // Nested tables are equivalent to dotted keys.
        let nested = table("algorithm = [\"default\", \"classic\"]\nsettings.elite = [0.1, 0.25]\n");
        assert_eq!(of_grid(&base, &nested, 100).unwrap(), points);
    }

    #[test]
    fn listed_points_have_labels_of_their_own() {
        let base = table("[settings]\ndepth = 4\n");
        let list = vec![table(""), table("label = \"deep\"\nsettings.depth = 6\n"), table("\"settings.depth\" = 2\n")];
        let points = of_list(&base, list).unwrap();
        assert_eq!(points.iter().map(|p| p.label.as_str()).collect::<Vec<_>>(), ["base", "deep", "depth 2"]);
        assert_eq!(points[0].content, base);
        assert_eq!(points[1].content, table("[settings]\ndepth = 6\n"));
    }

    #[test]
    fn refusals_name_the_key() {
        let (base, empty) = (table("islands = 2\n"), Table::new());
        let grid = |text: &str| of_grid(&base, &table(text), 50).unwrap_err();
        assert!(grid("").contains("[grid] is empty"));
        assert!(grid("islands = []").contains("islands = []: must be a list"));
        assert!(grid("islands = 2").contains("islands = 2: must be a list"));
        assert!(grid("seed = [1, 2]").contains("seed: is set by `seeds`"));
        assert!(grid("\"islands.x\" = [1]").contains("`islands` is a value"));
        assert!(grid("islands = [2, 2]").contains("duplicate label `islands 2`"));
        let many: Vec<String> = (0..7).map(|i| format!("k{i} = [1, 2]\n")).collect();
        assert!(grid(&many.concat()).contains("128 combinations; at most 50"));
        assert!(of_list(&empty, vec![]).unwrap_err().contains("no points"));
        assert!(of_list(&empty, vec![table("label = \"a\\nb\"")]).unwrap_err().contains("must be one line"));
        assert!(of_list(&empty, vec![table("label = 3")]).unwrap_err().contains("point 1: label = 3"));
    }
}

//! Textual notation of operands (registers, angles and numbers), shared by all textual forms of trees.

use super::entries::{self, ENTRIES, Entry};
use super::network::{self, MAX_NEURONS};
use super::nodes::{Operand, OperandSpec};
use super::registers::{self, RegisterMap};

/// Size of one step of an angle, pi/128 (degrees).
const DEGREES: f64 = 1.40625;

/// Options for reading operands. `map` is the register map for operands of the form `[index]`. If `exact` is true,
/// angles in degrees keep their written value. Otherwise they are rounded to steps of pi/128.
#[derive(Clone, Copy)]
pub(super) struct OperandFormat {
    pub map: RegisterMap,
    pub exact: bool,
}

impl OperandFormat {
    /// Reads an operand from its textual notation. The error states the problem and suggests a correction.
    pub(super) fn read(self, word: &str, spec: &OperandSpec) -> Result<f32, String> {
        if let (Operand::Source, Some(source)) = (spec.operand, neuron_of(word)) {
            return source.map(f32::from);
        }
        if spec.operand.is_register() {
            return self.register(word, spec.operand.is_vector());
        }
        if spec.operand.is_entry() {
            return entry(word, spec);
        }
        let (low, high) = spec.operand.range();
        let bad = |why: String| format!("operand {}: `{}` {why}", spec.name, shorten(word));
        if let (true, Some(degrees)) = (is_angular(spec.operand), word.strip_suffix("deg")) {
            let degrees: f64 = degrees.parse().map_err(|_| bad("is not a valid number of degrees".into()))?;
            let steps = degrees * 128.0 / 180.0;
            let steps = if self.exact { steps } else { steps.round() };
            // 180 degrees is the same angle as -180 degrees, and the range of steps contains only -180 degrees.
            let steps = if spec.operand == Operand::Angle && steps == 128.0 { -128.0 } else { steps };
            if !(f64::from(low)..=f64::from(high)).contains(&steps) {
                return Err(bad(format!("is outside {:.1} to {:.1} degrees", low * 1.40625, high * 1.40625)));
            }
            return Ok(plain_zero(steps as f32));
        }
        let value: f32 = word.parse().map_err(|_| bad(not_a_number(word, is_angular(spec.operand))))?;
        if is_angular(spec.operand) {
            return steps(value, (low, high), bad);
        }
        if !value.is_finite() || value < low || value > high {
            return Err(bad(format!("is outside {low} to {high}")));
        }
        let step = match spec.operand {
            Operand::Fixed => 0.125,
            Operand::Float | Operand::Gain | Operand::Share => return Ok(value),
            _ => 1.0,
        };
        if value % step != 0.0 {
            return Err(bad(format!("is not a multiple of {step}")));
        }
        Ok(plain_zero(value))
    }

    fn register(self, word: &str, vector: bool) -> Result<f32, String> {
        if let Some(index) = word.strip_prefix('[').and_then(|w| w.strip_suffix(']')) {
            let cell = index.parse().ok().and_then(|i: u32| self.map.cell(i));
            let cell = cell.ok_or_else(|| format!("`{}` is not a cell of the register map", shorten(word)))?;
            return Ok(f32::from(if vector { cell & !1 } else { cell }));
        }
        if let Some(cell) = registers::cell_of_name(word, vector) {
            return Ok(f32::from(cell));
        }
        Err(if !vector && registers::cell_of_name(word, true).is_some() {
            format!("`{word}` is a vector; use a component, `{word}.x` or `{word}.y`")
        } else if vector && registers::cell_of_name(word, false).is_some() {
            format!("`{word}` is a component; this operand must be a vector")
        } else {
            format!("unknown register `{}`{}", shorten(word), suggest(word, registers::names(vector).into_iter()))
        })
    }
}

impl OperandSpec {
    /// Reads this operand from its notation in the text form.
    ///
    /// # Errors
    /// Returns one line with the problem, and with the most similar valid name if a register is unknown.
    pub fn read(&self, word: &str) -> Result<f32, String> {
        OperandFormat { map: RegisterMap::Full, exact: false }.read(word, self)
    }
}

/// Formats an operand for the text form. An angle of whole steps is written in whole degrees. The rounding error is
/// less than half a step, so the reader restores the same step.
pub(super) fn format_operand(value: f32, operand: Operand) -> String {
    if is_angular(operand) && value.fract() == 0.0 {
        return format!("{:.0}deg", f64::from(value) * DEGREES);
    }
    format_exact(value, operand)
}

/// Formats an operand so that an exact [`OperandFormat`] reads back the same value. The product of an f32 angle and
/// 1.40625 has at most 30 significant bits and is therefore exact in an f64.
pub(super) fn format_exact(value: f32, operand: Operand) -> String {
    match operand {
        Operand::ScalarDest | Operand::Scalar => registers::scalar_name(value as u8),
        Operand::Source => source_name(value as u8),
        Operand::Entry | Operand::EntryDest => entries::entry_name(value as u8).into(),
        Operand::VectorDest | Operand::Vector => registers::vector_name(value as u8).into(),
        Operand::Angle | Operand::Width => format!("{}deg", f64::from(value) * DEGREES),
        _ => format!("{value}"),
    }
}

/// Reads an entry of the Kilobot blackboard, given by name or `[index]`. Checks that a node may access the entry.
fn entry(word: &str, spec: &OperandSpec) -> Result<f32, String> {
    let index = word.strip_prefix('[').and_then(|w| w.strip_suffix(']'));
    let number = index.map_or_else(|| entries::entry_of_name(word), |index| index.parse().ok());
    let (writes, (low, high)) = (spec.operand == Operand::EntryDest, spec.operand.range());
    let fits = |entry: &Entry| if writes { entry.write } else { entry.read };
    match number.map(f32::from) {
        Some(number) if (low..=high).contains(&number) => Ok(number),
        Some(number) if usize::from(number as u8) < ENTRIES.len() => {
            let may: Vec<&str> = ENTRIES.iter().filter(|entry| fits(entry)).map(|entry| entry.name).collect();
            let verb = if writes { "written by a node" } else { "read" };
            Err(format!(
                "operand {}: `{}` cannot be {verb}; choose one of {}",
                spec.name,
                shorten(word),
                may.join(", ")
            ))
        }
        _ => {
            let known = ENTRIES.iter().filter(|entry| fits(entry)).map(|entry| entry.name.to_string());
            Err(format!("unknown entry `{}` of a Kilobot's blackboard{}", shorten(word), suggest(word, known)))
        }
    }
}

/// Reads the source of a synapse, such as `n1`. Returns `None` if the word does not have the form of a neuron's name,
/// and an error if the number is out of range.
fn neuron_of(word: &str) -> Option<Result<u8, String>> {
    let number: usize = word.strip_prefix('n')?.parse().ok()?;
    Some(network::source_of_neuron(number).ok_or_else(|| {
        format!("neuron `{}` does not exist; networks have neurons n1 to n{MAX_NEURONS}", shorten(word))
    }))
}

/// Formats the source of a synapse.
fn source_name(source: u8) -> String {
    network::neuron_of_source(source).map_or_else(|| registers::scalar_name(source), |neuron| format!("n{neuron}"))
}

/// Normalises -0 to 0, because the one-byte operands of the binary form cannot represent -0.
fn plain_zero(value: f32) -> f32 {
    value + 0.0
}

/// Validates an angle without a unit, which must be a whole number of steps. Errors give the range both in steps and
/// in degrees, because the documentation uses degrees.
fn steps(value: f32, (low, high): (f32, f32), bad: impl Fn(String) -> String) -> Result<f32, String> {
    let [from, to] = [low, high].map(|steps| f64::from(steps) * DEGREES);
    if !value.is_finite() || value < low || value > high {
        return Err(bad(format!(
            "is outside {low} to {high} steps of {DEGREES} degrees ({from:.1} to {to:.1} degrees); write degrees as in `90deg`"
        )));
    }
    if value.fract() != 0.0 {
        return Err(bad(format!(
            "is not a whole number of steps of {DEGREES} degrees; for degrees write `{value}deg`"
        )));
    }
    Ok(plain_zero(value))
}

/// Whether an angle without a unit was probably meant in degrees. Multiples of 5 are common in degrees, but not in
/// steps of pi/128.
fn reads_as_degrees(word: &str, operand: Operand) -> bool {
    is_angular(operand) && word.parse::<f32>().is_ok_and(|value| value != 0.0 && value % 5.0 == 0.0)
}

impl OperandFormat {
    /// Returns a note if the word is a valid angle without a unit that was probably meant in degrees.
    pub(super) fn note(self, word: &str, spec: &OperandSpec) -> Option<String> {
        let value = self.read(word, spec).ok().filter(|_| reads_as_degrees(word, spec.operand))?;
        let degrees = f64::from(value) * DEGREES;
        Some(format!(
            "operand {}: `{word}` is {word} steps of {DEGREES} degrees, {degrees:.0} degrees; for {word} degrees write \
             `{word}deg`, else `{degrees:.0}deg`",
            spec.name
        ))
    }
}

fn is_angular(operand: Operand) -> bool {
    matches!(operand, Operand::Angle | Operand::Width)
}

/// Lists the names of operands for a message, such as "operands d i".
pub(super) fn usage(operands: &[OperandSpec]) -> String {
    if operands.is_empty() {
        return "no operands".into();
    }
    let names: Vec<&str> = operands.iter().map(|o| o.name).collect();
    format!("operands {}", names.join(" "))
}

/// Truncates a word to 40 characters, for use in a message.
pub(crate) fn shorten(word: &str) -> String {
    if word.chars().count() <= 40 { word.into() } else { format!("{}...", word.chars().take(40).collect::<String>()) }
}

/// Returns the error message for a word that is not a number. For a number with a unit, the message suggests a
/// correction.
fn not_a_number(word: &str, angular: bool) -> String {
    let digits = word.find(|c: char| c.is_alphabetic() || c == '\u{b0}').unwrap_or(word.len());
    let (number, unit) = word.split_at(digits);
    match (number.trim_end().parse::<f64>(), unit) {
        (Ok(number), "rad") if angular => {
            let degrees = (number.to_degrees() * 100.0).round() / 100.0;
            format!("is not a number; did you mean `{degrees}deg`?")
        }
        (Ok(number), "\u{b0}" | "degrees" | "degree" | "d") if angular => {
            format!("is not a number; did you mean `{number}deg`?")
        }
        (Ok(number), unit) if !unit.is_empty() && unit.chars().all(char::is_alphabetic) => {
            format!("is not a number: operands have no units; did you mean `{number}`?")
        }
        _ => "is not a number".into(),
    }
}

/// Returns "; did you mean `x`?" for the most similar known name, or an empty string if no name is similar.
pub fn suggest(word: &str, known: impl Iterator<Item = String>) -> String {
    match nearest(word, known) {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    }
}

/// Finds the most similar known name; `None` if no name is similar enough. Among equally similar names, the function
/// chooses the name with the longest common prefix.
fn nearest(word: &str, known: impl Iterator<Item = String>) -> Option<String> {
    let word: String = word.chars().take(40).collect();
    let common = |name: &str| word.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
    let far = |name: &String| (strsim::damerau_levenshtein(&word, name), std::cmp::Reverse(common(name)));
    let (_, name) = known.map(|name| (far(&name), name)).min()?;
    let (distance, std::cmp::Reverse(common)) = far(&name);
    // The maximum edit distance is smaller for short words, unless the word and the name have a common prefix of at
    // least 4 characters.
    let most = if common >= 4 { 3 } else { (1 + word.chars().count() / 4).min(3) };
    (distance <= most && distance < name.len()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_suffix_error_suggests_value() {
        let words = OperandFormat { map: RegisterMap::Full, exact: false };
        let said = |word: &str, operand| words.read(word, &OperandSpec { name: "i", operand }).unwrap_err();
        assert!(said("0.5rad", Operand::Angle).contains("did you mean `28.65deg`?"));
        assert!(said("30degrees", Operand::Angle).contains("did you mean `30deg`?"));
        assert!(said("10m", Operand::Float).contains("have no units; did you mean `10`?"));
        assert!(said("ten", Operand::Float).ends_with("is not a number"));
    }

    #[test]
    fn suggestion_ties_prefer_common_prefix() {
        let tasks = ["coverage", "foraging"].map(String::from);
        assert_eq!(nearest("forage", tasks.into_iter()).as_deref(), Some("foraging"));
        assert_eq!(nearest("fast", ["auto"].map(String::from).into_iter()), None);
    }

    #[test]
    fn angles_without_a_unit_are_steps_and_say_so() {
        let (spec, words) = (
            OperandSpec { name: "i", operand: Operand::Angle },
            OperandFormat { map: RegisterMap::Full, exact: false },
        );
        assert_eq!(words.read("90", &spec), Ok(90.0));
        let note = words.note("90", &spec).unwrap();
        assert!(note.contains("127 degrees") && note.contains("`90deg`") && note.contains("`127deg`"), "{note}");
        for plain in ["90deg", "0", "28", "-28"] {
            assert_eq!(words.note(plain, &spec), None, "{plain}");
        }
        assert!(words.note("-45", &spec).unwrap().contains("-63 degrees"));
        let far = words.read("180", &spec).unwrap_err();
        assert!(
            far.contains("-128 to 127 steps") && far.contains("-180.0 to 178.6 degrees") && far.contains("90deg"),
            "{far}"
        );
        assert!(words.read("22.5", &spec).unwrap_err().contains("`22.5deg`"));
        let gain = OperandSpec { name: "f", operand: Operand::Float };
        assert_eq!(words.note("90", &gain), None);
    }

    #[test]
    fn exact_words_read_back_as_the_same_value() {
        let spec = OperandSpec { name: "i", operand: Operand::Angle };
        for i in 0..5000u32 {
            let value = (i as f32 / 5000.0 - 0.5) * 254.0;
            assert_eq!(
                OperandFormat { map: RegisterMap::Full, exact: true }.read(&format_exact(value, Operand::Angle), &spec),
                Ok(value)
            );
        }
        let spec = OperandSpec { name: "f", operand: Operand::Float };
        for value in [0.1f32, -0.0, 6.55, f32::MAX, f32::MIN_POSITIVE, 1e-45, 16_777_216.0] {
            let read = OperandFormat { map: RegisterMap::Full, exact: true }
                .read(&format_exact(value, Operand::Float), &spec)
                .unwrap();
            assert_eq!(read.to_bits(), value.to_bits());
        }
    }
}

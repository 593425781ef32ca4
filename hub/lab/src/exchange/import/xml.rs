//! Attribute values, and errors with line numbers.

use roxmltree::Node;

/// Maximum absolute value of a number; lengths are in metres, angles in degrees.
const MOST: f32 = 1e6;

/// Returns the line of an element.
pub(super) fn line(node: &Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

/// Returns an error message with the line and name of an element.
pub(super) fn at(node: &Node<'_, '_>, what: &str) -> String {
    format!("line {}: <{}> {what}", line(node), node.tag_name().name())
}

/// Returns the first child with this name.
pub(super) fn child<'a, 'input>(node: &Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.has_tag_name(name))
}

/// Parses `N` finite numbers separated by commas.
pub(super) fn numbers<const N: usize>(node: &Node<'_, '_>, key: &str) -> Result<[f32; N], String> {
    let text = node.attribute(key).ok_or_else(|| at(node, &format!("needs {key}")))?;
    let parsed: Result<Vec<f32>, _> = text.split(',').map(|part| part.trim().parse::<f32>()).collect();
    let numbers = parsed.ok().filter(|numbers| numbers.iter().all(|x| x.abs() <= MOST));
    let numbers = numbers.and_then(|numbers| <[f32; N]>::try_from(numbers).ok());
    numbers.ok_or_else(|| {
        at(node, &format!("{key}=\"{text}\" must be {N} numbers of at most a million, separated by commas"))
    })
}

/// Parses `N` numbers; zeros if the attribute is missing.
pub(super) fn numbers_or_zero<const N: usize>(node: &Node<'_, '_>, key: &str) -> Result<[f32; N], String> {
    if node.has_attribute(key) { numbers(node, key) } else { Ok([0.0; N]) }
}

/// Parses `N` numbers that must be positive, such as lengths and masses.
pub(super) fn positive<const N: usize>(node: &Node<'_, '_>, key: &str) -> Result<[f32; N], String> {
    let numbers = numbers::<N>(node, key)?;
    match numbers.iter().all(|x| *x > 0.0) {
        true => Ok(numbers),
        false => Err(at(node, &format!("{key} has a number that is not greater than 0"))),
    }
}

/// Parses a whole number from 1 to `most`.
pub(super) fn whole(node: &Node<'_, '_>, key: &str, most: usize) -> Result<usize, String> {
    let text = node.attribute(key).ok_or_else(|| at(node, &format!("needs {key}")))?;
    let number = text.trim().parse::<usize>().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| at(node, &format!("{key}=\"{text}\" must be a whole number from 1 to {most}")))
}

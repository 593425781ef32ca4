//! Parsing of attribute values, with line numbers in errors.

use roxmltree::Node;

/// Maximum magnitude of a number: a length (m) or an angle (degrees).
const MOST: f32 = 1e6;

/// Returns the line number of an element.
pub(super) fn line(node: &Node<'_, '_>) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

/// Returns an error message with the line number and the name of an element.
pub(super) fn at(node: &Node<'_, '_>, what: &str) -> String {
    format!("line {}: <{}> {what}", line(node), node.tag_name().name())
}

/// Returns the first child element with the given name.
pub(super) fn child<'a, 'input>(node: &Node<'a, 'input>, name: &str) -> Option<Node<'a, 'input>> {
    node.children().find(|child| child.has_tag_name(name))
}

/// Parses an attribute as `N` finite numbers separated by commas.
pub(super) fn numbers<const N: usize>(node: &Node<'_, '_>, key: &str) -> Result<[f32; N], String> {
    let text = node.attribute(key).ok_or_else(|| at(node, &format!("needs {key}")))?;
    let parsed: Result<Vec<f32>, _> = text.split(',').map(|part| part.trim().parse::<f32>()).collect();
    let numbers = parsed.ok().filter(|numbers| numbers.iter().all(|x| x.abs() <= MOST));
    let numbers = numbers.and_then(|numbers| <[f32; N]>::try_from(numbers).ok());
    numbers.ok_or_else(|| {
        at(node, &format!("{key}=\"{text}\" must be {N} numbers of at most a million, separated by commas"))
    })
}

/// Parses an attribute as `N` numbers. Returns zeros if the attribute is missing.
pub(super) fn numbers_or_zero<const N: usize>(node: &Node<'_, '_>, key: &str) -> Result<[f32; N], String> {
    if node.has_attribute(key) { numbers(node, key) } else { Ok([0.0; N]) }
}

/// Parses an attribute as `N` positive numbers, such as lengths or masses.
pub(super) fn positive<const N: usize>(node: &Node<'_, '_>, key: &str) -> Result<[f32; N], String> {
    let numbers = numbers::<N>(node, key)?;
    match numbers.iter().all(|x| *x > 0.0) {
        true => Ok(numbers),
        false => Err(at(node, &format!("{key} must contain only numbers greater than 0"))),
    }
}

/// Parses an attribute as a whole number from 1 to `most`.
pub(super) fn whole(node: &Node<'_, '_>, key: &str, most: usize) -> Result<usize, String> {
    let text = node.attribute(key).ok_or_else(|| at(node, &format!("needs {key}")))?;
    let number = text.trim().parse::<usize>().ok().filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| at(node, &format!("{key}=\"{text}\" must be a whole number from 1 to {most}")))
}

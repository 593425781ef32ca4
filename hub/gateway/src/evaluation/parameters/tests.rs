//! Tests of the counts, the weight mask and the checks of parameters.

use super::super::message::Message;
use super::*;

fn parameters(line: &str) -> Result<NetParameters, String> {
    match Message::parse(line) {
        Ok(Message::NetParameters(parameters)) => Ok(parameters),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn counts_follow_the_formula_of_the_document() {
    let parameters = parameters("NetParameters 1 5 0 1 3 2 0 1 2 4 0 1 0 9 7 0 1 3 0 1 1 1").expect("parameters");
    assert_eq!((parameters.rows(4), parameters.columns(4)), (6, 9));
    assert_eq!(parameters.value_count(4), 5 + 3 * 2 + 2 * 4 + 4 * 7 + 6 * 9 * 3);
    let largest = NetParameters {
        inputs: Neurons { count: u32::MAX, values: u32::MAX, ..Neurons::default() },
        weights: Weights { values: u32::MAX, ..Weights::default() },
        ..parameters
    };
    assert_eq!(largest.value_count(u32::MAX), usize::MAX);
}

#[test]
fn flags_null_what_they_are_to_null() {
    let mut parameters = NetParameters::default();
    (parameters.inputs.count, parameters.outputs.count) = (2, 1);
    let mask = |parameters: &NetParameters| -> Vec<String> {
        let cell = |row, column| if parameters.is_nulled(row, column, 2) { '0' } else { 'w' };
        (0..3).map(|row| (0..5).map(|column| cell(row, column)).collect()).collect()
    };
    // Columns are two inputs, an output and two hidden neurons. Rows are an output and two hidden neurons.
    assert_eq!(mask(&parameters), ["000ww", "ww000", "ww000"]);
    parameters.input_to_output = true;
    assert_eq!(mask(&parameters), ["ww0ww", "ww000", "ww000"]);
    (parameters.input_to_output, parameters.recurrent) = (false, true);
    assert_eq!(mask(&parameters), ["00www", "wwwww", "wwwww"]);
    parameters.input_to_output = true;
    assert_eq!(mask(&parameters), ["wwwww"; 3]);
    assert!(parameters.is_nulled(3, 0, 2) && parameters.is_nulled(0, 5, 2));
}

#[test]
fn contradictions_are_refused() {
    let refusals = [
        (
            "NetParameters 0 0 0 0 2 0 0 0 2 0 0 0 0 0 0 0 0 1 -10 10 1 1",
            "NetParameters: count of concurrent individuals 0 is out of range 1 to 4294967295",
        ),
        (
            "NetParameters 1 0 0 0 2 0 0 0 2 0 0 0 0 0 0 0 0 1 10 -10 1 1",
            "NetParameters: the values of weights go from 10 to -10; the first must be the lower one",
        ),
        (
            "NetParameters 1 0 0 0 2 0 0 0 2 0 0 0 3 2 0 0 0 1 -10 10 1 1",
            "NetParameters: the counts of hidden neurons go from 3 to 2; the first must be the lower one",
        ),
        (
            "NetParameters 1 0 0 0 2 0 0 0 2 0 0 0 0 0 0 0 0 1 -10 10 1 2",
            "NetParameters: flag of recurrent connections 2 is out of range 0 to 1",
        ),
        (
            "NetParameters 1 0 0 0 60001 0 0 0 2 0 0 0 0 0 0 0 0 0 -10 10 1 1",
            "NetParameters: count of input neurons 60001 is out of range 0 to 60000",
        ),
        (
            "NetParameters 1 0 0 0 2 0 0 0 2 0 0 0 0 243 0 0 0 1 -10 10 1 1",
            "NetParameters: the largest individual has 60515 values; at most 60000 are allowed",
        ),
        ("NetParameters 1", "NetParameters: 1 values, expected 22"),
    ];
    for (line, refusal) in refusals {
        assert_eq!(parameters(line), Err(refusal.to_owned()));
    }
    assert!(parameters("NetParameters 1 0 0 0 2 0 0 0 2 0 0 0 0 241 0 0 0 1 -10 10 1 1").is_ok());
}

//! Discharge curve of the cell: open-circuit voltage as a function of the state of charge.

/// State of charge (0 to 1) and open-circuit voltage (V) of an NCR18650B. The source is the datasheet's discharge at
/// 0.2 C and 25 degrees C, corrected by the drop across the cell's own resistance. This resistance is 60 mohm when full
/// and 120 mohm when nearly empty. Old cells, and cells of other makes, deviate by about 15 mV.
const OPEN_CIRCUIT: [(f64, f64); 13] = [
    (0.0, 2.8),
    (0.025, 3.02),
    (0.05, 3.16),
    (0.1, 3.33),
    (0.2, 3.48),
    (0.3, 3.555),
    (0.4, 3.615),
    (0.5, 3.685),
    (0.6, 3.765),
    (0.7, 3.85),
    (0.8, 3.945),
    (0.9, 4.045),
    (1.0, 4.185),
];

/// Returns the open-circuit voltage at a state of charge (V), and the slope of the curve (V per full charge). Beyond
/// both ends, the curve is extrapolated linearly.
pub(super) fn open_circuit(charge: f64) -> (f64, f64) {
    let next = OPEN_CIRCUIT.iter().position(|(part, _)| charge < *part).unwrap_or(OPEN_CIRCUIT.len() - 1).max(1);
    let ((c0, v0), (c1, v1)) = (OPEN_CIRCUIT[next - 1], OPEN_CIRCUIT[next]);
    let slope = (v1 - v0) / (c1 - c0);
    (v0 + slope * (charge - c0), slope)
}

/// Returns the state of charge at which the cell has this open-circuit voltage. Beyond both ends, the curve is
/// extrapolated linearly.
pub(super) fn charge_at(volts: f64) -> f64 {
    let next = OPEN_CIRCUIT.iter().position(|(_, v)| volts < *v).unwrap_or(OPEN_CIRCUIT.len() - 1).max(1);
    let ((c0, v0), (c1, v1)) = (OPEN_CIRCUIT[next - 1], OPEN_CIRCUIT[next]);
    c0 + (c1 - c0) * (volts - v0) / (v1 - v0)
}

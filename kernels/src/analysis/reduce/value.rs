//! Facts about the number in a register.

/// Upper bound on the magnitude of every sensor value. The bound is generous, because only overflow to infinity
/// matters.
const SENSE: f32 = 1e6;

/// A set of possible numbers: either a single number, or all numbers up to a magnitude. NaN may be included.
#[derive(Clone, Copy, Debug)]
pub(in crate::analysis) struct Value {
    /// The only possible number, if there is one.
    pub only: Option<f32>,
    /// Maximum magnitude; infinite if the number may be infinite.
    max_magnitude: f32,
    /// Whether NaN is possible.
    pub nan: bool,
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        let bits = |v: &Value| v.only.map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() });
        bits(self) == bits(other) && self.max_magnitude == other.max_magnitude && self.nan == other.nan
    }
}

impl Value {
    /// Any number.
    pub const ANY: Value = Value { only: None, max_magnitude: f32::INFINITY, nan: true };
    /// Any sensor value.
    pub const SENSED: Value = Value { only: None, max_magnitude: SENSE, nan: false };
    /// Unwritten component of v_goal.
    pub const UNWRITTEN: Value = Value { only: Some(f32::NAN), max_magnitude: 0.0, nan: true };

    pub fn only(x: f32) -> Value {
        if x.is_nan() { Value::UNWRITTEN } else { Value { only: Some(x), max_magnitude: x.abs(), nan: false } }
    }

    pub fn is_nan(&self) -> bool {
        self.only.is_some_and(f32::is_nan)
    }

    /// Returns the set without NaN, unless NaN is its only element.
    pub fn not_nan(self) -> Value {
        if self.is_nan() { self } else { Value { nan: false, ..self } }
    }

    pub fn join(self, other: Value) -> Value {
        if self == other {
            return self;
        }
        Value { only: None, max_magnitude: self.max_magnitude.max(other.max_magnitude), nan: self.nan || other.nan }
    }

    /// Performs [`Value::join`], but drops the bound on the magnitude, so that repeated joins converge.
    pub fn widen(self, other: Value) -> Value {
        if self == other {
            self
        } else {
            Value { only: None, max_magnitude: f32::INFINITY, nan: self.nan || other.nan }
        }
    }

    fn bounded(most: f64, nan: bool) -> Value {
        // Rounding in f32 may increase a sum slightly beyond the bound computed in f64.
        let most = most * 1.001;
        Value { only: None, max_magnitude: if most < f64::from(f32::MAX) { most as f32 } else { f32::INFINITY }, nan }
    }

    pub fn times(self, k: f32) -> Value {
        if let Some(x) = self.only {
            return Value::only(k * x);
        }
        let undefined = k == 0.0 && self.max_magnitude.is_infinite();
        let most = if k == 0.0 { 0.0 } else { f64::from(self.max_magnitude) * f64::from(k.abs()) };
        Value::bounded(most, self.nan || undefined)
    }

    pub fn plus(self, other: Value) -> Value {
        if self.is_nan() || other.is_nan() {
            return Value::UNWRITTEN;
        }
        if let (Some(a), Some(b)) = (self.only, other.only) {
            return Value::only(a + b);
        }
        let zero = |v: &Value| v.max_magnitude == 0.0 && !v.nan;
        // Adding a zero to x gives x, except that -0 + 0 is 0.
        match (self.only, other.only) {
            (Some(x), _) if zero(&other) && x.to_bits() != (-0.0f32).to_bits() => return self,
            (_, Some(x)) if zero(&self) && x.to_bits() != (-0.0f32).to_bits() => return other,
            _ => {}
        }
        let undefined = self.max_magnitude.is_infinite() && other.max_magnitude.is_infinite();
        Value::bounded(
            f64::from(self.max_magnitude) + f64::from(other.max_magnitude),
            self.nan || other.nan || undefined,
        )
    }
}

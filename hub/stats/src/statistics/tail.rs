//! Tail probabilities for statistical tests, computed without the cancellation of one minus a cumulative probability.

use statrs::function::beta::beta_reg;
use statrs::function::gamma::gamma_ur;

/// Returns the probability that Student's t with `degrees` degrees of freedom is at least as far from 0 as `t`. Returns
/// NaN if `t` is NaN.
pub fn t_two_sided(t: f64, degrees: f64) -> f64 {
    if t.is_nan() { f64::NAN } else { beta_reg(degrees / 2.0, 0.5, degrees / (degrees + t * t)) }
}

/// Returns the probability that Fisher's F with `above` and `below` degrees of freedom (numerator and denominator) is
/// greater than `f` (>= 0).
pub(super) fn f_above(f: f64, above: f64, below: f64) -> f64 {
    beta_reg(below / 2.0, above / 2.0, below / (below + above * f))
}

/// Returns the probability that chi-squared with `degrees` degrees of freedom is greater than `x` (>= 0).
pub(super) fn chi_squared_above(x: f64, degrees: f64) -> f64 {
    match x {
        x if x <= 0.0 => 1.0,
        f64::INFINITY => 0.0,
        x => gamma_ur(degrees / 2.0, x / 2.0),
    }
}

/// Returns the probability that a standard normal variable is greater than `z`, by the chi-squared distribution of its
/// square. The complementary error function of statrs is not used, because its accuracy is only 1e-10.
pub(super) fn normal_above(z: f64) -> f64 {
    let beyond = 0.5 * chi_squared_above(z * z, 1.0);
    if z > 0.0 { beyond } else { 1.0 - beyond }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-12 * b.abs(), "{a}, not {b}");
    }

    #[test]
    fn tails_that_have_a_closed_form() {
        // With one degree of freedom, t has the Cauchy distribution. With two degrees of freedom, the tail probability
        // is 1 - t / sqrt(2 + t^2).
        for t in [0.1, 1.0, 30.0] {
            close(t_two_sided(t, 1.0), 1.0 - 2.0 / std::f64::consts::PI * f64::atan(t));
            close(t_two_sided(-t, 2.0), 1.0 - t / (2.0 + t * t).sqrt());
        }
        // With two degrees of freedom in the numerator, the tail of F is a power function. With two degrees of freedom,
        // the tail of chi-squared is exponential.
        for x in [0.0, 0.5, 7.0, 1e6] {
            close(f_above(x, 2.0, 6.0), (1.0 + x / 3.0).powi(-3));
        }
        for x in [0.0, 0.5, 7.0, 300.0] {
            close(chi_squared_above(x, 2.0), (-x / 2.0).exp());
        }
        close(normal_above(0.0), 0.5);
        close(normal_above(-1.0) + normal_above(1.0), 1.0);
        // The value is from Abramowitz and Stegun, table 26.1.
        assert!((normal_above(1.0) - 0.158_655_253_931_457).abs() < 1e-14);
    }
}

//! Order in which Bullet processes constraints.

/// Returns the order of `n` equal elements after Bullet's quicksort, which swaps elements that compare equal.
///
/// The last digits of a Gauss-Seidel iteration depend on this order if the iteration has not converged. Resting bodies
/// creep because of these digits.
pub(super) fn bullet_order(n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    swap_halves(&mut order);
    order
}

fn swap_halves(order: &mut [usize]) {
    order.reverse();
    let half = order.len() / 2;
    if half > 1 {
        let (left, right) = order.split_at_mut(half);
        swap_halves(left);
        // If the number of elements is odd, the middle element keeps its place.
        let middle = right.len() - half;
        swap_halves(&mut right[middle..]);
    }
}

#[cfg(test)]
mod tests {
    use super::bullet_order;

    #[test]
    fn equal_things_come_out_as_of_a_partition_that_swaps_them() {
        assert!(bullet_order(0).is_empty());
        assert_eq!(bullet_order(1), [0]);
        assert_eq!(bullet_order(2), [1, 0]);
        assert_eq!(bullet_order(3), [2, 1, 0]);
        assert_eq!(bullet_order(4), [2, 3, 0, 1]);
        assert_eq!(bullet_order(5), [3, 4, 2, 0, 1]);
    }
}

//! Data for pages in browsers: a tree with its explanation, and a world with its floor. The hub's console and the
//! playground draw the same data.

mod floor;
mod tree;
mod world;

pub use tree::{TreeView, tree_hash};
pub use world::{World, world};

/// Rounds a value to a number of decimal places, because pages do not need all digits.
fn rounded(value: f32, places: i32) -> f32 {
    let scale = 10f64.powi(places);
    ((f64::from(value) * scale).round() / scale) as f32
}

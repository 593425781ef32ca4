//! Trees that drive or drove robots, in the format for pages.

use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use xpuck_kernels::tree::Tree;
use xpuck_kernels::tree::exchange::from_compact;
use xpuck_views::tree_hash;
use xpuck_wire::message::Emigrant;
use xpuck_wire::updates::Updates;

/// Maximum number of stored trees. It exceeds the number of robots, so that all trees in use can be stored.
const REMEMBERED: usize = 512;
/// Tree of a robot, in the format for pages.
#[derive(Clone, Debug, Serialize)]
pub struct TreeView {
    robot: String,
    /// Island and number of the individual, such as `3.4711`; `None` if unknown.
    gene: Option<String>,
    fitness: Option<Fitness>,
    segment: Option<u32>,
    #[serde(flatten)]
    tree: Arc<xpuck_views::TreeView>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Fitness {
    mean: f64,
    samples: u32,
}

#[derive(Clone, Debug)]
struct KnownTree {
    tree: Tree,
    view: Option<Arc<xpuck_views::TreeView>>,
}

/// Trees that drive or drove robots, by hash.
#[derive(Clone, Debug, Default)]
pub struct Trees {
    known: BTreeMap<String, KnownTree>,
    order: VecDeque<String>,
    /// Tree loaded last on each robot: segment, individual, and hash of the tree.
    loaded: BTreeMap<String, (u32, Emigrant, String)>,
}

impl Trees {
    /// Stores the tree that a batch of updates contains, unless it is known.
    pub fn learn(&mut self, updates: &Updates) {
        if updates.compact.0.is_empty() || self.known.contains_key(&updates.tree) {
            return;
        }
        if let Ok(tree) = from_compact(&updates.compact.0) {
            self.keep(tree);
        }
    }

    /// Records that a tree was loaded on a robot.
    pub fn loaded(&mut self, robot: &str, segment: u32, gene: &Emigrant) {
        if let Ok(tree) = Tree::parse(&gene.tree) {
            self.loaded.insert(robot.into(), (segment, gene.clone(), tree_hash(&tree)));
            self.keep(tree);
        }
    }

    /// Starts a run. The record of loaded trees is cleared, because it belongs to the previous run. The trees and
    /// their drawings are kept.
    pub fn begin_run(&mut self) {
        self.loaded.clear();
    }

    fn keep(&mut self, tree: Tree) {
        let hash = tree_hash(&tree);
        if self.known.contains_key(&hash) {
            return;
        }
        if self.order.len() == REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.order.push_back(hash.clone());
        self.known.insert(hash, KnownTree { tree, view: None });
    }

    /// Returns the view of the tree with this hash, for a robot that the tree drives; `None` if the tree is unknown.
    pub fn view(&mut self, robot: &str, hash: &str) -> Option<Arc<TreeView>> {
        let known = self.known.get_mut(hash)?;
        let tree = known.view.get_or_insert_with(|| Arc::new(xpuck_views::TreeView::new(&known.tree))).clone();
        let loaded = self.loaded.get(robot).filter(|(_, _, loaded)| loaded == hash);
        let mut shown = TreeView { robot: robot.into(), gene: None, fitness: None, segment: None, tree };
        if let Some((segment, gene, _)) = loaded {
            let samples = gene.count.iter().sum::<u32>();
            shown.gene = Some(format!("{}.{}", gene.island, gene.number));
            shown.segment = Some(*segment);
            shown.fitness = Some(Fitness { mean: gene.sum.iter().sum::<f64>() / f64::from(samples.max(1)), samples });
        }
        Some(Arc::new(shown))
    }
}

//! Server for the tree viewer Groot2. A thread answers Groot2's requests from the latest snapshot of the running tree.
//!
//! The control loop never waits for the thread. If the thread holds the lock, the control loop drops the snapshot.

use crate::controller::Controller;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use xpuck_kernels::tree::exchange::{TREE, to_xml_live};
use xpuck_kernels::tree::{Kind, Tree, scalar_name};
use xpuck_wire::groot::{GrootEnd, NodeState, TreeState, WatchedTree, reply};
use xpuck_wire::groot_recording::Recording;
use xpuck_wire::socket::{SocketError, Sockets};

/// Interval at which the thread checks its stop flag while it waits for a request (ms).
const STOP_CHECK_INTERVAL: i64 = 100;

/// State of the running tree after an update.
struct Snapshot {
    tree: Arc<WatchedTree>,
    nodes: Vec<(u16, NodeState)>,
    registers: Vec<(String, f32)>,
}

#[derive(Default)]
struct Shared {
    latest: Mutex<Option<Arc<Snapshot>>>,
    recording: Mutex<Recording>,
    ended: AtomicBool,
}

/// Publisher of the running tree for Groot2. Dropping the publisher ends its thread at the next check.
pub struct Publisher {
    shared: Arc<Shared>,
    shown: Option<(Arc<Tree>, Arc<WatchedTree>)>,
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
    }
}

impl Publisher {
    /// Listens at `endpoint`, such as `tcp://127.0.0.1:1667`.
    pub fn start(endpoint: &str) -> Result<Publisher, SocketError> {
        let end = Sockets::new().groot(endpoint)?;
        let shared = Arc::new(Shared::default());
        let seen = shared.clone();
        std::thread::spawn(move || serve(&end, &seen));
        Ok(Publisher { shared, shown: None })
    }

    /// Publishes the state of the tree in `controller` after an update. `None`: no tree controls the robot.
    pub fn publish(&mut self, controller: Option<&Controller>) {
        let snapshot = controller.map(|controller| self.snapshot(controller));
        if let (Ok(mut recording), Some(snapshot)) = (self.shared.recording.try_lock(), &snapshot) {
            recording.note(snapshot.nodes.iter().map(|(uid, state)| (*uid, *state as u8)));
        }
        if let Ok(mut latest) = self.shared.latest.try_lock() {
            *latest = snapshot.map(Arc::new);
        }
    }

    fn snapshot(&mut self, controller: &Controller) -> Snapshot {
        let shown = self.shown.take().filter(|(tree, _)| Arc::ptr_eq(tree, controller.tree()));
        let (tree, watched) = shown.unwrap_or_else(|| {
            let tree = controller.tree().clone();
            let watched = WatchedTree::new(TREE, to_xml_live(&tree));
            (tree, Arc::new(watched))
        });
        self.shown = Some((tree, watched.clone()));
        let cells = controller.board().cells().iter();
        let registers = (0..).map(scalar_name).zip(cells.copied()).collect();
        // A neural network is a single leaf in the XML, so its neurons and synapses do not appear there.
        let numbered = (1..).zip(controller.tree().nodes()).zip(controller.nodes());
        let shown = numbered.filter(|((_, node), _)| !matches!(node.kind, Kind::Neuron | Kind::Synapse));
        let nodes = shown.map(|((uid, _), state)| (uid, *state)).collect();
        Snapshot { tree: watched, nodes, registers }
    }
}

fn serve(end: &GrootEnd, shared: &Shared) {
    while !shared.ended.load(Ordering::Relaxed) {
        let Some(request) = end.receive(STOP_CHECK_INTERVAL) else { continue };
        let latest = shared.latest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let view = latest.as_ref().map(|s| TreeState { tree: &s.tree, nodes: &s.nodes, registers: &s.registers });
        let mut recording = shared.recording.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = reply(&request, view.as_ref(), &mut recording);
        drop(recording);
        end.answer(answer);
    }
}

//! The protocol by which Groot2, the viewer of BehaviorTree.CPP, watches a running tree: requests and replies of
//! several parts each, version 2 (`groot2_protocol.h` of BehaviorTree.CPP 4).
//!
//! A request's first part is its header: protocol u8, what is asked u8, and a number u32 that the reply repeats. A
//! reply's first part is that header and the running tree's id, 16 bytes; its second part is what was asked for. A
//! reply of the two parts `error` and a text refuses. Numbers are little endian.

use crate::signals::{again, send_parts};
use crate::socket::{SocketError, Sockets};
use std::collections::BTreeMap;

/// The protocol that is spoken.
const PROTOCOL: u8 = 2;
/// Bytes of a request's header.
const HEADER: usize = 6;
/// Most parts that a request has.
const MAX_PARTS: usize = 2;
/// Longest list of blackboards asked for, bytes.
const MAX_NAMES: usize = 4096;
/// Longest request that gets an answer at all, bytes in a part; the connection of a longer one is cut.
const MAX_REQUEST: i64 = 1 << 16;

/// What a node did, as the protocol numbers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum NodeState {
    /// Never ticked.
    #[default]
    Idle = 0,
    /// Running in the last tick.
    Running = 1,
    /// Success in the last tick.
    Success = 2,
    /// Failure in the last tick.
    Failure = 3,
    /// Not in the last tick; running when it was last ticked.
    IdleAfterRunning = 11,
    /// Not in the last tick; success when it was last ticked.
    IdleAfterSuccess = 12,
    /// Not in the last tick; failure when it was last ticked.
    IdleAfterFailure = 13,
}

impl NodeState {
    /// The state once a tick has passed the node by.
    pub fn passed_by(self) -> NodeState {
        match self {
            NodeState::Running => NodeState::IdleAfterRunning,
            NodeState::Success => NodeState::IdleAfterSuccess,
            NodeState::Failure => NodeState::IdleAfterFailure,
            idle => idle,
        }
    }
}

/// A tree that may be watched.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedTree {
    /// Its id; another tree has another.
    pub id: [u8; 16],
    /// Its XML, nodes numbered from 1 in preorder.
    pub xml: String,
    /// The name of its blackboard.
    pub name: String,
}

impl WatchedTree {
    /// A tree whose id follows from its XML, so that the viewer notices when another one runs.
    pub fn new(name: &str, xml: String) -> WatchedTree {
        let hash = |start: u64| xml.bytes().fold(start, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        let mut id = [0; 16];
        id[..8].copy_from_slice(&hash(0xcbf2_9ce4_8422_2325).to_le_bytes());
        id[8..].copy_from_slice(&hash(0x6c62_272e_07bb_0142).to_le_bytes());
        // The marks of a UUID of version 4.
        id[6] = id[6] & 0x0f | 0x40;
        id[8] = id[8] & 0x3f | 0x80;
        WatchedTree { id, xml, name: name.into() }
    }
}

/// What there is to see after a tick.
pub struct View<'a> {
    /// The tree.
    pub tree: &'a WatchedTree,
    /// Its nodes in preorder.
    pub nodes: &'a [NodeState],
    /// Its registers: names and values.
    pub registers: &'a [(String, f32)],
}

/// The parts of the answer to a request; `view` is `None` as long as no tree runs. Any request gets one.
pub fn reply(request: &[Vec<u8>], view: Option<&View<'_>>) -> Vec<Vec<u8>> {
    answer(request, view).unwrap_or_else(|why| vec![b"error".to_vec(), why.into_bytes()])
}

fn answer(request: &[Vec<u8>], view: Option<&View<'_>>) -> Result<Vec<Vec<u8>>, String> {
    let header = request.first().map_or(&[][..], Vec::as_slice);
    let &[protocol, asked, ..] = header else { return Err(wrong_header(header)) };
    if header.len() != HEADER {
        return Err(wrong_header(header));
    }
    if protocol != PROTOCOL {
        return Err(format!("protocol {protocol} is not spoken here; this is protocol {PROTOCOL}"));
    }
    if request.len() > MAX_PARTS {
        return Err(format!("a request of {} parts; {MAX_PARTS} is the most", request.len()));
    }
    let Some(view) = view else { return Err("no tree runs yet; connect again when the run has begun".into()) };
    let body = match asked {
        b'T' => view.tree.xml.clone().into_bytes(),
        b'S' => states(view.nodes),
        b'B' => registers(view, request.get(1).ok_or("must be 2 parts message: header, names of blackboards")?)?,
        b'I' | b'R' | b'U' | b'D' | b'A' | b'X' => return Err("hooks and breakpoints are not supported".into()),
        b'r' | b't' => return Err("recording is not supported; the hub records every run".into()),
        _ => return Err(format!("request {asked} is not known")),
    };
    Ok(vec![[header, &view.tree.id].concat(), body])
}

fn wrong_header(header: &[u8]) -> String {
    format!("wrong request header: {} bytes instead of {HEADER}", header.len())
}

fn states(nodes: &[NodeState]) -> Vec<u8> {
    let numbered = (1u16..).zip(nodes);
    numbered.flat_map(|(uid, state)| [uid.to_le_bytes()[0], uid.to_le_bytes()[1], *state as u8]).collect()
}

/// The blackboards asked for, as far as they exist. JSON has no NaN, which an unwritten v_goal is: it reads null.
fn registers(view: &View<'_>, names: &[u8]) -> Result<Vec<u8>, String> {
    if names.len() > MAX_NAMES {
        return Err(format!("{} bytes of blackboards' names; {MAX_NAMES} is the most", names.len()));
    }
    let names = str::from_utf8(names).map_err(|_| "the blackboards' names are not UTF-8")?;
    let values: BTreeMap<&str, Option<f32>> =
        view.registers.iter().map(|(name, value)| (name.as_str(), value.is_finite().then_some(*value))).collect();
    let asked = names.split(';').any(|name| name == view.tree.name);
    let boards: BTreeMap<&str, _> = asked.then_some((view.tree.name.as_str(), values)).into_iter().collect();
    rmp_serde::to_vec(&boards).map_err(|error| error.to_string())
}

impl Sockets {
    /// Opens an end where viewers ask.
    pub fn groot(&self, endpoint: &str) -> Result<GrootEnd, SocketError> {
        let socket = self.open(zmq::REP, endpoint, |s| {
            s.set_maxmsgsize(MAX_REQUEST)?;
            s.bind(endpoint)
        })?;
        Ok(GrootEnd { socket })
    }
}

/// Where viewers ask.
pub struct GrootEnd {
    socket: zmq::Socket,
}

impl GrootEnd {
    /// The next request, or `None` if none comes within `timeout_ms`. Parts past the most that are allowed are
    /// counted, not kept. [`GrootEnd::answer`] must follow.
    pub fn receive(&self, timeout_ms: i64) -> Option<Vec<Vec<u8>>> {
        if self.socket.poll(zmq::POLLIN, timeout_ms).ok()? == 0 {
            return None;
        }
        let next = || again(|| self.socket.recv_bytes(zmq::DONTWAIT));
        let mut parts = vec![next().ok()?];
        while self.socket.get_rcvmore().unwrap_or(false) {
            let part = next().unwrap_or_default();
            if parts.len() <= MAX_PARTS {
                parts.push(part);
            }
        }
        Some(parts)
    }

    /// Answers the request; dropped if the viewer is gone.
    pub fn answer(&self, parts: Vec<Vec<u8>>) {
        let _ = send_parts(&self.socket, &parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(header: &[u8], more: &[&[u8]]) -> Vec<Vec<u8>> {
        let tree = WatchedTree::new("xpuck", "<root/>".into());
        let nodes = [NodeState::Success, NodeState::Running.passed_by(), NodeState::Idle];
        let registers = [("s_n".to_string(), 2.5), ("v_goal.x".to_string(), f32::NAN)];
        let view = View { tree: &tree, nodes: &nodes, registers: &registers };
        let parts: Vec<Vec<u8>> = [header].iter().chain(more).map(|p| p.to_vec()).collect();
        reply(&parts, Some(&view))
    }

    #[test]
    fn what_is_asked_comes_back_with_header_and_id() {
        let tree = ask(&[2, b'T', 1, 2, 3, 4], &[]);
        assert_eq!((&tree[0][..6], &tree[1][..]), (&[2, b'T', 1, 2, 3, 4][..], &b"<root/>"[..]));
        assert_eq!(tree[0][6..], WatchedTree::new("xpuck", "<root/>".into()).id);
        assert_ne!(tree[0][6..], WatchedTree::new("xpuck", "<root />".into()).id);
        assert_eq!(ask(&[2, b'S', 0, 0, 0, 0], &[])[1], [1, 0, 2, 2, 0, 11, 3, 0, 0]);
    }

    #[test]
    fn blackboards_are_maps_and_nan_is_null() {
        type Boards = BTreeMap<String, BTreeMap<String, Option<f32>>>;
        let boards =
            |names: &[u8]| -> Boards { rmp_serde::from_slice(&ask(&[2, b'B', 0, 0, 0, 0], &[names])[1]).unwrap() };
        let all = boards(b"other;xpuck");
        assert_eq!(all.keys().collect::<Vec<_>>(), ["xpuck"]);
        assert_eq!((all["xpuck"]["s_n"], all["xpuck"]["v_goal.x"]), (Some(2.5), None));
        assert!(boards(b"other").is_empty());
    }

    #[test]
    fn what_cannot_be_answered_is_refused_with_its_reason() {
        let refused = |header: &[u8], more: &[&[u8]], why: &str| {
            let parts = ask(header, more);
            assert_eq!((parts.len(), &parts[0][..]), (2, &b"error"[..]), "{why}");
            let said = String::from_utf8(parts[1].clone()).unwrap();
            assert!(said.contains(why), "{said}");
        };
        refused(&[], &[], "0 bytes instead of 6");
        refused(&[2, b'T', 0, 0, 0], &[], "5 bytes");
        refused(&[2; 7], &[], "7 bytes");
        refused(&[1, b'T', 0, 0, 0, 0], &[], "protocol 1");
        refused(&[2, b'?', 0, 0, 0, 0], &[], "not known");
        refused(&[2, b'T', 0, 0, 0, 0], &[b"", b""], "3 parts");
        refused(&[2, b'B', 0, 0, 0, 0], &[], "2 parts");
        refused(&[2, b'B', 0, 0, 0, 0], &[&[0xff]], "UTF-8");
        refused(&[2, b'B', 0, 0, 0, 0], &[&[b';'; MAX_NAMES + 1]], "4097 bytes");
        for hook in *b"IRUDAX" {
            refused(&[2, hook, 0, 0, 0, 0], &[b"{"], "breakpoints are not supported");
        }
        refused(&[2, b'r', 0, 0, 0, 0], &[b"start"], "recording is not supported");
        assert_eq!(reply(&[vec![2, b'T', 0, 0, 0, 0]], None)[0], b"error");
        assert_eq!(reply(&[], None)[0], b"error");
    }
}

//! Groot2 protocol, version 2 (`groot2_protocol.h` of BehaviorTree.CPP 4). Groot2, the viewer of BehaviorTree.CPP,
//! uses this protocol to display a running tree. Each request or reply is a message of one or two parts.
//!
//! The first part of a request is its header: protocol version (u8), request type (u8) and a number (u32) that the
//! reply repeats. The first part of a reply is the request's header with the publisher's own protocol version, followed
//! by the id of the running tree (16 bytes). The second part of a reply, if any, is the requested content. An error
//! reply has two parts, `error` and a text. Numbers are little-endian.
//!
//! Replies match those of BehaviorTree.CPP's own publisher with one exception. Requests for hooks (breakpoints) are
//! rejected, because hooks could stop a robot's tree.

use crate::groot_recording::Recording;
use crate::signals::{retry_zmq, send_parts};
use crate::socket::{SocketError, Sockets};
use std::collections::BTreeMap;

/// Protocol version.
const PROTOCOL: u8 = 2;
/// Length of a request's header (bytes).
const HEADER: usize = 6;
/// Maximum number of parts in a request.
const MAX_PARTS: usize = 2;
/// Maximum length of the list of requested blackboards' names (bytes).
const MAX_NAMES: usize = 4096;
/// Maximum length of a part of a request (bytes). libzmq closes the connection that sends a longer part.
const MAX_REQUEST: i64 = 1 << 16;

/// State of a node. The discriminants are the numbers of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum NodeState {
    /// The node was never ticked.
    #[default]
    Idle = 0,
    /// The node was running in the last tick.
    Running = 1,
    /// The node succeeded in the last tick.
    Success = 2,
    /// The node failed in the last tick.
    Failure = 3,
    /// The last tick did not reach the node, which was running when it was last ticked.
    IdleAfterRunning = 11,
    /// The last tick did not reach the node, which succeeded when it was last ticked.
    IdleAfterSuccess = 12,
    /// The last tick did not reach the node, which failed when it was last ticked.
    IdleAfterFailure = 13,
}

impl NodeState {
    /// Returns the node's state after a tick that did not reach the node.
    pub fn after_skipped_tick(self) -> NodeState {
        match self {
            NodeState::Running => NodeState::IdleAfterRunning,
            NodeState::Success => NodeState::IdleAfterSuccess,
            NodeState::Failure => NodeState::IdleAfterFailure,
            idle => idle,
        }
    }
}

/// Tree that viewers can display.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedTree {
    /// Id, a hash of the XML.
    pub id: [u8; 16],
    /// XML with nodes numbered from 1 in preorder.
    pub xml: String,
    /// Name of the tree's blackboard.
    pub name: String,
}

impl WatchedTree {
    /// Creates a tree whose id is a hash of its XML, so that viewers detect a change of the tree.
    pub fn new(name: &str, xml: String) -> WatchedTree {
        let hash = |start: u64| xml.bytes().fold(start, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
        let mut id = [0; 16];
        id[..8].copy_from_slice(&hash(0xcbf2_9ce4_8422_2325).to_le_bytes());
        id[8..].copy_from_slice(&hash(0x6c62_272e_07bb_0142).to_le_bytes());
        // Sets the version and variant bits of a UUID of version 4.
        id[6] = id[6] & 0x0f | 0x40;
        id[8] = id[8] & 0x3f | 0x80;
        WatchedTree { id, xml, name: name.into() }
    }
}

/// State of a tree after a tick.
pub struct TreeState<'a> {
    /// Tree whose state this is.
    pub tree: &'a WatchedTree,
    /// Numbers and states of the nodes.
    pub nodes: &'a [(u16, NodeState)],
    /// Register names and values.
    pub registers: &'a [(String, f32)],
}

/// Returns the parts of the reply to a request, which may be an error reply. `view` is `None` while no tree runs.
pub fn reply(request: &[Vec<u8>], view: Option<&TreeState<'_>>, recording: &mut Recording) -> Vec<Vec<u8>> {
    answer(request, view, recording).unwrap_or_else(|why| vec![b"error".to_vec(), why.into_bytes()])
}

fn answer(
    request: &[Vec<u8>],
    view: Option<&TreeState<'_>>,
    recording: &mut Recording,
) -> Result<Vec<Vec<u8>>, String> {
    let header = request.first().map_or(&[][..], Vec::as_slice);
    let &[_, asked, ..] = header else { return Err(wrong_header(header)) };
    if header.len() != HEADER {
        return Err(wrong_header(header));
    }
    if request.len() > MAX_PARTS {
        return Err(format!("the request has {} parts; at most {MAX_PARTS} are allowed", request.len()));
    }
    let Some(view) = view else { return Err("no tree is running yet; connect again when the run has started".into()) };
    let second = || request.get(1).ok_or("must be 2 parts message");
    let body = match asked {
        b'T' => Some(view.tree.xml.clone().into_bytes()),
        b'S' => Some(states(view.nodes)),
        b'B' => Some(registers(view, second()?)?),
        b'I' => {
            second()?;
            return Err("hooks and breakpoints are not supported".into());
        }
        b'R' | b'U' => {
            second()?;
            return Err("Node ID not found".into());
        }
        b'D' => Some(b"[]".to_vec()),
        // No hooks exist, so requests to remove or disable hooks succeed without an effect.
        b'A' | b'X' => None,
        b'r' => match &second()?[..] {
            b"start" => Some(recording.start().into_bytes()),
            b"stop" => {
                recording.stop();
                None
            }
            _ => None,
        },
        b't' => Some(recording.take()),
        _ => return Err("Request not recognized".into()),
    };
    let header = [&[PROTOCOL], &header[1..], &view.tree.id].concat();
    Ok([Some(header), body].into_iter().flatten().collect())
}

fn wrong_header(header: &[u8]) -> String {
    format!("wrong request header: {} bytes instead of {HEADER}", header.len())
}

fn states(nodes: &[(u16, NodeState)]) -> Vec<u8> {
    nodes.iter().flat_map(|(uid, state)| [uid.to_le_bytes()[0], uid.to_le_bytes()[1], *state as u8]).collect()
}

/// Encodes the requested blackboards that exist, as MessagePack. Values that are not finite, such as an unwritten
/// v_goal, become nil, because the protocol carries JSON values, which exclude NaN.
fn registers(view: &TreeState<'_>, names: &[u8]) -> Result<Vec<u8>, String> {
    if names.len() > MAX_NAMES {
        return Err(format!("the blackboard names have {} bytes; at most {MAX_NAMES} are allowed", names.len()));
    }
    let names = str::from_utf8(names).map_err(|_| "the blackboard names are not UTF-8")?;
    let values: BTreeMap<&str, Option<f32>> =
        view.registers.iter().map(|(name, value)| (name.as_str(), value.is_finite().then_some(*value))).collect();
    let asked = names.split(';').any(|name| name == view.tree.name);
    // The reply is nil if none of the requested blackboards exists, as in BehaviorTree.CPP.
    let boards = asked.then(|| BTreeMap::from([(view.tree.name.as_str(), values)]));
    rmp_serde::to_vec(&boards).map_err(|error| error.to_string())
}

impl Sockets {
    /// Opens the socket for viewers' requests. If the endpoint has a TCP port, the next port is opened too, because
    /// viewers subscribe to breakpoints there. No breakpoints are published.
    ///
    /// # Errors
    /// The endpoint is in use or invalid.
    pub fn groot(&self, endpoint: &str) -> Result<GrootEnd, SocketError> {
        let socket = self.open(zmq::REP, endpoint, |s| {
            s.set_maxmsgsize(MAX_REQUEST)?;
            s.bind(endpoint)
        })?;
        let next = next_port(endpoint);
        let publisher = next.map(|next| self.open(zmq::PUB, &next, |s| s.bind(&next))).transpose()?;
        Ok(GrootEnd { socket, _publisher: publisher })
    }
}

fn next_port(endpoint: &str) -> Option<String> {
    let (host, port) = endpoint.strip_prefix("tcp://")?.rsplit_once(':')?;
    let next = port.parse::<u16>().ok()?.checked_add(1)?;
    Some(format!("tcp://{host}:{next}"))
}

/// Socket for viewers' requests.
pub struct GrootEnd {
    socket: zmq::Socket,
    /// Socket for subscribers to breakpoints, on which nothing is sent.
    _publisher: Option<zmq::Socket>,
}

impl GrootEnd {
    /// Returns the parts of the next request, or `None` if no request arrives within `timeout_ms`. If a request has too
    /// many parts, only one surplus part is kept, so that [`reply`] reports the error. After a request,
    /// [`GrootEnd::answer`] must be called before the next `receive`.
    pub fn receive(&self, timeout_ms: i64) -> Option<Vec<Vec<u8>>> {
        if self.socket.poll(zmq::POLLIN, timeout_ms).ok()? == 0 {
            return None;
        }
        let next = || retry_zmq(|| self.socket.recv_bytes(zmq::DONTWAIT));
        let mut parts = vec![next().ok()?];
        while self.socket.get_rcvmore().unwrap_or(false) {
            let part = next().unwrap_or_default();
            if parts.len() <= MAX_PARTS {
                parts.push(part);
            }
        }
        Some(parts)
    }

    /// Sends the reply; it is dropped if the viewer has disconnected.
    pub fn answer(&self, parts: Vec<Vec<u8>>) {
        let _ = send_parts(&self.socket, &parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(header: &[u8], more: &[&[u8]]) -> Vec<Vec<u8>> {
        let tree = WatchedTree::new("xpuck", "<root/>".into());
        let nodes = [(1, NodeState::Success), (2, NodeState::Running.after_skipped_tick()), (3, NodeState::Idle)];
        let registers = [("s_n".to_string(), 2.5), ("v_goal.x".to_string(), f32::NAN)];
        let view = TreeState { tree: &tree, nodes: &nodes, registers: &registers };
        let parts: Vec<Vec<u8>> = [header].iter().chain(more).map(|p| p.to_vec()).collect();
        reply(&parts, Some(&view), &mut Recording::default())
    }

    #[test]
    fn reply_repeats_header_and_has_tree_id() {
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
        assert_eq!(ask(&[2, b'B', 0, 0, 0, 0], &[b"other"])[1], [0xc0], "nil");
    }

    #[test]
    fn invalid_request_is_rejected_with_reason() {
        let refused = |header: &[u8], more: &[&[u8]], why: &str| {
            let parts = ask(header, more);
            assert_eq!((parts.len(), &parts[0][..]), (2, &b"error"[..]), "{why}");
            let said = String::from_utf8(parts[1].clone()).unwrap();
            assert!(said.contains(why), "{said}");
        };
        refused(&[], &[], "0 bytes instead of 6");
        refused(&[2, b'T', 0, 0, 0], &[], "5 bytes");
        refused(&[2; 7], &[], "7 bytes");
        refused(&[2, b'?', 0, 0, 0, 0], &[], "not recognized");
        refused(&[2, b'T', 0, 0, 0, 0], &[b"", b""], "3 parts");
        refused(&[2, b'B', 0, 0, 0, 0], &[], "2 parts");
        refused(&[2, b'B', 0, 0, 0, 0], &[&[0xff]], "UTF-8");
        refused(&[2, b'B', 0, 0, 0, 0], &[&[b';'; MAX_NAMES + 1]], "4097 bytes");
        refused(&[2, b'I', 0, 0, 0, 0], &[b"{"], "breakpoints are not supported");
        for hook in *b"RU" {
            refused(&[2, hook, 0, 0, 0, 0], &[b"{"], "Node ID not found");
        }
        for two in *b"IRUr" {
            refused(&[2, two, 0, 0, 0, 0], &[], "2 parts");
        }
        let mut recording = Recording::default();
        assert_eq!(reply(&[vec![2, b'T', 0, 0, 0, 0]], None, &mut recording)[0], b"error");
        assert_eq!(reply(&[], None, &mut recording)[0], b"error");
    }

    #[test]
    fn hooks_are_none_and_older_protocols_are_answered() {
        for protocol in [0, 1, 2, 9] {
            assert_eq!(ask(&[protocol, b'S', 7, 0, 0, 0], &[])[0][..6], [2, b'S', 7, 0, 0, 0]);
        }
        assert_eq!(ask(&[2, b'D', 0, 0, 0, 0], &[])[1], b"[]");
        for done in *b"AX" {
            assert_eq!(ask(&[2, done, 0, 0, 0, 0], &[]).len(), 1, "a header alone");
        }
        assert_eq!(ask(&[2, b't', 0, 0, 0, 0], &[])[1], b"");
        assert_eq!(ask(&[2, b'r', 0, 0, 0, 0], &[b"start"]).len(), 2);
        assert_eq!(ask(&[2, b'r', 0, 0, 0, 0], &[b"stop"]).len(), 1);
        assert_eq!(next_port("tcp://*:1667").as_deref(), Some("tcp://*:1668"));
        assert_eq!(next_port("ipc:///tmp/groot"), None);
    }
}

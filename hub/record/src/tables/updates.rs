//! Control updates as table rows. The record stores them packed in batches; the export has one row per update.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use xpuck_hub_core::entry::Entry;
use xpuck_wire::message::State;
use xpuck_wire::updates::Update;

/// Row of the table: one control update. Undefined numbers (NaN) are exported as missing values.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Row {
    /// Number of the update, counted from the start of the robot's program.
    number: u32,
    /// Time of the update on the robot's clock (s).
    robot_time: f64,
    /// State of the robot.
    state: State,
    /// Whether the tree was ticked.
    ticked: bool,
    /// Whether an external controller drove the robot.
    driven: bool,
    /// Result of each node, in preorder: `r` (running), `s` (success), `f` (failure), or `.` if the node was not
    /// ticked.
    nodes: String,
    v_goal: [f32; 2],
    v_prox: [f32; 2],
    v_up: [f32; 2],
    v_attr: [f32; 2],
    v_red: [f32; 2],
    v_green: [f32; 2],
    v_blue: [f32; 2],
    s_n: f32,
    s_scr: f32,
    v_scr: [f32; 2],
    /// Proximity readings.
    proximity: [f32; 8],
    /// Whether a colour is visible in a camera segment; first index is the colour, second index the segment.
    blobs: [[bool; 3]; 3],
    /// Ages of the body's senses, of the camera frame and of the virtual senses (s).
    body_age: f32,
    camera_age: f32,
    virtual_age: f32,
    /// Neighbours from which a message was received, each with island, range (m) and bearing (rad).
    heard: String,
    /// Speeds of the left and right wheel requested by the tree, and the speeds sent to the motors (m/s).
    wanted: [f32; 2],
    sent: [f32; 2],
}

/// Batch of control updates in the form of the export.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Unpacked {
    time: f64,
    robot: String,
    session: u64,
    run: u64,
    segment: u32,
    tree: String,
    updates: Vec<Row>,
}

/// Unpacks a recorded batch. Returns `None` if the data is not a batch of control updates.
pub(crate) fn unpacked(data: &[u8]) -> Option<Value> {
    let Ok(Entry::Updates { time, robot, updates }) = serde_json::from_slice(data) else { return None };
    let unpacked = updates.unpack().ok()?;
    let rows = unpacked.iter().zip(updates.first..).map(|(update, number)| row(update, number, updates.start));
    let batch = Unpacked {
        time,
        robot,
        session: updates.session,
        run: updates.run,
        segment: updates.segment,
        updates: rows.collect(),
        tree: updates.tree,
    };
    serde_json::to_value(batch).ok()
}

fn row(update: &Update, number: u32, start: f64) -> Row {
    let cells = update.cells.map(f32::from_bits);
    let vector = |cell: usize| [cells[cell], cells[cell + 1]];
    let [body_age, camera_age, virtual_age] = update.ages.map(f32::from_bits);
    let [left, right, sent_left, sent_right] = update.wheels.map(f32::from_bits);
    let heard = |(island, range, bearing): &(u16, u32, u32)| {
        format!("{island}:{}:{}", f32::from_bits(*range), f32::from_bits(*bearing))
    };
    Row {
        number,
        robot_time: start + f64::from(update.after_us) / 1e6,
        state: update.state,
        ticked: update.ticked,
        driven: update.driven,
        nodes: update.nodes.iter().map(|status| [".", "r", "s", "f"][usize::from(status & 3)]).collect(),
        v_goal: vector(2),
        v_prox: vector(4),
        v_up: vector(6),
        v_attr: vector(8),
        v_red: vector(10),
        v_green: vector(12),
        v_blue: vector(14),
        s_n: cells[16],
        s_scr: cells[17],
        v_scr: vector(18),
        proximity: update.proximity.map(f32::from_bits),
        blobs: std::array::from_fn(|c| std::array::from_fn(|s| update.blobs & Update::blob(c, s) != 0)),
        body_age,
        camera_age,
        virtual_age,
        heard: update.neighbours.iter().map(heard).collect::<Vec<_>>().join(" "),
        wanted: [left, right],
        sent: [sent_left, sent_right],
    }
}

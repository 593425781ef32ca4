//! Interval of a recorded run, returned as the events that live pages would have received.

use super::runs::{cached_run, world_of};
use super::{raw, run_blocking};
use crate::console::Shared;
use crate::console::feed::{Event, StatusContext};
use crate::console::visitor::refusal;
use crate::replay::Replay;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::rate::Rate;

/// Duration of the period before an interval whose entries are also read (s). These entries determine the state at the
/// start of the interval.
const LEAD: f64 = 5.0;
/// Maximum length of an interval at 25 poses per second (s). At lower rates, intervals may be longer.
const LONGEST: f64 = 60.0;
/// Maximum rate of pose events (Hz).
const POSES: f64 = 25.0;
/// Maximum rate of status events (Hz).
const STATUS: f64 = 5.0;

#[derive(Deserialize)]
pub struct PlayQuery {
    from: f64,
    to: f64,
    #[serde(default = "usual")]
    hz: f64,
    robot: Option<String>,
}

fn usual() -> f64 {
    POSES
}

/// Returns the events of an interval of the run. The first events describe the state at the start of the interval.
pub async fn play(State(shared): State<Shared>, Path(id): Path<String>, Query(asked): Query<PlayQuery>) -> Response {
    let PlayQuery { from, to, hz, robot } = asked;
    let sound = from.is_finite() && to.is_finite() && hz.is_finite() && (0.01..=POSES).contains(&hz);
    if !sound || to < from || (to - from) * hz > LONGEST * POSES * 1.01 {
        let why = "from and to must be times of the run, hz must be 0.01 to 25, and an interval has at most 1500 poses";
        return refusal(StatusCode::BAD_REQUEST, why);
    }
    match run_blocking(move || stretch(&shared, &id, (from, to), hz, robot.as_deref())).await {
        Ok(Ok(text)) => raw(text),
        Ok(Err(why)) => refusal(StatusCode::NOT_FOUND, &why),
        Err(response) => response,
    }
}

/// Text of a JSON array, whose elements are arrays `[time, name, data]`.
#[derive(Default)]
struct EventArray(String);

impl EventArray {
    fn add(&mut self, event: &Event) {
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
        self.0 += &format!("[{:.4},\"{}\",{}]", event.time, event.name, event.json);
    }

    fn end(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('[');
        }
        self.0.push(']');
        self.0
    }
}

fn stretch(shared: &Shared, id: &str, (from, to): (f64, f64), hz: f64, robot: Option<&str>) -> Result<String, String> {
    let run = cached_run(shared, id)?;
    let entries = run.index.entries(from - LEAD, to).map_err(|error| error.to_string())?;
    let mut feed = run.with(|feed| feed.with_same_trees());
    let mut replay = Replay::new(&run.run);
    let around = |time| StatusContext {
        wall_unix_ms: run.clock.unix_ms(time),
        speed: run.run.speed,
        ..StatusContext::default()
    };
    let mut written = EventArray::default();
    let mut begun = false;
    let (mut poses, mut status, mut seen) = (Rate::default(), Rate::default(), Rate::default());
    let mut phase: Option<String> = None;
    let mut withheld = false;
    let begin = |replay: &mut Replay, feed: &mut crate::console::feed::Feed, written: &mut EventArray| {
        let now = replay.status();
        let world = world_of(&run, now.segments.last().map(|segment| segment.phase.as_str()));
        written.add(&Event { time: from, ..feed.world(from, &world) });
        written.add(&Event { time: from, ..feed.status(&now, &around(from)) });
        if let Some(poses) = feed.latest.poses.clone() {
            written.add(&Event { time: from, ..poses });
        }
        if let Some(tree) = robot.and_then(|robot| feed.tree_event(from, robot)) {
            written.add(&tree);
        }
    };
    for entry in &entries {
        let time = entry.time();
        if !begun && time >= from {
            begun = true;
            begin(&mut replay, &mut feed, &mut written);
        }
        let looked_at = |id: &str| robot == Some(id);
        for event in feed.on_entry(entry, looked_at) {
            let due = match event.name {
                "poses" => poses.allows(event.time, hz),
                "robot" => seen.allows(event.time, hz.min(10.0)),
                _ => true,
            };
            if begun && due {
                written.add(&Event { time: event.time.max(from), ..event });
            }
        }
        if let Entry::Run { segments, .. } = entry {
            let now = segments.last().map(|segment| segment.phase.clone());
            if begun && phase.is_some() && phase != now {
                written.add(&feed.world(time, &world_of(&run, now.as_deref())));
            }
            phase = now;
        }
        replay.apply(entry.clone());
        if begun {
            withheld = !status.allows(time, STATUS.min(hz));
            if !withheld {
                written.add(&feed.status(&replay.status(), &around(time)));
            }
        }
    }
    // The last status is added if the rate limit excluded it. Otherwise, pages would show an outdated status until the
    // next interval, or for ever at the end of the run.
    if let Some(last) = entries.last().filter(|_| withheld) {
        written.add(&feed.status(&replay.status(), &around(last.time())));
    }
    if !begun {
        begin(&mut replay, &mut feed, &mut written);
    }
    Ok(written.end())
}

//! Client for viewers. Converts the messages of a server into a scene and the state of its game. Without a given
//! protocol, the first message determines it.

use crate::scene::top_view::TopView;
use crate::scene::{Field, Graph, Node, SceneError, apply, rsmp, simspark};

/// Protocol of a server.
pub use crate::monitors::Protocol;

/// State of a viewer client.
#[derive(Clone, Debug, Default)]
pub struct Client {
    protocol: Option<Protocol>,
    scene: Option<Vec<Node>>,
    /// Latest value of each field of the game and the environment.
    fields: Vec<Field>,
    time: f64,
}

/// Maximum number of stored fields, because the server is not trusted.
const MOST_FIELDS: usize = 1000;

impl Client {
    /// Creates a client without a scene. If `protocol` is `None`, the first message determines the protocol.
    pub fn new(protocol: Option<Protocol>) -> Client {
        Client { protocol, ..Client::default() }
    }

    /// Applies a message of the server.
    ///
    /// # Errors
    /// The message does not belong to the protocol, or a change does not fit the current scene.
    pub fn apply(&mut self, message: &[u8]) -> Result<(), SceneError> {
        let protocol =
            *self.protocol.get_or_insert_with(|| if is_rsmp(message) { Protocol::Rsmp } else { Protocol::SimSpark });
        let graph = match protocol {
            Protocol::SimSpark => {
                let simspark::Message { fields, graph } = simspark::read(message)?;
                self.update_fields(fields);
                let time = self.value("time").and_then(|time| time.parse().ok());
                self.time = time.unwrap_or(self.time);
                graph
            }
            Protocol::Rsmp => {
                let rsmp::Message { time, graph, state, environment } = rsmp::read(message)?;
                self.update_fields(environment);
                self.update_fields(state);
                self.time = time;
                graph
            }
        };
        match (graph, &mut self.scene) {
            (Graph::Full(nodes), scene) => {
                *scene = Some(nodes);
                Ok(())
            }
            (Graph::Changes(changes), Some(scene)) => match apply(scene, &changes) {
                true => Ok(()),
                false => Err(SceneError::Form("changes do not match the previous scene".into())),
            },
            (Graph::Changes(_), None) => Err(SceneError::Form("changes were received before a full scene".into())),
        }
    }

    fn update_fields(&mut self, fields: Vec<Field>) {
        for field in fields {
            match self.fields.iter().position(|known| known.0 == field.0) {
                Some(place) => self.fields[place] = field,
                None if self.fields.len() < MOST_FIELDS => self.fields.push(field),
                None => {}
            }
        }
    }

    /// Returns the protocol; `None` before the first message if no protocol was given.
    pub fn protocol(&self) -> Option<Protocol> {
        self.protocol
    }

    /// Returns the time of the game (s).
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Returns the first word of the field with this name; `None` if the server has not sent the field.
    pub fn value(&self, name: &str) -> Option<&str> {
        let (_, words) = self.fields.iter().find(|(known, _)| known == name)?;
        words.first().map(String::as_str)
    }

    /// Returns the name of the play mode, or its number if the server did not send the names.
    pub fn play_mode(&self) -> Option<&str> {
        let told = self.value("play_mode")?;
        let names = self.fields.iter().find(|(name, _)| name == "play_modes").map(|(_, names)| names);
        let name = names.and_then(|names| names.get(told.parse::<usize>().ok()?));
        Some(name.map_or(told, String::as_str))
    }

    /// Returns the goals of the left and the right team.
    pub fn score(&self) -> [u32; 2] {
        ["score_left", "score_right"].map(|side| self.value(side).and_then(|goals| goals.parse().ok()).unwrap_or(0))
    }

    /// Returns the length and the width of the field (m). They are 18 and 12 unless the server sends other values.
    pub fn field(&self) -> [f64; 2] {
        let told = |name, usual| {
            let told = self.value(name).and_then(|size| size.parse().ok());
            told.filter(|size: &f64| *size > 0.0 && *size < 1e4).unwrap_or(usual)
        };
        [told("FieldLength", 18.0), told("FieldWidth", 12.0)]
    }

    /// Returns the scene as seen from above; `None` before the first scene.
    pub fn above(&self) -> Option<TopView> {
        self.scene.as_deref().map(TopView::from_scene)
    }
}

/// Returns whether a message is in RSMP. An RSMP message is a single list that begins with the name of the protocol.
fn is_rsmp(message: &[u8]) -> bool {
    let text: Vec<u8> = message.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).take(6).collect();
    text.starts_with(b"((RSMP")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Frames, LONGEST};
    use crate::scene::Subject;

    fn watch(stream: &[u8]) -> Client {
        let (mut frames, mut client) = (Frames::new(LONGEST), Client::default());
        frames.push(stream);
        while let Some(message) = frames.next_message().unwrap() {
            client.apply(message).unwrap();
        }
        client
    }

    #[test]
    fn streams_of_real_servers_are_watched() {
        let client = watch(include_bytes!("../tests/captures/simspark_capture.bin"));
        assert_eq!(client.protocol(), Some(Protocol::SimSpark));
        assert_eq!((client.field()[0] > 1.0, client.play_mode()), (true, Some("PlayOn")));
        let above = client.above().unwrap();
        assert!(above.placed.iter().any(|one| one.who == Subject::Ball) && !above.outlines.is_empty());
        let client = watch(include_bytes!("../tests/captures/rsmp_capture.bin"));
        assert_eq!(client.protocol(), Some(Protocol::Rsmp));
        assert!(client.time() > 0.0 && client.above().is_some());
    }

    #[test]
    fn changes_without_a_scene_are_refused() {
        let mut client = Client::default();
        let error = client.apply(b"((time 1))(RDS 0 1)((nd))").unwrap_err().to_string();
        assert!(error.contains("before a full scene"), "{error}");
        client.apply(b"((time 1))(RSG 0 1)((nd TRF (SLT 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1)))").unwrap();
        let error = client.apply(b"((time 2))(RDS 0 1)((nd)(nd))").unwrap_err().to_string();
        assert!(error.contains("do not match the previous scene"), "{error}");
        assert!((client.time() - 2.0).abs() < 1e-9);
    }
}

//! State of a worker, and answers to its page.

use crate::islands::Islands;
use crate::request::Request;
use crate::watch::Watch;
use crate::{measure, trees, worlds};
use serde_json::{Value, json};

/// Maximum length of a request (bytes).
const MAX_REQUEST: usize = 4 << 20;
/// Maximum length of an error (characters). Errors may repeat a part of the request.
const MAX_ERROR: usize = 400;

/// State of a worker: the simulation that is watched, and a part of an evolution.
#[derive(Default)]
pub struct Playground {
    watch: Option<Watch>,
    islands: Option<Islands>,
}

impl Playground {
    /// Answers a request. The answer to an invalid request is `{"error": TEXT}`, where the text is one line.
    pub fn answer(&mut self, request: &str) -> String {
        let answer = match request.len() {
            0..=MAX_REQUEST => serde_json::from_str(request)
                .map_err(|error| format!("request: {error}"))
                .and_then(|request| self.handle(request)),
            length => Err(format!("the request has {length} bytes; at most {MAX_REQUEST} are allowed")),
        };
        let error = |error: String| json!({ "error": error.chars().take(MAX_ERROR).collect::<String>() });
        answer.unwrap_or_else(error).to_string()
    }

    fn handle(&mut self, request: Request) -> Result<Value, String> {
        match request {
            Request::Tree { text, form, world } => {
                let spec = world.map(|world| world.spec()).transpose()?;
                Ok(trees::check(&text, form, spec.as_ref()))
            }
            Request::Convert { text, form, to } => trees::convert(&text, form, to),
            Request::Nodes {} => Ok(trees::nodes()),
            Request::World { world } => world.spec().map(|spec| worlds::view(&spec)),
            Request::Watch { tree, world, seed, run } => {
                let watch = self.watch.insert(Watch::new(&tree, &world, seed, run)?);
                watch.step(0, None)
            }
            Request::Step { updates, robot } => self.watched()?.step(updates, robot),
            Request::Move { body, x, y } => self.watched()?.move_body(body, x, y),
            Request::Simulate { tree, world, seconds, seed, first, count } => {
                measure::simulate(&tree, &world, seconds, seed, (first, count))
            }
            Request::Summarise { fitness, hashes } => measure::summarise(&fitness, &hashes),
            Request::Evolve { settings, islands } => {
                self.islands = Some(Islands::new(&settings, &islands)?);
                Ok(json!({}))
            }
            Request::Generation { island, immigrants } => self.evolving()?.generation(island, &immigrants),
            Request::Exchange { generation, emigrants } => self.evolving()?.exchange(generation, emigrants),
            Request::Champion { island } => self.evolving()?.champion(island),
        }
    }

    fn watched(&mut self) -> Result<&mut Watch, String> {
        self.watch.as_mut().ok_or_else(|| "no simulation; begin one with `watch`".into())
    }

    fn evolving(&mut self) -> Result<&mut Islands, String> {
        self.islands.as_mut().ok_or_else(|| "no evolution; begin one with `evolve`".into())
    }
}

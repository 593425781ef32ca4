//! Threads that send requests to the hub. One thread requests the status, and one sends the commands of the keys. A
//! third thread sends only STOP, so that STOP never waits for the answer to another request.

use super::state::{HubRequest, Input};
use crate::link::hub_address::{self, HubAddress};
use crate::swarm::follow::EventCursor;
use anyhow::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::output;
use xpuck_wire::socket::OperatorLink;

/// Interval between two requests for status and events.
const EVERY: Duration = Duration::from_millis(200);
/// Delay after an error before the thread reconnects.
const AGAIN: Duration = Duration::from_secs(1);

/// Channels to and from the threads. Each thread has its own connection to the hub.
pub struct HubThreads {
    /// Receiver of the threads' results.
    pub inputs: Receiver<Input>,
    asks: Sender<HubRequest>,
    stops: Sender<HubRequest>,
}

impl HubThreads {
    /// Opens the connections and starts the threads.
    ///
    /// # Errors
    /// The hub's address is unknown, or the key for the hub cannot be read.
    pub fn open(address: &HubAddress) -> Result<HubThreads> {
        let (heard, inputs) = channel();
        let (link, _) = address.open()?;
        let hubs = Arc::new(AtomicU64::new(0));
        let asks = asker(address, heard.clone(), hubs.clone())?;
        let stops = asker(address, heard.clone(), hubs.clone())?;
        let address = address.clone();
        spawn("status", move || watch(link, &address, &heard, &hubs))?;
        Ok(HubThreads { inputs, asks, stops })
    }

    /// Sends a request to the hub. The answer arrives in `inputs`.
    pub fn ask(&self, ask: HubRequest) {
        let to = if ask.request == Request::Stop { &self.stops } else { &self.asks };
        // Sending fails if the thread has ended. The caller notices this, because `inputs` is then closed too.
        let _ = to.send(ask);
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    thread::Builder::new().name(name.into()).spawn(work)?;
    Ok(())
}

/// Reports the hub's status and events until the receiver is dropped. Increments `hubs` with each new connection.
fn watch(mut link: OperatorLink, address: &HubAddress, to: &Sender<Input>, hubs: &AtomicU64) {
    let mut follow = EventCursor::default();
    loop {
        let heard = hub_address::status(&link).and_then(|status| {
            let events = hub_address::events(&link, follow.position())?;
            Ok((status, follow.apply(events)))
        });
        let sent = match heard {
            Ok((status, news)) => {
                to.send(Input::Stands(Box::new(status))).and_then(|()| to.send(Input::Happened(news)))
            }
            Err(error) => {
                let sent = to.send(Input::Silent(error_text(&error)));
                thread::sleep(AGAIN);
                // The key or the address may have changed, for example if a new demo was started.
                if let Ok((new, _)) = address.open() {
                    link = new;
                    hubs.fetch_add(1, Ordering::Relaxed);
                }
                sent
            }
        };
        if sent.is_err() {
            return;
        }
        thread::sleep(EVERY);
    }
}

/// Starts a thread that sends requests one at a time, and returns its queue. The thread opens a new connection after
/// a failed request, and whenever the status thread has incremented `hubs`, its number of new connections. Unsent
/// messages of the old connection therefore never reach a hub that returns later.
fn asker(address: &HubAddress, to: Sender<Input>, hubs: Arc<AtomicU64>) -> Result<Sender<HubRequest>> {
    let (asks, asked) = channel::<HubRequest>();
    let mut link = Some(address.open()?.0);
    let address = address.clone();
    spawn("asker", move || {
        let mut known = 0;
        for HubRequest { what, request } in asked {
            let hub = hubs.load(Ordering::Relaxed);
            if std::mem::replace(&mut known, hub) != hub {
                link = None;
            }
            let refused = match send(&mut link, &address, &request) {
                Ok(Reply::Refused(why)) => Some(why),
                Ok(Reply::DoneBut(what)) => Some(format!("done, but {what}")),
                Ok(_) => None,
                Err(error) => {
                    link = None;
                    Some(error_text(&error))
                }
            };
            if to.send(Input::Answered { what, refused }).is_err() {
                return;
            }
        }
    })?;
    Ok(asks)
}

/// Sends a request and returns the reply. Opens a connection if `link` is `None`.
fn send(link: &mut Option<OperatorLink>, address: &HubAddress, request: &Request) -> Result<Reply> {
    let link = match link {
        Some(link) => link,
        None => link.insert(address.open()?.0),
    };
    Ok(link.ask(request)?)
}

fn error_text(error: &Error) -> String {
    output::error_chain(error.as_ref())
}

//! Threads that send requests to the hub: one for its status, and one for commands of the keys. A third thread only
//! sends STOP, so that STOP never waits for another answer.

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

/// Interval between requests for status and events.
const EVERY: Duration = Duration::from_millis(200);
/// Delay before the next attempt after an error.
const AGAIN: Duration = Duration::from_secs(1);

/// Connections to the hub, one for each thread.
pub struct HubThreads {
    /// Results of the threads.
    pub inputs: Receiver<Input>,
    asks: Sender<HubRequest>,
    stops: Sender<HubRequest>,
}

impl HubThreads {
    /// Starts the threads.
    ///
    /// # Errors
    /// The hub's address is unknown, or its key cannot be read.
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

    /// Sends a request to the hub; the answer arrives as an input.
    pub fn ask(&self, ask: HubRequest) {
        let to = if ask.request == Request::Stop { &self.stops } else { &self.asks };
        // If the thread has ended, the input channel is closed too.
        let _ = to.send(ask);
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    thread::Builder::new().name(name.into()).spawn(work)?;
    Ok(())
}

/// Reports the hub's state until the receiver is gone. Increments `hubs` with each new connection.
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

/// Starts a thread that sends requests one at a time. The thread opens a new connection after a failed request, or
/// after a new connection of the status thread. Queued requests therefore never reach a hub that comes back later.
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

/// Sends a request, through a new connection if there is none.
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

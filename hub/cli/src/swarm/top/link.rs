//! Threads that ask the hub: one how it stands, one what the keys say, and one for STOP alone, which waits for no answer to
//! something else.

use super::state::{Ask, Input};
use crate::link::hub_address::{self, HubAddress};
use crate::swarm::follow::Follow;
use anyhow::{Error, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::output;
use xpuck_wire::socket::OperatorLink;

/// The hub is asked so often how it stands and what happened.
const EVERY: Duration = Duration::from_millis(200);
/// It is asked again so long after it said that it does not know the key, or something else than an answer.
const AGAIN: Duration = Duration::from_secs(1);

/// The threads.
pub struct Links {
    /// What they hear.
    pub inputs: Receiver<Input>,
    asks: Sender<Ask>,
    stops: Sender<Ask>,
}

impl Links {
    /// Starts them.
    ///
    /// # Errors
    /// No hub is known here, or its key cannot be read.
    pub fn open(address: &HubAddress) -> Result<Links> {
        let (heard, inputs) = channel();
        let (link, _) = address.open()?;
        let hubs = Arc::new(AtomicU64::new(0));
        let asks = asker(address, heard.clone(), hubs.clone())?;
        let stops = asker(address, heard.clone(), hubs.clone())?;
        let address = address.clone();
        spawn("status", move || watch(link, &address, &heard, &hubs))?;
        Ok(Links { inputs, asks, stops })
    }

    /// Asks the hub for something; the answer is an input.
    pub fn ask(&self, ask: Ask) {
        let to = if ask.request == Request::Stop { &self.stops } else { &self.asks };
        // A thread that has ended has closed the inputs too.
        let _ = to.send(ask);
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    thread::Builder::new().name(name.into()).spawn(work)?;
    Ok(())
}

/// Tells how the hub stands until nobody listens. Counts in `hubs` how often it looked for the hub anew.
fn watch(mut link: OperatorLink, address: &HubAddress, to: &Sender<Input>, hubs: &AtomicU64) {
    let mut follow = Follow::default();
    loop {
        let heard = hub_address::status(&link).and_then(|status| {
            let events = hub_address::events(&link, follow.question())?;
            Ok((status, follow.take(events)))
        });
        let sent = match heard {
            Ok((status, news)) => {
                to.send(Input::Stands(Box::new(status))).and_then(|()| to.send(Input::Happened(news)))
            }
            Err(error) => {
                let sent = to.send(Input::Silent(said(&error)));
                thread::sleep(AGAIN);
                // The key or the address may be another by now, as those of a demo are.
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

/// A thread that asks one after the other. Where a request failed, or the hub was looked for anew, the next one gets a new
/// link: what waits in the old one must not reach a hub that comes back later.
fn asker(address: &HubAddress, to: Sender<Input>, hubs: Arc<AtomicU64>) -> Result<Sender<Ask>> {
    let (asks, asked) = channel::<Ask>();
    let mut link = Some(address.open()?.0);
    let address = address.clone();
    spawn("asker", move || {
        let mut known = 0;
        for Ask { what, request } in asked {
            let hub = hubs.load(Ordering::Relaxed);
            if std::mem::replace(&mut known, hub) != hub {
                link = None;
            }
            let refused = match put(&mut link, &address, &request) {
                Ok(Reply::Refused(why)) => Some(why),
                Ok(Reply::DoneBut(what)) => Some(format!("done, but {what}")),
                Ok(_) => None,
                Err(error) => {
                    link = None;
                    Some(said(&error))
                }
            };
            if to.send(Input::Answered { what, refused }).is_err() {
                return;
            }
        }
    })?;
    Ok(asks)
}

/// Asks, through a new link if there is none.
fn put(link: &mut Option<OperatorLink>, address: &HubAddress, request: &Request) -> Result<Reply> {
    let link = match link {
        Some(link) => link,
        None => link.insert(address.open()?.0),
    };
    Ok(link.ask(request)?)
}

fn said(error: &Error) -> String {
    output::sentence(error.as_ref())
}

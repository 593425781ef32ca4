//! Navigate module: converts commands to wheel powers for a duration. Only the command of the highest priority is
//! active.

use super::{FULL, LEFT, Outbox, RIGHT};
use crate::automaton::{Kind, Message, Module};

#[derive(Clone, Debug)]
pub(in crate::cargo) struct Navigate {
    current: Option<Current>,
    power: i16,
}

#[derive(Clone, Copy, Debug)]
struct Current {
    client: Module,
    priority: u8,
    end: u32,
}

impl Navigate {
    pub fn new() -> Navigate {
        Navigate { current: None, power: FULL }
    }

    pub fn handle(&mut self, message: Message, client: Module, priority: u8, out: &mut Outbox) {
        match message.kind {
            Kind::NavigateFast => self.power = FULL,
            Kind::NavigateSlow => self.power = FULL / 2,
            Kind::NavigateStop => {
                if self.current.is_some_and(|current| current.client == client) {
                    self.release(out);
                }
            }
            kind => self.command(kind, message.arguments[0], client, priority, out),
        }
    }

    fn command(&mut self, kind: Kind, time: i16, client: Module, priority: u8, out: &mut Outbox) {
        if let Some(current) = self.current
            && current.client != client
        {
            if current.priority > priority {
                out.send(Module::Navigate, client, Kind::NavigateBusy, [0; 2]);
                return;
            }
            self.release(out);
            out.send(Module::Navigate, current.client, Kind::NavigateInterrupted, [0; 2]);
        }
        let power = self.power;
        let mut time = u32::from(time.unsigned_abs());
        let (left, right) = match kind {
            Kind::NavigateForward => (power, power),
            Kind::NavigateBackward => (-power, -power),
            Kind::NavigateLeft => (0, power),
            Kind::NavigateRight => (power, 0),
            Kind::NavigateAroundLeft => (-power, power),
            Kind::NavigateAroundRight => (power, -power),
            Kind::NavigateTurnRandom => {
                let turn = out.draws.word();
                time = (time * (turn >> 16)) >> 16;
                if turn & 1 == 0 { (power, -power) } else { (-power, power) }
            }
            _ => return,
        };
        let end = if time == 0 && kind != Kind::NavigateTurnRandom { u32::MAX } else { out.now + time };
        self.current = Some(Current { client, priority, end });
        let motor = [(LEFT, left), (RIGHT, right)];
        for (motor, power) in motor {
            out.send_with_priority(
                Module::Navigate,
                Module::Motordriver,
                priority,
                Kind::MotordriverPower,
                [motor, power],
            );
        }
    }

    fn release(&mut self, out: &mut Outbox) {
        if let Some(Current { priority, .. }) = self.current.take() {
            for motor in [LEFT, RIGHT] {
                out.send_with_priority(
                    Module::Navigate,
                    Module::Motordriver,
                    priority,
                    Kind::MotordriverNoPower,
                    [motor, 0],
                );
            }
        }
    }

    /// Returns whether a command from `client` is active.
    pub fn serves(&self, client: Module) -> bool {
        self.current.is_some_and(|current| current.client == client)
    }

    pub fn wake_at(&self) -> u32 {
        self.current.map_or(u32::MAX, |current| current.end)
    }

    pub fn wake(&mut self, out: &mut Outbox) {
        if let Some(current) = self.current {
            self.release(out);
            out.send(Module::Navigate, current.client, Kind::NavigateFinished, [0; 2]);
        }
    }
}

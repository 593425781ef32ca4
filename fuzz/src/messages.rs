//! Fuzzes the decoders of all kinds of messages. An encoded message must keep its bytes when it is decoded and
//! encoded again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_wire::codec::{Message, decode, encode};
use xpuck_wire::message::{Reply, Request, RobotMessage, ToRobot, ToWorker, WorkerMessage};
use xpuck_wire::seal::Sealed;
use xpuck_wire::signed::{Signed, Trust};

fn check<T: Message>(bytes: &[u8]) {
    match decode::<T>(bytes) {
        Ok(message) => {
            let again = encode(&message);
            assert!(encode(&decode::<T>(&again).unwrap()) == again);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fuzz_target!(|bytes: &[u8]| {
    check::<RobotMessage>(bytes);
    check::<ToRobot>(bytes);
    check::<Sealed>(bytes);
    check::<WorkerMessage>(bytes);
    check::<ToWorker>(bytes);
    check::<Request>(bytes);
    check::<Reply>(bytes);
    if let Ok(signed) = decode::<Signed>(bytes) {
        check::<Signed>(bytes);
        if let Err(error) = signed.open(&Trust::nobody()) {
            assert!(!error.to_string().is_empty());
        }
    }
});

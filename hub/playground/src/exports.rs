//! Functions that WebAssembly exports. A page writes a request into the buffer of [`reserve`], and calls [`answer`].

use crate::Playground;
use std::cell::RefCell;

#[derive(Default)]
struct State {
    playground: Playground,
    /// Request, and then its answer, as UTF-8 text.
    text: Vec<u8>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Returns the address of a buffer for a request of `length` bytes.
#[allow(unsafe_code, reason = "a browser finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        state.text.clear();
        state.text.resize(length, b' ');
        state.text.as_mut_ptr()
    })
}

/// Answers the request in the buffer, and returns the length of the answer (bytes). [`text`] returns its address.
#[allow(unsafe_code, reason = "a browser finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    STATE.with_borrow_mut(|state| {
        let request = String::from_utf8_lossy(&state.text);
        let answer = state.playground.answer(&request);
        state.text = answer.into_bytes();
        state.text.len()
    })
}

/// Returns the address of the last answer.
#[allow(unsafe_code, reason = "a browser finds functions by their names")]
#[unsafe(no_mangle)]
pub extern "C" fn text() -> *const u8 {
    STATE.with_borrow(|state| state.text.as_ptr())
}

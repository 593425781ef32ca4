//! Verilated top level of the board, with its input and output pins.

use std::ffi::c_void;
use std::ptr::NonNull;

/// Pins in the layout of `glue.cpp`: first the inputs, then the outputs of the logic.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pins {
    pub osc: u8,
    pub cam_pclk: u8,
    pub cam_href: u8,
    pub cam_vsync: u8,
    pub cam_d: u8,
    pub ft_clkout: u8,
    pub ft_txe_n: u8,
    pub host_sck: u8,
    pub host_mosi: u8,
    pub host_ss_n: u8,
    pub body_miso: u8,
    pub ft_d: u8,
    pub ft_wr_n: u8,
    pub host_miso: u8,
    pub body_sck: u8,
    pub body_mosi: u8,
    pub body_ss_n: u8,
    pub pixels: u8,
    pub cam_mclk: u8,
    pub aux: u16,
}

#[allow(unsafe_code, reason = "the translated logic is C++")]
unsafe extern "C" {
    fn shim_new() -> *mut c_void;
    fn shim_free(top: *mut c_void);
    fn shim_eval(top: *mut c_void, pins: *mut Pins);
}

/// Instance of the verilated logic.
#[derive(Debug)]
pub(crate) struct Top {
    model: NonNull<c_void>,
    pub(crate) pins: Pins,
}

// SAFETY: the model is an independent C++ object, and only its owner accesses it.
#[allow(unsafe_code, reason = "it is tied to no thread")]
unsafe impl Send for Top {}

impl Top {
    /// Creates the logic in the state that follows its configuration.
    #[allow(unsafe_code, reason = "a call to C++")]
    pub(crate) fn new() -> Top {
        // SAFETY: the function takes no arguments and returns a new object.
        let model = NonNull::new(unsafe { shim_new() }).expect("C++ gives an object or ends the program");
        let mut top = Top { model, pins: Pins { host_ss_n: 1, ft_txe_n: 1, ..Pins::default() } };
        top.eval();
        top
    }

    /// Applies the input pins, evaluates the logic, and updates the output pins.
    #[allow(unsafe_code, reason = "a call to C++")]
    pub(crate) fn eval(&mut self) {
        // SAFETY: the model is alive until `drop`, and `Pins` has the layout that the function expects.
        unsafe { shim_eval(self.model.as_ptr(), &mut self.pins) }
    }
}

impl Drop for Top {
    #[allow(unsafe_code, reason = "a call to C++")]
    fn drop(&mut self) {
        // SAFETY: no other reference to the model exists, and the model is not used after this call.
        unsafe { shim_free(self.model.as_ptr()) }
    }
}

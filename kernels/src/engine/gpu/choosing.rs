//! What whoever chooses an engine asks before worlds run.

use super::adapters;
use super::{AdapterChoice, Gpu, GpuError, supported};
use crate::world::WorldSpec;

impl Gpu {
    /// Says whether an adapter is there and has what the kernels need, without opening it.
    ///
    /// # Errors
    /// As [`Gpu::open_adapter`].
    pub fn check_adapter(choice: &AdapterChoice) -> Result<(), GpuError> {
        let (told, there): (Vec<_>, Vec<_>) = adapters::all().into_iter().unzip();
        let place = adapters::chosen(&told, choice)?;
        adapters::sufficient(&told[place].name, &there[place].limits())
    }

    /// Says whether the kernels can run a world; what they cannot run is run by `simd`.
    ///
    /// # Errors
    /// What they lack.
    pub fn supports(&self, spec: &WorldSpec) -> Result<(), GpuError> {
        supported(spec)
    }

    /// Gives the device back, as if it had been lost.
    pub(crate) fn destroy(&self) {
        self.device.lose();
    }
}

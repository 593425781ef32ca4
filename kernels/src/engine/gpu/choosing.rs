//! Capability checks made before an engine is chosen.

use super::adapters;
use super::{AdapterChoice, Gpu, GpuError, supported};
use crate::world::WorldSpec;

impl Gpu {
    /// Checks without opening it that an adapter exists and fulfils the requirements of the kernels.
    ///
    /// # Errors
    /// Same as [`Gpu::open_adapter`].
    pub fn check_adapter(choice: &AdapterChoice) -> Result<(), GpuError> {
        let (told, there): (Vec<_>, Vec<_>) = adapters::enumerate().into_iter().unzip();
        let place = adapters::select(&told, choice)?;
        adapters::check_limits(&told[place].name, &there[place].limits())
    }

    /// Checks that the kernels can run a world; `simd` runs all other worlds.
    ///
    /// # Errors
    /// The exceeded limit.
    pub fn supports(&self, spec: &WorldSpec) -> Result<(), GpuError> {
        supported(spec)
    }

    /// Destroys the device, as if it had been lost.
    pub(crate) fn destroy(&self) {
        self.device.destroy();
    }
}

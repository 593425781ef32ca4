//! Capability checks made before an engine is chosen.

use super::adapters;
use super::{Gpu, GpuError, supported};
use crate::engine::AdapterChoice;
use crate::world::WorldSpec;

impl Gpu {
    /// Checks that an adapter exists and fulfils the requirements of the kernels. The adapter is not opened.
    ///
    /// # Errors
    /// The same errors as [`Gpu::open_adapter`].
    pub fn check_adapter(choice: &AdapterChoice) -> Result<(), GpuError> {
        let (told, there): (Vec<_>, Vec<_>) = adapters::enumerate().into_iter().unzip();
        let place = adapters::select(&told, choice)?;
        adapters::check_limits(&told[place].name, &there[place].limits())
    }

    /// Checks that the kernels can run a world. `simd` runs worlds that the kernels cannot run.
    ///
    /// # Errors
    /// If the world exceeds a limit of the kernels. The error contains the limit.
    pub fn supports(&self, spec: &WorldSpec) -> Result<(), GpuError> {
        supported(spec)
    }

    /// Destroys the device, for tests of the recovery after a loss.
    pub(crate) fn destroy(&self) {
        self.device.destroy();
    }
}

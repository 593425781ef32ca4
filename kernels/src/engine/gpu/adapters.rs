//! GPU adapters of this machine: enumeration, selection, and check of the limits that the kernels need.

use super::error::GpuError;
use crate::engine::AdapterChoice;
use std::fmt::{self, Display};
use wgpu::DeviceType;

/// Kind of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AdapterKind {
    /// A GPU with its own memory.
    Discrete,
    /// A GPU that shares the processor's memory.
    Integrated,
    /// A GPU that a host provides to a virtual machine.
    Virtual,
    /// An adapter of another or unknown kind.
    Other,
    /// A software implementation on the CPU.
    Software,
}

impl Display for AdapterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AdapterKind::Discrete => "discrete",
            AdapterKind::Integrated => "integrated",
            AdapterKind::Virtual => "virtual",
            AdapterKind::Other => "other",
            AdapterKind::Software => "software",
        })
    }
}

/// Limits of an adapter that matter to the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdapterLimits {
    /// Maximum number of invocations per workgroup.
    pub workgroup_invocations: u32,
    /// Shared memory of a workgroup (bytes).
    pub workgroup_bytes: u32,
    /// Maximum number of storage buffers per kernel.
    pub storage_buffers: u32,
    /// Maximum size of a storage buffer (bytes).
    pub storage_bytes: u64,
    /// Minimum and maximum subgroup size (invocations).
    pub subgroup: (u32, u32),
}

/// An adapter of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// Index among the adapters of this machine, in the order of the drivers.
    pub index: usize,
    /// Name that the driver reports.
    pub name: String,
    /// Kind of the adapter.
    pub kind: AdapterKind,
    /// Name and version of the driver.
    pub driver: String,
    /// Limits that matter to the kernels.
    pub limits: AdapterLimits,
}

impl Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.index, self.name, self.kind)
    }
}

/// Returns the limits that the kernels request. Every Vulkan GPU supports these limits. They match the Raspberry Pi 5
/// (V3DV), which supports 256 invocations and 16 KiB per workgroup, and 8 storage buffers.
pub(super) fn required_limits() -> wgpu::Limits {
    wgpu::Limits { max_storage_buffers_per_shader_stage: 8, ..wgpu::Limits::downlevel_defaults() }
}

/// Checks the limits of an adapter. If a limit is too low, the error contains its name, its value, and the required
/// value.
pub(super) fn check_limits(adapter: &str, there: &wgpu::Limits) -> Result<(), GpuError> {
    let mut lacking = None;
    required_limits()
        .check_limits_with_fail_fn(there, true, |limit, needed, there| lacking = Some((limit, needed, there)));
    match lacking {
        None => Ok(()),
        Some((limit, needed, there)) => Err(GpuError::Limits { adapter: adapter.to_string(), limit, needed, there }),
    }
}

/// Returns all Vulkan adapters in the order of their drivers.
pub(super) fn enumerate() -> Vec<(Adapter, wgpu::Adapter)> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = wgpu::Backends::VULKAN;
    let instance = wgpu::Instance::new(descriptor);
    let found = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    found.into_iter().enumerate().map(|(index, adapter)| (describe(index, &adapter), adapter)).collect()
}

fn describe(index: usize, adapter: &wgpu::Adapter) -> Adapter {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    Adapter {
        index,
        name: info.name,
        kind: match info.device_type {
            DeviceType::DiscreteGpu => AdapterKind::Discrete,
            DeviceType::IntegratedGpu => AdapterKind::Integrated,
            DeviceType::VirtualGpu => AdapterKind::Virtual,
            DeviceType::Other => AdapterKind::Other,
            DeviceType::Cpu => AdapterKind::Software,
        },
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_string(),
        limits: AdapterLimits {
            workgroup_invocations: limits.max_compute_invocations_per_workgroup,
            workgroup_bytes: limits.max_compute_workgroup_storage_size,
            storage_buffers: limits.max_storage_buffers_per_shader_stage,
            storage_bytes: limits.max_storage_buffer_binding_size,
            subgroup: (info.subgroup_min_size, info.subgroup_max_size),
        },
    }
}

/// Returns the position of the selected adapter in the list.
pub(super) fn select(there: &[Adapter], choice: &AdapterChoice) -> Result<usize, GpuError> {
    let list = || there.iter().map(Adapter::to_string).collect::<Vec<_>>().join(", ");
    let not_there = || GpuError::NotThere { choice: choice.to_string(), there: list() };
    if there.is_empty() {
        return Err(GpuError::NoAdapter);
    }
    match choice {
        AdapterChoice::Best => (0..there.len()).min_by_key(|place| there[*place].kind).ok_or(GpuError::NoAdapter),
        AdapterChoice::Index(index) => there.iter().position(|a| a.index == *index).ok_or_else(not_there),
        AdapterChoice::Name(part) => {
            let part = part.to_lowercase();
            let mut fits = (0..there.len()).filter(|place| there[*place].name.to_lowercase().contains(&part));
            let first = fits.next().ok_or_else(not_there)?;
            match fits.next() {
                None => Ok(first),
                Some(_) => Err(GpuError::Ambiguous { choice: choice.to_string(), there: list() }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(index: usize, name: &str, kind: AdapterKind) -> Adapter {
        let limits = AdapterLimits {
            workgroup_invocations: 256,
            workgroup_bytes: 16_384,
            storage_buffers: 8,
            storage_bytes: 1 << 27,
            subgroup: (16, 16),
        };
        Adapter { index, name: name.into(), kind, driver: "a driver 1.0".into(), limits }
    }

    #[test]
    fn adapters_are_chosen_by_index_or_by_part_of_a_name() {
        let there = [
            adapter(0, "llvmpipe (LLVM 15.0.6, 256 bits)", AdapterKind::Software),
            adapter(1, "Card 400", AdapterKind::Discrete),
            adapter(2, "Card 4000", AdapterKind::Discrete),
        ];
        let choose = |text: &str| select(&there, &text.parse().unwrap());
        assert_eq!(choose("1"), Ok(1));
        assert_eq!(choose("LLVMPIPE"), Ok(0));
        assert_eq!(
            choose("4000"),
            Err(GpuError::NotThere {
                choice: "4000".into(),
                there: "0 llvmpipe (LLVM 15.0.6, 256 bits) (software), 1 Card 400 (discrete), 2 Card 4000 (discrete)"
                    .into()
            })
        );
        assert_eq!(choose("card 4000"), Ok(2));
        let two = choose("card").unwrap_err().to_string();
        assert!(two.contains("\"card\"") && two.contains("1 Card 400 (discrete), 2 Card 4000"), "{two}");
        let none = choose("arc").unwrap_err().to_string();
        assert!(none.contains("\"arc\"") && none.contains("0 llvmpipe"), "{none}");
        assert_eq!(select(&there, &AdapterChoice::Best), Ok(1));
        assert_eq!(select(&[], &AdapterChoice::Index(0)), Err(GpuError::NoAdapter));
    }

    #[test]
    fn insufficient_limit_is_named_with_both_values() {
        // Limits that the driver of the Raspberry Pi 5 (V3DV) reports.
        let pi = wgpu::Limits {
            max_compute_invocations_per_workgroup: 256,
            max_compute_workgroup_storage_size: 16_384,
            max_storage_buffers_per_shader_stage: 8,
            ..required_limits()
        };
        assert_eq!(check_limits("V3D 7.1", &pi), Ok(()));
        let small = wgpu::Limits { max_compute_workgroup_storage_size: 8192, ..pi };
        let error = check_limits("V3D 4.2", &small).unwrap_err().to_string();
        assert!(error.contains("V3D 4.2") && error.contains("max_compute_workgroup_storage_size"), "{error}");
        assert!(error.contains("8192") && error.contains("16352"), "{error}");
    }
}

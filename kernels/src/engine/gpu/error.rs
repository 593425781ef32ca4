//! Errors of the GPU engine.

/// Reason why the GPU cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// There is no Vulkan driver, or no device.
    #[error("no Vulkan adapter; install a driver (Debian: mesa-vulkan-drivers) or use engine simd")]
    NoAdapter,
    /// The requested adapter does not exist.
    #[error("no adapter matches \"{choice}\"; available: {there}")]
    NotThere {
        /// Index of the requested adapter, or part of its name.
        choice: String,
        /// List of the available adapters.
        there: String,
    },
    /// Several adapters match the requested name.
    #[error("\"{choice}\" matches several adapters; use a longer name or the index: {there}")]
    Ambiguous {
        /// Requested part of a name.
        choice: String,
        /// List of the available adapters.
        there: String,
    },
    /// A limit of the adapter is too low.
    #[error("{adapter}: {limit} is {there}, but the kernels need {needed}; choose another adapter or use engine simd")]
    Limits {
        /// Name of the adapter.
        adapter: String,
        /// Name of the limit in the WebGPU standard.
        limit: &'static str,
        /// Value that the kernels need.
        needed: u64,
        /// Value that the adapter supports.
        there: u64,
    },
    /// The device cannot be opened, or it rejected an operation.
    #[error("{adapter}: {why}")]
    Refused {
        /// Name of the adapter.
        adapter: String,
        /// Message of the driver.
        why: String,
    },
    /// The device was lost during a run.
    #[error("{adapter}: device lost during a run: {why}")]
    Lost {
        /// Name of the adapter.
        adapter: String,
        /// Message of the driver.
        why: String,
    },
    /// The kernels do not support the number of robots, but other engines do.
    #[error("{robots} robots in a world; the GPU kernels support 1 to {most}")]
    Robots {
        /// Number of robots in the world.
        robots: usize,
        /// Maximum number of robots in a world on the GPU.
        most: usize,
    },
    /// The task is a formula that the kernels do not compute, for a reason.
    #[error("the GPU kernels do not compute this objective, because {0}")]
    Objective(&'static str),
    /// The world has more objects of a kind than the kernels support.
    #[error("{count} {what} in a world; the GPU kernels support at most {most}")]
    TooMany {
        /// Plural name of the kind of object.
        what: &'static str,
        /// Number of these objects in the world.
        count: usize,
        /// Maximum number of these objects on the GPU.
        most: usize,
    },
    /// A world stopped before all its updates were done.
    #[error(
        "{adapter}: a world stopped after {done} of {wanted} updates, because the adapter limits loops; use another adapter, or engine simd"
    )]
    Short {
        /// Name of the adapter.
        adapter: String,
        /// Number of updates done.
        done: u32,
        /// Number of updates requested.
        wanted: u32,
    },
}

//! Why the GPU cannot be used.

/// Why the GPU cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// No Vulkan driver or no device.
    #[error("no Vulkan adapter; install a driver (Debian: mesa-vulkan-drivers) or use engine simd")]
    NoAdapter,
    /// The adapter that was asked for is not there.
    #[error("no adapter \"{choice}\"; there are: {there}")]
    NotThere {
        /// What was asked for.
        choice: String,
        /// The adapters that are there.
        there: String,
    },
    /// Several adapters have the name that was asked for.
    #[error("\"{choice}\" fits several adapters; give more of the name or the index: {there}")]
    Ambiguous {
        /// What was asked for.
        choice: String,
        /// The adapters that are there.
        there: String,
    },
    /// The adapter has too little of something.
    #[error("{adapter}: {limit} is {there}, the kernels need {needed}; choose another adapter or use engine simd")]
    Limits {
        /// Its name.
        adapter: String,
        /// The limit's name in WebGPU.
        limit: &'static str,
        /// What the kernels need.
        needed: u64,
        /// What the adapter has.
        there: u64,
    },
    /// The device cannot be opened or does not have what the kernels need.
    #[error("{adapter}: {why}")]
    Refused {
        /// Its name.
        adapter: String,
        /// What it said.
        why: String,
    },
    /// It was lost while worlds ran on it.
    #[error("{adapter}: lost in mid-run: {why}")]
    Lost {
        /// Its name.
        adapter: String,
        /// What it said.
        why: String,
    },
    /// The world has something that only the other engines have.
    #[error("{robots} robots in a world; the GPU kernels take 1 to {most}")]
    Robots {
        /// Robots of the world.
        robots: usize,
        /// Most that a world on the GPU may have.
        most: usize,
    },
    /// The world has more of something than the kernels have room for.
    #[error("{count} {what} in a world; the GPU kernels take at most {most}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// Worlds stopped before their time.
    #[error("{adapter}: a world did {done} updates of {wanted}; the adapter ends long loops early")]
    Short {
        /// Its name.
        adapter: String,
        /// Updates done.
        done: u32,
        /// Updates asked for.
        wanted: u32,
    },
}

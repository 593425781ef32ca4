//! GPU device with its pipelines and buffers. All calls of wgpu except the enumeration of adapters are in this
//! module.

use super::adapters::{self, AdapterKind};
use super::error::GpuError;
use super::layout::Layout;
use super::params::Params;
use super::robot::RobotConstants;
use crate::engine::AdapterChoice;
use bytemuck::{bytes_of, cast_slice, cast_slice_mut};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wgpu::{BindGroup, Buffer, BufferUsages, ComputePipeline, PollType, SubmissionIndex};

/// Function that generates the kernel source for a layout and a robot model.
type Source = Box<dyn Fn(&Layout, &RobotConstants) -> String + Send + Sync>;

/// Layout, robot constants and entry point of a kernel.
type KernelKey = (Layout, Vec<u32>, &'static str);

/// An open device with its kernels.
pub(super) struct Device {
    pub name: String,
    /// Whether the adapter is a software adapter. Software adapters limit loop iterations.
    pub software: bool,
    /// Minimum subgroup size of the adapter (invocations).
    pub subgroup: usize,
    /// Maximum size of a storage buffer (bytes).
    pub storage_bytes: usize,
    device: wgpu::Device,
    queue: wgpu::Queue,
    source: Source,
    bindings: wgpu::BindGroupLayout,
    /// Pipelines by layout, robot constants and entry point, compiled on first use.
    kernels: Mutex<BTreeMap<KernelKey, ComputePipeline>>,
    /// Buffers of finished batches, for reuse.
    free: Mutex<Vec<Buffers>>,
    lost: Arc<AtomicBool>,
    loss_reason: Arc<Mutex<String>>,
}

/// Input of a batch of worlds.
pub(super) struct Batch<'a> {
    pub layout: Layout,
    pub robot: RobotConstants,
    pub params: Params,
    /// First words of the buffers `state`, `memory`, `past` and `score`; the remaining words start as zero.
    pub first: [&'a [u32]; 4],
    pub state_words: usize,
    pub programs: &'a [u32],
    pub table: &'a [u32],
    /// Numbers of words of three buffers. `memory` is for node memories, `work` is for contacts and neighbour masks,
    /// and `past` is for arena cells and past poses.
    pub memory: usize,
    pub work: usize,
    pub past: usize,
    /// Number of words of the scores of an objective.
    pub score_words: usize,
    /// Numbers of words to read back: from the buffers `state`, `memory`, `past` and `score`.
    pub outcome: [usize; 4],
}

/// Buffers of a batch, reused by later batches.
struct Buffers {
    params: Buffer,
    storage: [Buffer; STORAGE],
    staging: Buffer,
    group: BindGroup,
}

/// Indices of the storage buffers in [`Buffers::storage`].
const STATE: usize = 0;
const PROGRAMS: usize = 1;
const MEMORY: usize = 2;
const PAST: usize = 4;
const TABLE: usize = 5;
const SCORE: usize = 6;
/// Buffers with the state of worlds, in the order of [`Batch::first`] and [`Batch::outcome`].
const WORLD_BUFFERS: [usize; 4] = [STATE, MEMORY, PAST, SCORE];
/// Number of storage buffers.
const STORAGE: usize = 7;

/// A batch of worlds on the device.
pub(super) struct InFlightBatch {
    buffers: Buffers,
    params: Params,
    advance: ComputePipeline,
    groups: u32,
    outcome: [u64; 4],
    last: Option<SubmissionIndex>,
}

/// Returns the size of a number of words (bytes).
fn bytes(words: usize) -> u64 {
    (words * size_of::<u32>()) as u64
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl InFlightBatch {
    /// Returns the parameters with which the batch was submitted.
    pub fn params(&self) -> &Params {
        &self.params
    }
}

impl Device {
    /// Opens an adapter. `source` generates the source code of the kernels.
    pub fn open(
        choice: &AdapterChoice,
        source: impl Fn(&Layout, &RobotConstants) -> String + Send + Sync + 'static,
    ) -> Result<Device, GpuError> {
        let (told, mut there): (Vec<_>, Vec<_>) = adapters::enumerate().into_iter().unzip();
        let place = adapters::select(&told, choice)?;
        let (info, adapter) = (&told[place], there.swap_remove(place));
        adapters::check_limits(&info.name, &adapter.limits())?;
        let refused = |why: String| GpuError::Refused { adapter: info.name.clone(), why };
        let required_limits = adapters::required_limits();
        let storage_bytes = required_limits.max_storage_buffer_binding_size as usize;
        let wanted = wgpu::DeviceDescriptor { label: Some("xpuck"), required_limits, ..Default::default() };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&wanted)).map_err(|e| refused(e.to_string()))?;
        let (lost, why) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(String::new())));
        let note = {
            let (lost, why) = (lost.clone(), why.clone());
            move |text: String| {
                if !lost.swap(true, Ordering::SeqCst) {
                    *locked(&why) = text;
                }
            }
        };
        let note = Arc::new(note);
        let (on_lost, on_error) = (note.clone(), note);
        device.set_device_lost_callback(move |_, text| on_lost(text));
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| on_error(e.to_string())));
        let binding = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let storage = |i: usize| wgpu::BufferBindingType::Storage { read_only: i == PROGRAMS || i == TABLE };
        let mut entries = vec![binding(0, wgpu::BufferBindingType::Uniform)];
        entries.extend((0..STORAGE).map(|i| binding(i as u32 + 1, storage(i))));
        let bindings =
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let open = Device {
            name: info.name.clone(),
            software: info.kind == AdapterKind::Software,
            subgroup: info.limits.subgroup.0 as usize,
            storage_bytes,
            device,
            queue,
            source: Box::new(source),
            bindings,
            kernels: Mutex::default(),
            free: Mutex::default(),
            lost,
            loss_reason: why,
        };
        open.check()?;
        Ok(open)
    }

    /// Returns the pipeline of an entry point for a layout and a robot model. Compiles the pipeline on first use.
    pub(super) fn kernel(
        &self,
        layout: &Layout,
        robot: &RobotConstants,
        entry: &'static str,
    ) -> Result<ComputePipeline, GpuError> {
        let mut kernels = locked(&self.kernels);
        let kernel = kernels.entry((*layout, robot.key(), entry)).or_insert_with(|| {
            let source = (self.source)(layout, robot);
            let descriptor =
                wgpu::ShaderModuleDescriptor { label: Some(entry), source: wgpu::ShaderSource::Wgsl(source.into()) };
            // Loop bounding is off, because counters in every loop reduce the speed on GPUs by a quarter.
            let checks =
                wgpu::ShaderRuntimeChecks { force_loop_bounding: false, ..wgpu::ShaderRuntimeChecks::checked() };
            // SAFETY: Indices are checked, and all loops end. Some loops run over a list whose length does not change
            // in the loop. The others run along a chain of bodies or nodes in one direction only. A test in `code`
            // checks the jumps of programs.
            #[allow(unsafe_code, reason = "the kernels are our own, not a stranger's")]
            let module = unsafe { self.device.create_shader_module_trusted(descriptor, checks) };
            let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &[Some(&self.bindings)],
                immediate_size: 0,
            });
            self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // The kernels initialise all variables before they read them.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        });
        self.check()?;
        Ok(kernel.clone())
    }

    /// Returns an error if the device is lost.
    pub fn check(&self) -> Result<(), GpuError> {
        if !self.is_lost() {
            return Ok(());
        }
        Err(GpuError::Lost { adapter: self.name.clone(), why: locked(&self.loss_reason).clone() })
    }

    /// Marks the device as lost after a failed operation, because not every driver reports the loss.
    fn mark_lost(&self, why: &dyn std::fmt::Display) -> GpuError {
        if !self.lost.swap(true, Ordering::SeqCst) {
            *locked(&self.loss_reason) = why.to_string();
        }
        GpuError::Lost { adapter: self.name.clone(), why: locked(&self.loss_reason).clone() }
    }

    /// Returns true if the device is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::SeqCst)
    }

    /// Destroys the device, for tests of the recovery after a loss.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// Uploads worlds to the device, without running an update.
    pub fn submit(&self, batch: &Batch<'_>) -> Result<InFlightBatch, GpuError> {
        self.begin_stage(batch, "advance")
    }

    /// Uploads worlds like [`Device::submit`], but for dispatches of the entry point `entry`.
    pub fn begin_stage(&self, batch: &Batch<'_>, entry: &'static str) -> Result<InFlightBatch, GpuError> {
        let advance = self.kernel(&batch.layout, &batch.robot, entry)?;
        let [_, _, past, _] = batch.outcome;
        let sizes = [
            batch.state_words,
            batch.programs.len(),
            batch.memory,
            batch.work,
            batch.past.max(past),
            batch.table.len(),
            batch.score_words,
        ];
        let buffers = self.buffers(&sizes.map(bytes), bytes(batch.outcome.iter().sum()));
        let known = [(PROGRAMS, batch.programs), (TABLE, batch.table)];
        for (number, words) in known.into_iter().chain(WORLD_BUFFERS.into_iter().zip(batch.first)) {
            self.queue.write_buffer(&buffers.storage[number], 0, cast_slice(words));
        }
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (number, from) in WORLD_BUFFERS.into_iter().zip(batch.first.map(<[u32]>::len)) {
            if sizes[number] > from {
                encoder.clear_buffer(&buffers.storage[number], bytes(from), Some(bytes(sizes[number] - from)));
            }
        }
        self.queue.submit([encoder.finish()]);
        let groups = batch.params.batch / batch.params.worlds;
        Ok(InFlightBatch {
            buffers,
            params: batch.params,
            advance,
            groups,
            outcome: batch.outcome.map(bytes),
            last: None,
        })
    }

    /// Returns buffers of at least these sizes (bytes). The buffers are those of a finished batch, or new ones.
    fn buffers(&self, sizes: &[u64; STORAGE], staging: u64) -> Buffers {
        let mut free = locked(&self.free);
        let fits = |b: &Buffers| {
            b.staging.size() >= staging && b.storage.iter().zip(sizes).all(|(buffer, size)| buffer.size() >= *size)
        };
        if let Some(place) = free.iter().position(fits) {
            return free.swap_remove(place);
        }
        // Free buffers that are too small are released, so unused buffers do not accumulate.
        free.clear();
        let buffer = |size: u64, usage| {
            let size = size.max(16).next_multiple_of(4096);
            self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
        };
        let params = buffer(size_of::<Params>() as u64, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST | BufferUsages::COPY_SRC;
        let storage = sizes.map(|size| buffer(size, usage));
        let all = [&params].into_iter().chain(&storage).enumerate();
        let entries: Vec<wgpu::BindGroupEntry<'_>> = all
            .map(|(i, buffer)| wgpu::BindGroupEntry { binding: i as u32, resource: buffer.as_entire_binding() })
            .collect();
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.bindings,
            entries: &entries,
        });
        let staging = buffer(staging, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        Buffers { params, storage, staging, group }
    }

    /// Submits `times` dispatches, each of which performs `updates` updates of every world. Does not wait.
    pub fn advance(&self, flight: &mut InFlightBatch, updates: u32, times: u32) {
        flight.params.updates = updates;
        self.queue.write_buffer(&flight.buffers.params, 0, bytes_of(&flight.params));
        for _ in 0..times {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.set_pipeline(&flight.advance);
                pass.set_bind_group(0, &flight.buffers.group, &[]);
                pass.dispatch_workgroups(flight.groups, 1, 1);
            }
            flight.last = Some(self.queue.submit([encoder.finish()]));
        }
    }

    /// Submits the copy of the result words to the staging buffer. Does not wait.
    pub fn request_readback(&self, flight: &mut InFlightBatch) {
        let Buffers { storage, staging, .. } = &flight.buffers;
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut to = 0;
        for (number, size) in WORLD_BUFFERS.into_iter().zip(flight.outcome) {
            if size > 0 {
                encoder.copy_buffer_to_buffer(&storage[number], 0, staging, to, size);
            }
            to += size;
        }
        flight.last = Some(self.queue.submit([encoder.finish()]));
        staging.map_async(wgpu::MapMode::Read, ..to, |_| {});
    }

    /// Waits for a batch and returns the words that [`Device::request_readback`] copied.
    pub fn finish(&self, flight: InFlightBatch) -> Result<Vec<u32>, GpuError> {
        self.wait(&flight)?;
        let range = ..flight.outcome.iter().sum::<u64>();
        let view = flight.buffers.staging.get_mapped_range(range).map_err(|e| self.mark_lost(&e))?;
        // The words are copied as bytes because the mapped bytes may be unaligned.
        let mut words = vec![0u32; view.len() / size_of::<u32>()];
        cast_slice_mut(&mut words).copy_from_slice(&view);
        drop(view);
        flight.buffers.staging.unmap();
        locked(&self.free).push(flight.buffers);
        Ok(words)
    }

    /// Waits until all submitted work of a batch is complete.
    pub fn wait(&self, flight: &InFlightBatch) -> Result<(), GpuError> {
        let poll = PollType::Wait { submission_index: flight.last.clone(), timeout: None };
        let waited = self.device.poll(poll);
        self.check()?;
        waited.map(|_| ()).map_err(|e| self.mark_lost(&e))
    }

    /// Returns the first words of the node memory, for the test that compares the kernels with `reference`.
    #[cfg(test)]
    pub fn read_memory(&self, flight: &InFlightBatch, words: usize) -> Vec<u32> {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes(words),
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&flight.buffers.storage[MEMORY], 0, &staging, 0, bytes(words));
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |_| {});
        self.device.poll(PollType::wait_indefinitely()).unwrap();
        let view = staging.get_mapped_range(..).unwrap();
        let mut read = vec![0u32; words];
        cast_slice_mut(&mut read).copy_from_slice(&view);
        read
    }
}

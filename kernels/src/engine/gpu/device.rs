//! The adapter, its pipelines and buffers: everything that knows wgpu.

use super::adapters::{self, AdapterChoice, AdapterKind};
use super::error::GpuError;
use super::params::Params;
use bytemuck::{bytes_of, cast_slice, cast_slice_mut};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use wgpu::{BindGroup, Buffer, BufferUsages, ComputePipeline, PollType};

/// An open device with the kernels on it.
pub(super) struct Device {
    pub name: String,
    /// A processor that plays a GPU: it counts loop iterations.
    pub software: bool,
    device: wgpu::Device,
    queue: wgpu::Queue,
    #[cfg(test)]
    module: wgpu::ShaderModule,
    layout: wgpu::BindGroupLayout,
    advance: ComputePipeline,
    lost: Arc<AtomicBool>,
    why: Arc<Mutex<String>>,
}

/// The buffers of a batch of worlds.
pub(super) struct Batch {
    params: Buffer,
    state: Buffer,
    #[cfg(test)]
    memory: Buffer,
    group: BindGroup,
    worlds: u32,
}

impl Device {
    /// Opens an adapter and compiles the kernels.
    pub fn open(source: &str, choice: &AdapterChoice) -> Result<Device, GpuError> {
        let (told, mut there): (Vec<_>, Vec<_>) = adapters::all().into_iter().unzip();
        let place = adapters::chosen(&told, choice)?;
        let (info, adapter) = (&told[place], there.swap_remove(place));
        adapters::sufficient(&info.name, &adapter.limits())?;
        let refused = |why: String| GpuError::Refused { adapter: info.name.clone(), why };
        let wanted =
            wgpu::DeviceDescriptor { label: Some("xpuck"), required_limits: adapters::needed(), ..Default::default() };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&wanted)).map_err(|e| refused(e.to_string()))?;
        let (lost, why) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(String::new())));
        let note = {
            let (lost, why) = (lost.clone(), why.clone());
            move |text: String| {
                if !lost.swap(true, Ordering::SeqCst) {
                    *why.lock().unwrap_or_else(|e| e.into_inner()) = text;
                }
            }
        };
        let note = Arc::new(note);
        let (on_lost, on_error) = (note.clone(), note);
        device.set_device_lost_callback(move |_, text| on_lost(text));
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| on_error(e.to_string())));

        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("kernels"),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let binding = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[
                binding(0, wgpu::BufferBindingType::Uniform),
                binding(1, storage(false)),
                binding(2, storage(true)),
                binding(3, storage(false)),
            ],
        });
        let advance = pipeline(&device, &module, &layout, "advance");
        let software = info.kind == AdapterKind::Software;
        let name = info.name.clone();
        let open = Device {
            name,
            software,
            device,
            queue,
            #[cfg(test)]
            module,
            layout,
            advance,
            lost,
            why,
        };
        open.check()?;
        Ok(open)
    }

    /// A pipeline for one stage alone.
    #[cfg(test)]
    pub fn stage(&self, entry: &str) -> ComputePipeline {
        pipeline(&self.device, &self.module, &self.layout, entry)
    }

    /// An error if the device is lost.
    pub fn check(&self) -> Result<(), GpuError> {
        if !self.is_lost() {
            return Ok(());
        }
        let why = self.why.lock().unwrap_or_else(|e| e.into_inner()).clone();
        Err(GpuError::Lost { adapter: self.name.clone(), why })
    }

    /// True if the device is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::SeqCst)
    }

    /// Loses it: drills and tests see what happens then.
    pub fn lose(&self) {
        self.device.destroy();
    }

    /// Puts worlds on the device; `memory` is the number of words of node memory of all of them.
    pub fn batch(&self, params: &Params, state: &[u32], programs: &[u32], memory: usize, worlds: u32) -> Batch {
        let empty = |bytes: usize, usage| {
            let (size, mapped_at_creation) = (bytes.max(4) as u64, false);
            self.device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation })
        };
        let filled = |bytes: &[u8], usage| {
            let buffer = empty(bytes.len(), usage | BufferUsages::COPY_DST);
            self.queue.write_buffer(&buffer, 0, bytes);
            buffer
        };
        let params = filled(bytes_of(params), BufferUsages::UNIFORM);
        let state_buffer = filled(cast_slice(state), BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let programs = filled(cast_slice(programs), BufferUsages::STORAGE);
        let memory = empty(memory * size_of::<u32>(), BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let buffers = [&params, &state_buffer, &programs, &memory];
        let entries: [wgpu::BindGroupEntry<'_>; 4] = std::array::from_fn(|i| wgpu::BindGroupEntry {
            binding: i as u32,
            resource: buffers[i].as_entire_binding(),
        });
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &entries,
        });
        Batch {
            params,
            state: state_buffer,
            #[cfg(test)]
            memory,
            group,
            worlds,
        }
    }

    /// Runs whole updates on every world and waits; `params` say how many.
    pub fn advance(&self, batch: &Batch, params: &Params) -> Result<(), GpuError> {
        self.queue.write_buffer(&batch.params, 0, bytes_of(params));
        self.run(batch, &self.advance)
    }

    /// Runs a pipeline on every world and waits.
    pub fn run(&self, batch: &Batch, pipeline: &ComputePipeline) -> Result<(), GpuError> {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &batch.group, &[]);
            pass.dispatch_workgroups(batch.worlds, 1, 1);
        }
        self.queue.submit([encoder.finish()]);
        self.wait()
    }

    /// The words of all worlds.
    pub fn read(&self, batch: &Batch) -> Result<Vec<u32>, GpuError> {
        self.read_buffer(&batch.state)
    }

    /// The node memory of all worlds.
    #[cfg(test)]
    pub fn read_memory(&self, batch: &Batch) -> Result<Vec<u32>, GpuError> {
        self.read_buffer(&batch.memory)
    }

    fn read_buffer(&self, buffer: &Buffer) -> Result<Vec<u32>, GpuError> {
        let staging = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: buffer.size(),
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.queue.submit([encoder.finish()]);
        staging.map_async(wgpu::MapMode::Read, .., |_| {});
        self.wait()?;
        let lost = |e: wgpu::MapRangeError| GpuError::Lost { adapter: self.name.clone(), why: e.to_string() };
        let view = staging.get_mapped_range(..).map_err(lost)?;
        // Copied this way round because the mapped bytes need not be aligned.
        let mut words = vec![0u32; view.len() / size_of::<u32>()];
        cast_slice_mut(&mut words).copy_from_slice(&view);
        Ok(words)
    }

    fn wait(&self) -> Result<(), GpuError> {
        let waited = self.device.poll(PollType::wait_indefinitely());
        self.check()?;
        waited.map(|_| ()).map_err(|e| GpuError::Lost { adapter: self.name.clone(), why: e.to_string() })
    }
}

fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layout: &wgpu::BindGroupLayout,
    entry: &str,
) -> ComputePipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(entry),
        layout: Some(&layout),
        module,
        entry_point: Some(entry),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

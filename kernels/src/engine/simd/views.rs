//! Cameras of a block's robots in small worlds.
//!
//! A body is in the field of view of a given robot in only two or three of sixteen worlds. A fast test selects these
//! cases. Columns are computed in batches of sixteen cases, which may belong to different robots and worlds.
//!
//! Sets of columns are bit masks. All robots have the same colour, so occlusion is computed only for discs of other
//! colours. A column shows the robots' colour if it contains a body of this colour and no visible disc of another
//! colour.

use super::lanes::{BodyLanes, LANES, Lanes, SenseLanes};
use super::patches::patches_seen;
use super::scene::Scene;
use crate::math::{Vec2, vec2};
use crate::model::CAMERA_COLUMNS;
use crate::world::robot::CameraView;
use crate::world::senses::{columns, columns_hidden, inner_walls_seen, may_be_seen};

/// Camera views of all robots of a block.
pub(super) struct Views {
    /// Columns with bodies of the robots' colour, by robot and lane.
    common: Vec<[u32; LANES]>,
    /// Views of the discs of other colours, by robot and disc.
    discs: Vec<DiscView>,
    /// Indices of the discs of other colours.
    coloured: Vec<usize>,
    /// Squared distance to the nearest inner wall in each column (m^2), by robot and lane; empty without inner walls.
    walls: Vec<[f32; CAMERA_COLUMNS]>,
    looks: ViewBatch,
}

/// A disc of another colour in the view of a robot.
#[derive(Clone)]
struct DiscView {
    /// Columns that contain the disc.
    seen: [u32; LANES],
    /// Columns in which a body of the robots' colour hides the disc.
    hidden: [u32; LANES],
    square: Lanes,
}

/// A batch of cases in which a robot may see a body of the robots' colour.
#[derive(Default)]
struct ViewBatch {
    between: [Lanes; 2],
    ahead: [Lanes; 2],
    radius: Lanes,
    of: [View; LANES],
    count: usize,
    view: CameraView,
}

/// Observing robot, observed body and lane.
#[derive(Clone, Copy, Default)]
struct View {
    robot: u8,
    body: u8,
    l: u8,
}

impl Views {
    /// Creates the views of the robots of a scene.
    pub fn new(scene: &Scene) -> Views {
        let common = scene.bodies[0].colour;
        let coloured: Vec<usize> = (0..scene.bodies.len()).filter(|i| scene.bodies[*i].colour != common).collect();
        let view = DiscView { seen: [0; LANES], hidden: [0; LANES], square: [0.0; LANES] };
        let walls = if scene.physics.walls.is_empty() { 0 } else { scene.robots * LANES };
        Views {
            common: vec![[0; LANES]; scene.robots],
            discs: vec![view; scene.robots * coloured.len()],
            coloured,
            walls: vec![[f32::INFINITY; CAMERA_COLUMNS]; walls],
            looks: ViewBatch { view: scene.physics.robot.camera, ..ViewBatch::default() },
        }
    }

    /// Starts new images. Processes the discs and the inner walls, but not the robots.
    #[inline(always)]
    pub fn start_image(&mut self, bodies: &[BodyLanes], senses: &[SenseLanes], scene: &Scene) {
        self.common.fill([0; LANES]);
        if !self.walls.is_empty() {
            self.look_at_walls(bodies, senses.len(), scene);
        }
        for (me, senses) in senses.iter().enumerate() {
            for (d, disc) in self.coloured.iter().enumerate() {
                let view = &mut self.discs[me * self.coloured.len() + d];
                let radius = scene.bodies[*disc].radius;
                for l in 0..LANES {
                    let between = between(&bodies[me], &bodies[*disc], l);
                    view.seen[l] = columns(between, senses.ahead(l), radius, &scene.physics.robot.camera);
                    view.square[l] = between.length_squared();
                }
                view.hidden = [0; LANES];
            }
        }
        if !self.walls.is_empty() {
            self.hide_discs();
        }
        for (me, senses) in senses.iter().enumerate() {
            for disc in scene.robots..bodies.len() {
                if !self.coloured.contains(&disc) {
                    self.add_disc(me, disc, bodies, senses, scene);
                }
            }
        }
    }

    /// Adds a disc of the robots' colour to the batch, in all lanes in which robot `me` may see it.
    fn add_disc(&mut self, me: usize, disc: usize, bodies: &[BodyLanes], senses: &SenseLanes, scene: &Scene) {
        let radius = scene.bodies[disc].radius;
        for l in 0..LANES {
            let between = between(&bodies[me], &bodies[disc], l);
            if may_be_seen(between, senses.ahead(l), radius, self.looks.view.edge) {
                self.add_view(me, disc, l, between, senses.ahead(l), radius);
            }
        }
    }

    fn look_at_walls(&mut self, bodies: &[BodyLanes], robots: usize, scene: &Scene) {
        for (me, body) in bodies[..robots].iter().enumerate() {
            for l in 0..LANES {
                let at = vec2(body.x[l], body.y[l]);
                self.walls[me * LANES + l] =
                    inner_walls_seen(at, body.heading[l], &scene.physics.walls, &self.looks.view);
            }
        }
    }

    fn hide_discs(&mut self) {
        for (i, view) in self.discs.iter_mut().enumerate() {
            for l in 0..LANES {
                let walls = &self.walls[i / self.coloured.len() * LANES + l];
                view.seen[l] &= !columns_hidden(walls, view.square[l]);
            }
        }
    }

    /// Adds a body of the robots' colour to the batch. `away` is its position relative to robot `me`.
    #[inline(always)]
    pub fn add_view(&mut self, me: usize, body: usize, l: usize, away: Vec2, ahead: Vec2, radius: f32) {
        let looks = &mut self.looks;
        let k = looks.count % LANES;
        (looks.between[0][k], looks.between[1][k]) = (away.x, away.y);
        (looks.ahead[0][k], looks.ahead[1][k]) = (ahead.x, ahead.y);
        looks.radius[k] = radius;
        looks.of[k] = View { robot: me as u8, body: body as u8, l: l as u8 };
        looks.count += 1;
        if looks.count == LANES {
            self.compute();
        }
    }

    /// Computes the columns of the current batch, and adds them to the views.
    #[inline(always)]
    pub fn compute(&mut self) {
        let Views { common, discs, coloured, walls, looks } = self;
        let (mut bits, mut squares) = ([0; LANES], [0.0; LANES]);
        for k in 0..LANES {
            let between = vec2(looks.between[0][k], looks.between[1][k]);
            bits[k] = columns(between, vec2(looks.ahead[0][k], looks.ahead[1][k]), looks.radius[k], &looks.view);
            squares[k] = between.length_squared();
        }
        for ((mut bits, square), look) in bits.into_iter().zip(squares).zip(&looks.of[..looks.count]) {
            let (robot, body, l) = (usize::from(look.robot), usize::from(look.body), usize::from(look.l));
            if let Some(walls) = walls.get(robot * LANES + l) {
                bits &= !columns_hidden(walls, square);
            }
            common[robot][l] |= bits;
            let first = robot * coloured.len();
            for (disc, view) in coloured.iter().zip(&mut discs[first..]) {
                let hides = (square < view.square[l]) | ((square == view.square[l]) & (body < *disc));
                view.hidden[l] |= if hides { bits } else { 0 };
            }
        }
        looks.count = 0;
    }

    /// Returns the columns in which robot `me` sees red, green and blue, by lane.
    #[inline(always)]
    pub fn colours(&self, me: usize, body: &BodyLanes, scene: &Scene) -> [[u32; LANES]; 3] {
        let common = self.common[me];
        let discs = &self.discs[me * self.coloured.len()..(me + 1) * self.coloured.len()];
        let mut colours = [[0u32; LANES]; 3];
        let mut others = [0u32; LANES];
        for (d, view) in self.coloured.iter().zip(discs) {
            let mut visible = [0; LANES];
            for l in 0..LANES {
                visible[l] = view.seen[l] & !view.hidden[l];
            }
            for (o, other) in self.coloured.iter().zip(discs).filter(|(o, _)| *o != d) {
                for l in 0..LANES {
                    let hides = (other.square[l] < view.square[l]) | ((other.square[l] == view.square[l]) & (o < d));
                    visible[l] &= !(if hides { other.seen[l] } else { 0 });
                }
            }
            let colour = &mut colours[scene.bodies[*d].colour as usize];
            for l in 0..LANES {
                colour[l] |= visible[l];
                others[l] |= visible[l];
            }
        }
        let colour = &mut colours[scene.bodies[me].colour as usize];
        for l in 0..LANES {
            colour[l] |= common[l] & !others[l];
        }
        if !scene.patches.is_empty() {
            self.see_patches(me, body, scene, &mut colours);
        }
        colours
    }

    /// Adds wall patches to `colours`, in columns without a body or an inner wall.
    fn see_patches(&self, me: usize, body: &BodyLanes, scene: &Scene, colours: &mut [[u32; LANES]; 3]) {
        let discs = &self.discs[me * self.coloured.len()..(me + 1) * self.coloured.len()];
        for l in 0..LANES {
            let walls = self.walls.get(me * LANES + l).map_or(0, |walls| columns_hidden(walls, f32::MAX));
            let taken = discs.iter().fold(self.common[me][l] | walls, |taken, disc| taken | disc.seen[l]);
            let seen = patches_seen(vec2(body.x[l], body.y[l]), body.heading[l], scene, taken);
            colours.iter_mut().zip(seen).for_each(|(all, patch)| all[l] |= patch);
        }
    }
}

#[inline(always)]
fn between(from: &BodyLanes, to: &BodyLanes, l: usize) -> Vec2 {
    vec2(to.x[l] - from.x[l], to.y[l] - from.y[l])
}

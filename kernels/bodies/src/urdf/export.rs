//! A body's URDF, with every blank where pyro-corpus puts it.

use super::START;
use crate::Plan;

/// Which moments of inertia the file tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Inertia {
    /// Those of a cube: a sixth of a kilogram square metre about each axis. Simulators that read inertia need these.
    #[default]
    Cube,
    /// 100 kg m^2, which pyro-corpus writes and PyBullet ignores.
    AsPublished,
}

/// The URDF of a body. With [`Inertia::AsPublished`] it is byte for byte what pyro-corpus writes.
pub fn export(plan: &Plan, inertia: Inertia) -> String {
    let moment = match inertia {
        Inertia::Cube => "0.16666666666666666",
        Inertia::AsPublished => "100",
    };
    let mut out = String::from("<robot name = \"robot\">\n");
    for index in 0..plan.parts().len() {
        joint(plan, index, &mut out);
        link(plan, index, moment, &mut out);
    }
    out.push_str("</robot>");
    out
}

/// Half metres as Python prints the three floats.
fn metres(halves: [i32; 3]) -> String {
    let [x, y, z] = halves.map(|half| f64::from(half) / 2.0);
    format!("{x:?} {y:?} {z:?}")
}

/// Where a part's centre lies in its frame, in half metres.
pub(super) fn centre(plan: &Plan, index: usize) -> [i32; 3] {
    let part = &plan.parts()[index];
    let step = part.direction.vector();
    if part.parent.is_some() { step } else { [0, 1, 2].map(|k| START[k] + step[k]) }
}

fn joint(plan: &Plan, index: usize, out: &mut String) {
    let (Some(name), Some(parent)) = (plan.joint_name(index), plan.parts()[index].parent) else { return };
    let child = &plan.parts()[index];
    let step = child.direction.vector();
    let from = centre(plan, parent);
    let origin = metres([0, 1, 2].map(|k| from[k] + step[k]));
    let kind = if child.part.turns() { "revolute" } else { "fixed" };
    let mut axis = ["0"; 3];
    axis[child.axis.index()] = "1";
    out.push_str(&format!(
        concat!(
            "    <joint name=\"{}\" type=\"{}\">\n",
            "       <parent link=\"{}\"/>\n",
            "       <child  link=\"{}\"/>\n",
            "       <origin rpy=\"0 0 0\" xyz=\"{}\" />\n",
            "       <axis xyz=\"{}\"/>\n",
            "       <limit effort=\"0.0\" lower=\"-3.14159\" upper=\"3.14159\" velocity=\"0.0\"/>\n",
            "    </joint>\n"
        ),
        name,
        kind,
        plan.parts()[parent].name,
        child.name,
        origin,
        axis.join(" ")
    ));
}

fn link(plan: &Plan, index: usize, moment: &str, out: &mut String) {
    let part = &plan.parts()[index];
    let centre = metres(centre(plan, index));
    let [red, green, blue] = part.part.colour();
    out.push_str(&format!(
        concat!(
            "    <link name=\"{}\">\n",
            "        <inertial>\n",
            "            <origin xyz=\"{centre}\" rpy=\"0 0 0\"/>\n",
            "            <mass value=\"1\" />\n",
            "            <inertia ixx=\"{m}\" ixy=\"0\" ixz=\"0\" iyy=\"{m}\" iyz=\"0\" izz=\"{m}\" />\n",
            "        </inertial>\n",
            "        <visual>\n",
            "            <origin xyz=\"{centre}\" rpy=\"0 0 0\"/>\n",
            "            <geometry>\n",
            "                <box size=\"1 1 1\" />\n",
            "            </geometry>\n",
            "            <material name=\"{}\">\n",
            "                <color rgba=\"{red:?} {green:?} {blue:?} 1.0\"/>\n",
            "            </material>\n",
            "        </visual>\n",
            "        <collision>\n",
            "            <origin xyz=\"{centre}\" rpy=\"0 0 0\"/>\n",
            "            <geometry>\n",
            "                <box size=\"1 1 1\" />\n",
            "            </geometry>\n",
            "        </collision>\n",
            "    </link>\n"
        ),
        part.name,
        part.part.colour_name(),
        centre = centre,
        m = moment,
        red = red,
        green = green,
        blue = blue,
    ));
}

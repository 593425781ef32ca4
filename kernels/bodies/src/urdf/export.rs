//! Export of a body to URDF, with the exact whitespace of pyro-corpus.

use super::START;
use super::names::joint_name;
use crate::Plan;
use crate::physics::{MAX_SPEED, MAX_TORQUE};

/// Dialect of a URDF file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Dialect for other simulators. Names begin with a letter, as USD requires. The inertia is that of a cube, 1/6 kg
    /// m^2 about each axis. Joints have the torque and speed of the motors, and each motor has a transmission.
    #[default]
    Simulators,
    /// Dialect that differs from [`Dialect::Simulators`] only in the names. Names are those of pyro-corpus, which begin
    /// with a digit.
    PublishedNames,
    /// Dialect that pyro-corpus writes. The inertia is 100 kg m^2, which PyBullet ignores. The effort and speed limits
    /// of the joints are zero.
    AsPublished,
}

/// Returns the URDF of a body. With [`Dialect::AsPublished`], it equals the output of pyro-corpus byte for byte.
pub fn export(plan: &Plan, dialect: Dialect) -> String {
    let mut out = String::from("<robot name = \"robot\">\n");
    for index in 0..plan.parts().len() {
        joint(plan, index, dialect, &mut out);
        link(plan, index, dialect, &mut out);
    }
    if dialect != Dialect::AsPublished {
        (0..plan.parts().len()).for_each(|index| transmission(plan, index, dialect, &mut out));
    }
    out.push_str("</robot>");
    out
}

/// Writes the transmission through which ros_control and Gazebo drive a joint.
fn transmission(plan: &Plan, index: usize, dialect: Dialect, out: &mut String) {
    let Some(name) = joint_name(plan, index, dialect).filter(|_| plan.parts()[index].part.turns()) else { return };
    out.push_str(&format!(
        concat!(
            "    <transmission name=\"transmission_{name}\">\n",
            "        <type>transmission_interface/SimpleTransmission</type>\n",
            "        <joint name=\"{name}\">\n",
            "            <hardwareInterface>hardware_interface/PositionJointInterface</hardwareInterface>\n",
            "        </joint>\n",
            "        <actuator name=\"motor_{name}\">\n",
            "            <mechanicalReduction>1</mechanicalReduction>\n",
            "        </actuator>\n",
            "    </transmission>\n"
        ),
        name = name
    ));
}

/// Converts half metres to metres and formats them as Python formats three floats.
fn metres(halves: [i32; 3]) -> String {
    let [x, y, z] = halves.map(|half| f64::from(half) / 2.0);
    format!("{x:?} {y:?} {z:?}")
}

/// Returns the centre of a part in the part's frame (half metres).
pub(super) fn centre(plan: &Plan, index: usize) -> [i32; 3] {
    let part = &plan.parts()[index];
    let step = part.direction.vector();
    if part.parent.is_some() { step } else { [0, 1, 2].map(|k| START[k] + step[k]) }
}

fn joint(plan: &Plan, index: usize, dialect: Dialect, out: &mut String) {
    let (Some(name), Some(parent)) = (joint_name(plan, index, dialect), plan.parts()[index].parent) else { return };
    let child = &plan.parts()[index];
    let step = child.direction.vector();
    let from = centre(plan, parent);
    let origin = metres([0, 1, 2].map(|k| from[k] + step[k]));
    let kind = if child.part.turns() { "revolute" } else { "fixed" };
    let mut axis = ["0"; 3];
    axis[child.axis.index()] = "1";
    let [effort, velocity] = if dialect == Dialect::AsPublished { [0.0; 2] } else { [MAX_TORQUE, MAX_SPEED] };
    let prefix = dialect.prefix();
    out.push_str(&format!(
        concat!(
            "    <joint name=\"{}\" type=\"{}\">\n",
            "       <parent link=\"{}\"/>\n",
            "       <child  link=\"{}\"/>\n",
            "       <origin rpy=\"0 0 0\" xyz=\"{}\" />\n",
            "       <axis xyz=\"{}\"/>\n",
            "       <limit effort=\"{:?}\" lower=\"-3.14159\" upper=\"3.14159\" velocity=\"{:?}\"/>\n",
            "    </joint>\n"
        ),
        name,
        kind,
        format_args!("{prefix}{}", plan.parts()[parent].name),
        format_args!("{prefix}{}", child.name),
        origin,
        axis.join(" "),
        effort,
        velocity
    ));
}

fn link(plan: &Plan, index: usize, dialect: Dialect, out: &mut String) {
    let part = &plan.parts()[index];
    let moment = if dialect == Dialect::AsPublished { "100" } else { "0.16666666666666666" };
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
        format_args!("{}{}", dialect.prefix(), part.name),
        part.part.colour_name(),
        centre = centre,
        m = moment,
        red = red,
        green = green,
        blue = blue,
    ));
}

"""Prints the content of URDF files as PyBullet and MuJoCo load it, as JSON. For each file and simulator: parts by name, each with
its mass (kg), moments of inertia (kg m2), position of its centre relative to the root's (m), name of its parent (null for the
root), axis of its joint (null for a fixed joint), maximum torque of the joint (N m), and maximum speed of the joint (rad/s; null
in MuJoCo, which has no such limit).

    python3 load.py FILE...
"""

import json
import sys

import mujoco
import pybullet as p


def off(centre, root):
    return [round(a - b, 6) for a, b in zip(centre, root)]


def in_pybullet(path):
    p.connect(p.DIRECT)
    body = p.loadURDF(path)
    names, parts = {-1: p.getBodyInfo(body)[0].decode()}, {}
    root = p.getBasePositionAndOrientation(body)[0]
    for index in range(-1, p.getNumJoints(body)):
        parent, axis, centre, torque, speed = None, None, root, None, None
        if index >= 0:
            info = p.getJointInfo(body, index)
            names[index] = info[12].decode()
            parent, axis = names[info[16]], info[13] if info[2] == p.JOINT_REVOLUTE else None
            torque, speed = (info[10], info[11]) if axis else (None, None)
            centre = p.getLinkState(body, index)[0]
        dynamics = p.getDynamicsInfo(body, index)
        parts[names[index]] = [dynamics[0], list(dynamics[2]), off(centre, root), parent, axis, torque, speed]
    p.disconnect()
    return parts


def in_mujoco(path):
    spec = mujoco.MjSpec.from_file(path)
    # Keeps rigidly joined parts as separate bodies.
    spec.compiler.fusestatic = False
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    parts = {}
    for index in range(1, model.nbody):
        above = model.body_parentid[index]
        parent = model.body(above).name if above > 0 else None
        axis = model.jnt_axis[model.body_jntadr[index]].tolist() if model.body_jntnum[index] else None
        torque = float(model.jnt_actfrcrange[model.body_jntadr[index]][1]) if axis else None
        centre = off(data.xipos[index], data.xipos[1])
        parts[model.body(index).name] = [float(model.body_mass[index]), model.body_inertia[index].tolist(), centre, parent, axis, torque, None]
    return parts


print(json.dumps({path: [in_pybullet(path), in_mujoco(path)] for path in sys.argv[1:]}))

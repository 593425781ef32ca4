"""Lets bodies walk in PyBullet, as a judge of `xpuck evolve --kind bodies`: of each the way of its root and that of its rearmost part along y in
metres, and its file.

    python3 tools/walk.py STEPS PERIOD ground|thrown FOLDER/bodies/*.urdf

Beside each URDF lies its brain, an NNDF of the same name. PERIOD is that of the brain's rhythm in seconds where the NNDF has
none, 0 for a brain that feels touch. With `ground` the lowest cube begins on the ground, with `thrown` bodies begin where their file has them. The order of a step is that of pyro-corpus: the physics moves, motors get what neurons said before, sensors
feel, neurons are computed.
"""

import math
import sys
import xml.etree.ElementTree as xml

import pybullet as p
import pybullet_data


def walk(path, steps, period, on_ground):
    p.connect(p.DIRECT)
    p.setGravity(0, 0, -9.8)
    p.setPhysicsEngineParameter(fixedTimeStep=1 / 240, numSolverIterations=50)
    p.loadURDF(pybullet_data.getDataPath() + "/plane.urdf")
    body = p.loadURDF(path)
    joints, links = {}, {}
    for index in range(p.getNumJoints(body)):
        info = p.getJointInfo(body, index)
        joints[info[1].decode()] = index
        links[info[12].decode()] = index
    links[p.getBodyInfo(body)[0].decode()] = -1
    if on_ground:
        at, turned = p.getBasePositionAndOrientation(body)
        lowest = min([at[2]] + [p.getLinkState(body, index)[0][2] for index in joints.values()])
        p.resetBasePositionAndOrientation(body, [at[0], at[1], at[2] + 0.5 - lowest], turned)
    brain = xml.parse(path[: -len(".urdf")] + ".nndf").getroot()
    own = [float(neuron.get("period")) for neuron in brain.iter("neuron") if neuron.get("period")]
    if own and period > 0:
        period = own[0]
    neurons = {}
    for neuron in brain.iter("neuron"):
        kind = neuron.get("type")
        neurons[neuron.get("name")] = (kind, neuron.get("linkName") if kind == "sensor" else neuron.get("jointName"))
    synapses = [(s.get("sourceNeuronName"), s.get("targetNeuronName"), float(s.get("weight"))) for s in brain.iter("synapse")]
    values = dict.fromkeys(neurons, 0.0)

    def rear():
        root = p.getBasePositionAndOrientation(body)[0][1]
        return min([root] + [p.getLinkState(body, index)[0][1] for index in joints.values()])

    before = rear()
    for step in range(steps):
        p.stepSimulation()
        for name, (kind, target) in neurons.items():
            if kind == "motor":
                p.setJointMotorControl2(
                    body, joints[target], p.POSITION_CONTROL, targetPosition=0.2 * values[name], force=25
                )
        for name, (kind, target) in neurons.items():
            if kind == "sensor":
                if period > 0 and target.endswith("B"):
                    values[name] = 2 * math.sin(2 * math.pi * step / 240 / period)
                else:
                    touches = p.getContactPoints(bodyA=body, linkIndexA=links[target])
                    values[name] = 1.0 if touches else -1.0
        sums = {name: 0.0 for name, (kind, _) in neurons.items() if kind == "motor"}
        for source, target, weight in synapses:
            sums[target] += weight * values[source]
        values.update((name, math.tanh(total)) for name, total in sums.items())
    way = p.getBasePositionAndOrientation(body)[0][1], rear() - before
    p.disconnect()
    return way


if len(sys.argv) < 5:
    sys.exit(__doc__)
steps, period, on_ground = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3] == "ground"
for path in sys.argv[4:]:
    root, rearmost = walk(path, steps, period, on_ground)
    print(f"{root:.3f} {rearmost:.3f} {path}", flush=True)

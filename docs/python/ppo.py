"""Proximal policy optimisation (PPO) in NumPy on a swarm: one policy for all robots learns the frisbee task.

    python ppo.py --output policy.npz

The policy is a network 13 - 32 - 32 - 2 of tanh whose outputs are the mean of a goal velocity; all robots share it, and all get the
reward of their world. While it learns, what a moment is worth is estimated by a second network that sees more than a robot does: where the
robot and the frisbee are (a centralised critic). It learns in worlds of few robots, in which it is easier to tell whose doing a reward was. At the end it is measured without exploration in fresh worlds, as `xpuck simulate` measures a tree.
"""

import argparse
import time

import numpy as np
import xpuck

DISCOUNT, TRACE, CLIP, RATE, EPOCHS, BATCH, ENTROPY = 0.97, 0.95, 0.2, 1e-3, 6, 4096, 2e-3
# Updates of 0.1 s for which a robot keeps to an action: what follows from one is easier to tell.
HELD = 4
# Numbers that the critic has beside the senses.
PLACES = 8


class Network:
    """Layers of tanh but for the last, trained by Adam."""

    def __init__(self, sizes: list[int], rng: np.random.Generator, last: float) -> None:
        scales = [np.sqrt(1 / n) for n in sizes[:-2]] + [last]
        self.weights = [
            rng.normal(0, scale, (n, m)).astype(np.float32)
            for n, m, scale in zip(sizes[:-1], sizes[1:], scales, strict=True)
        ]
        self.biases = [np.zeros(m, np.float32) for m in sizes[1:]]

    @property
    def parameters(self) -> list[np.ndarray]:
        return self.weights + self.biases

    def forward(self, x: np.ndarray) -> list[np.ndarray]:
        """The output of each layer, the input first."""
        layers = [x]
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = x @ weight + bias
            layers.append(np.tanh(x) if i + 1 < len(self.weights) else x)
        return layers

    def backward(self, layers: list[np.ndarray], error: np.ndarray) -> list[np.ndarray]:
        """Gradients of the parameters, from the gradient at the output."""
        weights, biases = [], []
        for i in reversed(range(len(self.weights))):
            weights.insert(0, layers[i].T @ error)
            biases.insert(0, error.sum(0))
            error = (error @ self.weights[i].T) * (1 - layers[i] ** 2)
        return weights + biases


class Adam:
    def __init__(self, parameters: list[np.ndarray]) -> None:
        self.parameters, self.step = parameters, 0
        self.first = [np.zeros_like(p) for p in parameters]
        self.second = [np.zeros_like(p) for p in parameters]

    def descend(self, gradients: list[np.ndarray], rate: float) -> None:
        self.step += 1
        norm = np.sqrt(sum(float((g * g).sum()) for g in gradients))
        scale = min(1.0, 0.5 / (norm + 1e-8))
        for p, g, m, v in zip(self.parameters, gradients, self.first, self.second, strict=True):
            g = g * scale
            m += 0.1 * (g - m)
            v += 0.001 * (g * g - v)
            p -= rate * (m / (1 - 0.9**self.step)) / (np.sqrt(v / (1 - 0.999**self.step)) + 1e-8)


class Policy:
    def __init__(self, cells: int, rng: np.random.Generator) -> None:
        self.actor, self.critic = Network([cells, 32, 32, 2], rng, 0.01), Network([cells + PLACES, 64, 64, 1], rng, 1.0)
        self.log_std = np.full(2, -0.5, np.float32)
        # Senses are scaled by what was seen in the first episode.
        self.shift, self.scale = np.zeros(cells, np.float32), np.ones(cells, np.float32)

    def scaled(self, senses: np.ndarray) -> np.ndarray:
        return np.clip((senses - self.shift) / self.scale, -5, 5)

    def mean(self, senses: np.ndarray) -> np.ndarray:
        """The goal velocity without exploration."""
        return self.actor.forward(self.scaled(senses))[-1]


def places(worlds: xpuck.Worlds) -> np.ndarray:
    """What the critic sees beside the senses, of each robot: its heading, where the frisbee is from it, and where the frisbee is."""
    poses = worlds.poses()
    robots, frisbee = poses[:, : worlds.robots], poses[:, worlds.robots : worlds.robots + 1]
    heading = robots[..., 2]
    away = frisbee[..., :2] - robots[..., :2]
    there = np.broadcast_to(frisbee[..., :2], away.shape)
    return np.concatenate([np.cos(heading)[..., None], np.sin(heading)[..., None], away, 2 * away**2, there], -1)


def log_density(action: np.ndarray, mean: np.ndarray, log_std: np.ndarray) -> np.ndarray:
    return (-0.5 * ((action - mean) / np.exp(log_std)) ** 2 - log_std).sum(-1)


def hold(worlds: xpuck.Worlds, action: np.ndarray):
    """What is sensed after an action was held, and what was earned meanwhile."""
    earned = np.zeros(worlds.count, np.float32)
    for _ in range(HELD):
        senses, reward = worlds.step(action)
        earned += reward
    return senses, earned


def rollout(worlds: xpuck.Worlds, policy: Policy, rng: np.random.Generator):
    """One episode of all worlds: what the critic knows, actions, their densities, values and rewards, (decisions, worlds, robots, ...)."""
    senses, kept = worlds.reset(), []
    while not worlds.is_over:
        seen = policy.scaled(senses)
        known = np.concatenate([seen, places(worlds)], -1)
        mean, value = policy.actor.forward(seen)[-1], policy.critic.forward(known)[-1][..., 0]
        action = mean + np.exp(policy.log_std) * rng.standard_normal(mean.shape, np.float32)
        senses, reward = hold(worlds, np.clip(action, -1, 1))
        kept.append((known, action, log_density(action, mean, policy.log_std), value, reward * 100))
    known = np.concatenate([policy.scaled(senses), places(worlds)], -1)
    last = policy.critic.forward(known)[-1][..., 0]
    return [np.stack(column) for column in zip(*kept, strict=True)], last


def learn(policy: Policy, optimisers: list[Adam], episode, last: np.ndarray, rate: float, rng: np.random.Generator) -> None:
    known, actions, before, values, rewards = episode
    # Generalised advantage estimation; an episode ends by its time, so what would follow is estimated.
    advantages, after, following = np.zeros_like(values), np.zeros_like(last), last
    for t in reversed(range(len(values))):
        after = rewards[t][:, None] + DISCOUNT * following - values[t] + DISCOUNT * TRACE * after
        advantages[t], following = after, values[t]
    targets = (advantages + values).reshape(-1)
    known, actions, before = known.reshape(targets.size, -1), actions.reshape(-1, 2), before.reshape(-1)
    seen = known[:, : -PLACES]
    advantages = ((advantages - advantages.mean()) / (advantages.std() + 1e-8)).reshape(-1)
    for _ in range(EPOCHS):
        for rows in np.array_split(rng.permutation(targets.size), max(1, targets.size // BATCH)):
            layers, std = policy.actor.forward(seen[rows]), np.exp(policy.log_std)
            offset = (actions[rows] - layers[-1]) / std
            ratio = np.exp(log_density(actions[rows], layers[-1], policy.log_std) - before[rows])
            gain = advantages[rows]
            # Where clipping is in force the ratio has no gradient.
            free = np.where(gain > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
            weight = (-gain * ratio * free / len(rows))[:, None]
            policy_gradients = policy.actor.backward(layers, weight * offset / std)
            spread = (weight * (offset**2 - 1)).sum(0) - ENTROPY
            optimisers[0].descend([*policy_gradients, spread.astype(np.float32)], rate)
            layers = policy.critic.forward(known[rows])
            error = (layers[-1][:, 0] - targets[rows])[:, None] / len(rows)
            optimisers[1].descend(policy.critic.backward(layers, error), rate)


def measure(policy: Policy, world: xpuck.World, runs: int = 200, seed: int = 10**6) -> np.ndarray:
    """The fitness of each of so many runs of 60 s, without exploration."""
    worlds = xpuck.Worlds(world, runs, seconds=60, seed=seed)
    senses = worlds.observe()
    while not worlds.is_over:
        senses, _ = hold(worlds, policy.mean(senses))
    return worlds.fitness()


def train(world: xpuck.World, iterations: int, count: int, seed: int, tell=print) -> Policy:
    """A policy that learned from so many episodes of so many worlds."""
    rng = np.random.default_rng(seed)
    worlds = xpuck.Worlds(world, count, seconds=30, seed=seed)
    policy = Policy(worlds.cells, rng)
    optimisers = [Adam([*policy.actor.parameters, policy.log_std]), Adam(policy.critic.parameters)]
    begun = time.perf_counter()
    for iteration in range(iterations):
        episode, last = rollout(worlds, policy, rng)
        if iteration == 0:
            seen = episode[0][..., : -PLACES]
            policy.shift, policy.scale = seen.mean((0, 1, 2)), seen.std((0, 1, 2)) + 0.05
            continue
        learn(policy, optimisers, episode, last, RATE * (1 - iteration / iterations), rng)
        if iteration % 10 == 9 or iteration + 1 == iterations:
            fitness, steps = worlds.fitness(), (iteration + 1) * worlds.updates * count * worlds.robots
            tell(f"{iteration + 1:4} episodes, {steps / 1e6:6.1f} million robot steps, fitness {fitness.mean():.3f}, "
                 f"{time.perf_counter() - begun:.0f} s")
    return policy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--world", help="world file to learn and to be measured in; without it the benchmark, nine robots when measured")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--worlds", type=int, default=256)
    parser.add_argument("--robots", type=int, default=2, help="robots of the worlds in which it learns")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", help="file for the policy (.npz)")
    args = parser.parse_args()
    world = xpuck.World.load(args.world) if args.world else xpuck.World()
    learning = world if args.world else xpuck.World(args.robots)
    policy = train(learning, args.iterations, args.worlds, args.seed)
    fitness = measure(policy, world)
    error = fitness.std(ddof=1) / np.sqrt(len(fitness))
    print(f"policy: fitness {fitness.mean():.3f} +- {error:.3f} over {len(fitness)} runs of 60 s")
    if args.out:
        layers = {f"actor_{i}": array for i, array in enumerate(policy.actor.parameters)}
        np.savez(args.out, shift=policy.shift, scale=policy.scale, **layers)


if __name__ == "__main__":
    main()

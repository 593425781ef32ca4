// @ts-check
// One-sentence explanations of the fitness values; docs/concepts/fitness.md explains them in full.

export const TERMS = {
  real: "Real fitness: how well the swarm did its task in the arena, real or virtual, in one segment",
  mean: "Mean real fitness of the segments with evolved trees, by their time: segment 0 is left out",
  last: "Real fitness of the last segment",
  evolved: "Derated fitness of each robot's fittest tree, mean of the robots: what evolution believes, in simulation",
  best: "Fitness of its fittest tree as its own evolution believes, from a few trials in simulation; not derated",
  derated: "Scaled down while a tree had fewer than eight trials: f × trials / 8",
};

// @ts-check
// One-sentence explanations of the fitness values; docs/concepts/fitness.md explains them in full.

export const TERMS = {
  real: "Real fitness: how well the swarm did its task in the arena, real or virtual, in one segment",
  mean: "Mean real fitness of the segments with evolved trees, by their time: segment 0 is left out",
  last: "Real fitness of the last segment",
  evolved: "Derated fitness of each robot's fittest tree, mean of the robots: estimated by evolution, in simulation",
  best: "Fitness of its fittest tree, estimated by its own evolution from a few trials in simulation; not derated",
  derated: "Scaled down while a tree has fewer than eight trials: f × trials / 8",
};

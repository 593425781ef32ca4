// @ts-check
// Commands that give the results of the page on a computer.

/** @typedef {import("./address.js").State} State */

/** @param {State} state */
export function simulateCommand({ world, seed, seconds, runs }) {
  const where = "file" in world ? "--world world.toml" : `--scenario ${world.scenario} --count ${world.robots}`;
  return `xpuck simulate tree.bt ${where} --runs ${runs} --seconds ${seconds} --seed ${seed}`;
}

/** @param {{algorithm: string, islands: number, population: number, seconds: number, seed: number, world: State["world"]}} settings @param {number} generations */
export function evolveCommand({ algorithm, islands, population, seconds, seed, world }, generations) {
  const where = "file" in world ? "--world world.toml" : `--count ${world.robots}`;
  return `xpuck evolve --algorithm ${algorithm} --islands ${islands} --population ${population} --generations ${generations} --seconds ${seconds} --seed ${seed} ${where}`;
}

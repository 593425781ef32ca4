// @ts-check
// Types of the server's data. This file contains no code.

/**
 * @typedef {number | null} Num
 * @typedef {object} Mark
 * @property {number} value
 * @property {string} label
 * @typedef {object} World
 * @property {[number, number]} half
 * @property {number} frisbee_radius
 * @property {number[]} discs
 * @property {{x: number, y: number, half_length: number, colour: string}[]} patches parts of the outer walls
 * @property {import("../arena/regions.js").Floor} floor
 * @property {[number, number, number, number][]} walls
 * @property {string} task
 * @property {"left" | "right" | null} goal
 * @property {string[]} robots
 * @property {number} robot_radius
 * @property {{one: string, marks: Mark[]}} scale
 * @property {string[]} cells
 *
 * @typedef {{number: number, fitness: Num, seconds: number, phase: string, value?: Num}} Segment value: raw value of the formula in a mission
 *
 * @typedef {object} Robot
 * @property {string} id
 * @property {string} version
 * @property {boolean} alive
 * @property {string} state
 * @property {Num} heard_s
 * @property {boolean} held
 * @property {boolean} identifying
 * @property {boolean} obeys
 * @property {Num} obeyed_ms
 * @property {Num} battery_v
 * @property {Num} battery_w
 * @property {Num} battery_minutes
 * @property {string} battery_doubt reason why the remaining battery time is unknown; empty if it is known
 * @property {Num} soc_c
 * @property {Num} late_p99_ms
 * @property {Num} round_trip_ms
 * @property {Num} jitter_ms
 * @property {Num} neighbours
 * @property {boolean[]} blue
 * @property {Num} segment
 * @property {Num} device_errors
 * @property {string} device_trouble
 * @property {Num} log_lines_lost
 * @property {{generation: Num, best: Num, derated: Num, evaluations: Num, mean: Num, duty: Num, kept: Num} | null} evolution
 * @property {{name: string, adapter: string, r_acc: Num} | null} engine
 * @property {Num} tree_nodes
 * @property {string} refusal
 * @property {Sensors | null} sensors
 *
 * @typedef {object} Sensors
 * @property {[number, number, number] | null} acceleration
 * @property {number[] | null} light
 * @property {number[]} loudness
 * @property {Num} sound_from
 * @property {[number, number] | null} steps
 * @property {Num} selector
 * @property {boolean | null} button
 * @property {Num} [heading]
 * @property {[number, number] | null} [tilt]
 * @property {[number, number, number] | null} [ground]
 * @property {Num} [ahead]
 * @property {{robot: number, bearing: number, strength: number}[]} [heard]
 * @property {string} trouble
 *
 * @typedef {object} Status
 * @property {number} t
 * @property {number} wall_unix_ms
 * @property {string} phase
 * @property {string} experiment
 * @property {{number: number, count: number, name: string, seconds: number, length: number} | null} phase_of
 * @property {Num} run_seconds
 * @property {Num} run_length
 * @property {Num} segment
 * @property {Segment[]} segments
 * @property {Num} evolved
 * @property {Num} round_trip_ms
 * @property {Num} slow_round_trips
 * @property {Num} dead
 * @property {boolean} tracking
 * @property {Num} pose_age_s
 * @property {[string, number][]} refused_poses
 * @property {string} record
 * @property {string} names
 * @property {string} not_kept
 * @property {string} waits
 * @property {Num} record_bytes
 * @property {Num} disk_free_bytes
 * @property {{dev_mode?: boolean, keys_unreadable?: string} | null} security
 * @property {Num} log_lines_lost
 * @property {Num} speed
 * @property {{number: number, state: string, age_s: number} | null} directive
 * @property {Robot[]} robots
 * @property {Num} watchers
 * @typedef {object} Senses
 * @property {number} t
 * @property {string} robot
 * @property {string} state
 * @property {Num} ticked
 * @property {string} tree
 * @property {string} nodes
 * @property {Num[]} cells
 * @property {[number, number] | null} v_goal
 * @property {number[]} proximity
 * @property {boolean[][]} blobs
 * @property {[string, number, number][]} neighbours
 * @property {Num} up
 * @property {Num[]} wheels
 * @property {Num[]} speeds
 * @property {Num[]} ages
 *
 * @typedef {object} TreeNode
 * @property {string} symbol
 * @property {string} label
 * @property {"composite" | "decorator" | "action" | "condition" | "subtree" | "network" | "part"} kind parts belong to a network, which is drawn as one node
 * @property {number[]} children
 *
 * @typedef {object} Tree
 * @property {string} hash
 * @property {string} text
 * @property {string} gene
 * @property {{mean: Num, samples: Num} | null} fitness
 * @property {Num} segment
 * @property {TreeNode[]} nodes
 * @property {string} account
 * @property {{depth: number, text: string, node: number | null}[]} account_items
 *
 * @typedef {object} Line
 * @property {number} seq
 * @property {Num} t
 * @property {Num} unix_ms
 * @property {string} level
 * @property {string} who
 * @property {string} text
 *
 * @typedef {object} Island
 * @property {number[]} t
 * @property {Num[]} generation
 * @property {Num[]} best
 * @property {Num[]} derated
 * @property {Num[]} mean
 * @property {Num[]} size
 * @property {Num[]} unique
 * @property {Num[]} mean_size
 *
 * @typedef {object} History
 * @property {{number: number, experiment: string, seed: Num, began_unix_ms: Num, started_by: string | null} | null} run
 * @property {{t: number[], v: Num[]}} evolved
 * @property {Record<string, Island>} islands
 * @property {Segment[]} segments
 * @property {{ids: string[], counts: number[][], recent: [string | number, string | number, number][]} | null} migration
 * @property {{robot: string, gene: string, fitness: Num, tree: string} | null} best
 * @property {Record<string, import("../evolution/estimates.js").Estimate[]>} estimates by robot
 *
 * @typedef {Record<string, Num[]> & {t: number[]}} RobotHistory
 *
 * @typedef {object} LineageNode
 * @property {string} gene
 * @property {string | number} island its robot, or its index in the swarm from 1
 * @property {Num} number
 * @property {Num} generation
 * @property {string} operator
 * @property {Num} fitness
 * @property {string[]} parents
 *
 * @typedef {object} Update state of an update of the robots' programs
 * @property {string} version
 * @property {number} size
 * @property {boolean} done
 * @property {string} stopped
 * @property {{robot: string, version: string, stand: string, received: number, why: string}[]} rows
 *
 * @typedef {object} Session
 * @property {"operator" | "observer" | null} role
 * @property {string | null} name
 * @property {Num} expires_s
 * @property {"anyone" | "login"} look
 * @property {boolean} signs
 * @property {boolean} dev_mode
 * @property {boolean} secure_context_needed
 * @property {string} version
 * @property {string} [replay]
 *
 * @typedef {object} RunRow
 * @property {string} id
 * @property {string} short
 * @property {string} name
 * @property {Num} began_unix_ms
 * @property {Num} length_s
 * @property {string} state
 * @property {string | Num} seed
 * @property {Num} robots
 * @property {Num} dead
 * @property {string} quality
 * @property {Num} last_fitness
 * @property {Num} mean_fitness
 * @property {Num} evolved_fitness
 * @property {Num} bytes
 * @property {string} version
 *
 * @typedef {object} Run
 * @property {RunRow} row
 * @property {Status | null} result
 * @property {string} experiment_text
 * @property {Record<string, string>} files
 * @property {{t: number, who: string, text: string}[]} notes
 * @property {{t: number, who: string, text: string}[]} events
 * @property {number} begin_t
 * @property {number} end_t
 * @property {number} speed factor of arena time to wall time
 * @property {[number, number][]} gaps
 * @property {string[]} damage
 * @property {History} history
 * @property {string[]} robots
 * @property {World} world
 *
 * @typedef {object} Plan
 * @property {string} name
 * @property {string} task
 * @property {Num} minutes
 * @property {Num} segments
 * @property {Num} robots
 * @property {{name: string, kind: string, minutes: Num, drive: string, world: string | null}[]} phases
 * @property {string} algorithm
 * @property {Num} population
 * @property {string} engine
 * @property {string[]} needs
 *
 * @typedef {object} Tag
 * @property {Num} id
 * @property {Num} range
 * @property {Num} bearing
 * @property {Num} height
 * @property {Num} facing
 *
 * @typedef {object} Tags
 * @property {Num} t
 * @property {Num} age
 * @property {Num} doubled
 * @property {Tag[]} tags
 *
 * @typedef {object} Check
 * @property {boolean} ok
 * @property {{text: string, key: string | null, line: Num} | null} error
 * @property {Plan | null} plan
 * @property {string} manifest
 * @property {{key: string, last: string | null, now: string | null}[]} differences
 * @property {string | null} last
 */

export {};

/* Tick of a Kilobot's behaviour tree, for the robot's own processor. The behaviour is that of kernels/kilobots/src/tick.rs.
 *
 * A tree is a table of bytes in flash. A node consists of its kind, the offsets of its parent and of the end of its subtree
 * (16 bits each, low byte first), and its operands; its first child follows. xpuck_kernels::kilobot::to_c generates the
 * table. */
#ifndef XPUCK_KILOBOT_TICK_H
#define XPUCK_KILOBOT_TICK_H

#include <stdint.h>

#ifdef __AVR__
#include <avr/pgmspace.h>
#define TREE_TABLE PROGMEM
#define TREE_BYTE(place) pgm_read_byte(place)
#else
#define TREE_TABLE
#define TREE_BYTE(place) (*(place))
#endif

enum tree_kind {
    TREE_SEQM,
    TREE_SELM,
    TREE_PROBM,    /* number of children; cumulative probability of each child but the last (float) */
    TREE_REPEAT,   /* index of its count, number of repetitions */
    TREE_SUCCESSD,
    TREE_FAILED,
    TREE_ML,
    TREE_MR,
    TREE_MF,
    TREE_IFLTVAR,  /* two entries */
    TREE_IFGEVAR,
    TREE_IFLTCON,  /* an entry, a float */
    TREE_IFGECON,
    TREE_SET,      /* an entry, a float */
    TREE_SUCCESSL,
    TREE_FAILUREL
};

enum tree_status { TREE_SUCCESS, TREE_FAILURE, TREE_RUNNING };

/* Entries of the blackboard (thesis Table 4.1). */
enum tree_entry {
    TREE_MOTORS,
    TREE_SCRATCHPAD,
    TREE_SEND_SIGNAL,
    TREE_RECEIVED_SIGNAL,
    TREE_DETECTED_FOOD,
    TREE_CARRYING_FOOD,
    TREE_DENSITY,
    TREE_DELTA_DENSITY,
    TREE_DELTA_DIST_FOOD,
    TREE_DELTA_DIST_NEST,
    TREE_ENTRIES
};

/* Value of `place` if no node is running: the next tick begins at the root. */
#define TREE_ROOT 0xffffu

struct tree_mind {
    uint16_t place;
    /* Remaining repetitions of the TREE_REPEAT nodes. */
    uint8_t *counts;
    float board[TREE_ENTRIES];
};

/* Ticks the tree once. `unit` draws a random number in [0, 1); it is called only when a node needs a number. */
enum tree_status tree_tick(const uint8_t *table, struct tree_mind *mind, float (*unit)(void));

#endif

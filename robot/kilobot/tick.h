/* The tick of a Kilobot's behaviour tree: the same as kernels/kilobots/src/tick.rs, for the robot's own processor.
 *
 * A tree is a table of bytes in flash. A node is its kind, the places of its parent and of what follows its subtree
 * (16 bits each, low byte first), then its operands; the first child follows it. The table is written by
 * xpuck_kernels::kilobot::to_c. */
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
    TREE_PROBM,    /* number of children, then where the part of each but the last ends (floats) */
    TREE_REPEAT,   /* place of its count, how often */
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

/* Where the next tick begins: nothing is running. */
#define TREE_ROOT 0xffffu

struct tree_mind {
    uint16_t place;
    /* Counts of the nodes that count. */
    uint8_t *counts;
    float board[TREE_ENTRIES];
};

/* Ticks the tree once. `unit` draws a number from 0 to below 1; it is called where one is needed. */
enum tree_status tree_tick(const uint8_t *table, struct tree_mind *mind, float (*unit)(void));

#endif

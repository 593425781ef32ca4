/* Ticks trees on a PC with blackboard values from standard input, and writes the results to standard output. The test
 * kernels/kilobots/tests/kilobot/c.rs compares them with those of the Rust code. All integers are little-endian.
 *
 * Input for each tree: length of its table (u16; 0 ends the program), number of counts (u16), number of ticks (u32), the
 * table; then for each tick seven sensor values (float) and DRAWN random numbers (float). Output for each tick: the status
 * (u8) and the ten blackboard entries (float). */
#include "tick.h"

#include <stdio.h>
#include <stdlib.h>

#define DRAWN 24

static float drawn[DRAWN];
static unsigned next_drawn;

static float unit(void)
{
    if (next_drawn == DRAWN) {
        fputs("a tick draws more numbers than there are\n", stderr);
        exit(1);
    }
    return drawn[next_drawn++];
}

static void take(void *to, size_t size)
{
    if (size > 0 && fread(to, size, 1, stdin) != 1) {
        fputs("the input ends too early\n", stderr);
        exit(1);
    }
}

static void replay(uint16_t length)
{
    uint16_t counts;
    uint32_t ticks;
    take(&counts, sizeof counts);
    take(&ticks, sizeof ticks);
    /* Allocated with their exact sizes, so that a sanitiser detects accesses beyond the end. */
    uint8_t *table = malloc(length), *memory = calloc(counts > 0 ? counts : 1, 1);
    if (table == NULL || memory == NULL)
        exit(1);
    take(table, length);
    struct tree_mind mind = {.place = TREE_ROOT, .counts = memory};
    for (uint32_t i = 0; i < ticks; i++) {
        take(mind.board + TREE_RECEIVED_SIGNAL, 7 * sizeof(float));
        take(drawn, sizeof drawn);
        next_drawn = 0;
        uint8_t status = (uint8_t)tree_tick(table, &mind, unit);
        fwrite(&status, 1, 1, stdout);
        fwrite(mind.board, sizeof mind.board, 1, stdout);
    }
    free(memory);
    free(table);
}

int main(void)
{
    for (;;) {
        uint16_t length;
        take(&length, sizeof length);
        if (length == 0)
            return 0;
        replay(length);
    }
}

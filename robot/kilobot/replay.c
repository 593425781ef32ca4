/* Ticks trees on a PC with blackboards that come on the standard input, and tells what becomes of them: the twin test of
 * kernels/kilobots/tests/kilobot/c.rs. All integers are little endian.
 *
 * For each tree: length of its table (u16, 0 ends), counts (u16), ticks (u32), the table; then for each tick seven floats
 * to sense and DRAWN numbers to draw. Back comes for each tick: the status (u8) and the ten entries. */
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
    /* Of exactly this size, so that a sanitiser sees what reads or writes beyond. */
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

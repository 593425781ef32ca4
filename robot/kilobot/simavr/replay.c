/* Ticks trees on the robot's processor with blackboards that the PC gives, and tells what becomes of them: replay.c's twin in
 * simavr, for kernels/tests/kilobot/simavr.rs. Input is as there; before each answer come the tick's cycles (32 bits). */
#include "tick.h"

#include "device.h"

#define DRAWN 24
/* Of a tree of 1024 bytes, whose nodes are larger here. */
#define TABLE 2560

/* Flash whose bytes the PC gives. */
static const uint8_t table[TABLE] TREE_TABLE = {0};
static uint8_t counts[256];
static float drawn[DRAWN];
static uint8_t next_drawn;

static float unit(void)
{
    return drawn[next_drawn++];
}

int main(void)
{
    for (;;) {
        struct {
            uint16_t length, counts;
            uint32_t ticks;
        } tree = {0, 0, 0};
        device(DEVICE_TAKE, &tree.length, sizeof tree.length);
        if (tree.length == 0 || tree.length > TABLE)
            break;
        device(DEVICE_TAKE, &tree.counts, sizeof tree.counts + sizeof tree.ticks);
        device(DEVICE_TAKE_FLASH, table, tree.length);
        struct tree_mind mind = {.place = TREE_ROOT, .counts = counts};
        while (tree.ticks-- > 0) {
            device(DEVICE_TAKE, mind.board + TREE_RECEIVED_SIGNAL, 7 * sizeof(float));
            device(DEVICE_TAKE, drawn, sizeof drawn);
            next_drawn = 0;
            device_mark(DEVICE_BEGIN);
            uint8_t status = (uint8_t)tree_tick(table, &mind, unit);
            device_mark(DEVICE_END);
            device(DEVICE_GIVE, &status, 1);
            device(DEVICE_GIVE, mind.board, sizeof mind.board);
        }
    }
    device_mark(DEVICE_DONE);
    for (;;)
        ;
}

/* Counterpart of ../replay.c on the robot's processor, in simavr, for the test simavr.rs of the Kilobots' kernels. The input is
 * the same; the cycles of the tick (32 bits) precede each result. */
#include "tick.h"

#include "device.h"

#define DRAWN 24
/* Size of a table (bytes): enough for a tree of 1024 bytes, whose nodes take more space in a table. */
#define TABLE 2560

/* Flash memory that the PC fills. */
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

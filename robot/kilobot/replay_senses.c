/* Runs a robot's senses on a PC by commands from standard input. The test kernels/kilobots/tests/kilobot/c_senses.rs compares
 * the replies with those of the Rust code.
 *
 * A command is one byte, followed by its operands; integers are little-endian.
 *   0: ends the program.
 *   1: update with region, send_signal (float), number of messages, and payload and distance (mm) of each message;
 *      replies with blackboard entries 3 to 9 and the next payload.
 *   2: sixteen light readings (u16) and contrast (u16); replies with the light.
 *   3: region of a light sample; replies with the filtered region.
 *   4: restarts the senses. */
#include "senses.h"

#include <stdio.h>
#include <stdlib.h>

static void take(void *to, size_t size)
{
    if (fread(to, size, 1, stdin) != 1) {
        fputs("the input ends too early\n", stderr);
        exit(1);
    }
}

static uint8_t byte(void)
{
    uint8_t byte;
    take(&byte, 1);
    return byte;
}

static void update(struct senses *senses)
{
    enum region region = byte();
    float send_signal, board[10];
    uint8_t payload[SENSES_PAYLOAD];
    struct inbox inbox;
    take(&send_signal, sizeof send_signal);
    inbox_clear(&inbox);
    for (uint8_t messages = byte(); messages > 0; messages--) {
        take(payload, sizeof payload);
        inbox_take(&inbox, payload, byte());
    }
    senses_update(senses, &inbox, region, board);
    senses_payload(senses, 0x1234, send_signal, payload);
    fwrite(board + 3, 7 * sizeof(float), 1, stdout);
    fwrite(payload, sizeof payload, 1, stdout);
}

int main(void)
{
    struct senses senses;
    senses_start(&senses, REGION_NEST);
    for (;;) {
        uint8_t result;
        uint16_t readings[PROJECTOR_SAMPLES], contrast;
        switch (byte()) {
        case 0:
            return 0;
        case 1:
            update(&senses);
            continue;
        case 4:
            senses_start(&senses, REGION_NEST);
            continue;
        case 2:
            take(readings, sizeof readings);
            take(&contrast, sizeof contrast);
            result = (uint8_t)light_of(readings, contrast);
            break;
        default:
            senses_see(&senses, byte());
            result = (uint8_t)senses_region(&senses);
        }
        fwrite(&result, 1, 1, stdout);
    }
}

/* Runs the slave on a PC: reads commands from standard input and prints the slave's replies.
 *
 *   select W W ...   clocks these words (hexadecimal, at most 40) during one slave select; prints one reply word for each
 *   tick N           advances the slave by N ticks
 *   sense W x 23     sets the sensor readings, in the order of the report
 *   state            prints both speeds, both step counts, the coils of both motors, and the LEDs
 */
#include "slave.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct slave slave;
static uint16_t ready;

static void rest(void)
{
    slave_idle(&slave);
    ready = slave_begin(&slave);
}

static void select_slave(void)
{
    unsigned word;
    rest();
    while (scanf("%x", &word) == 1) {
        printf("%04x ", ready);
        ready = slave_next(&slave);
        slave_take(&slave, (uint16_t)word);
    }
    rest();
    printf("\n");
}

static void sense(void)
{
    uint16_t words[23];
    unsigned i, word;
    for (i = 0; i < 23; i++) {
        if (scanf("%x", &word) != 1) {
            exit(2);
        }
        words[i] = (uint16_t)word;
    }
    memcpy(slave.senses.reflected, words, 16);
    memcpy(slave.senses.acceleration, words + 8, 6);
    memcpy(slave.senses.microphones, words + 11, 6);
    memcpy(slave.senses.ambient, words + 14, 16);
    slave.senses.battery = words[22];
}

int main(void)
{
    char verb[16];
    unsigned long ticks;
    slave_start(&slave);
    while (scanf("%15s", verb) == 1) {
        if (strcmp(verb, "select") == 0) {
            select_slave();
        } else if (strcmp(verb, "tick") == 0 && scanf("%lu", &ticks) == 1) {
            while (ticks-- > 0) {
                slave_tick(&slave);
            }
        } else if (strcmp(verb, "sense") == 0) {
            sense();
        } else if (strcmp(verb, "state") == 0) {
            printf("%d %d %u %u %x %x %x\n", slave.motors[LEFT].speed, slave.motors[RIGHT].speed,
                   slave.motors[LEFT].steps, slave.motors[RIGHT].steps, slave_coils(&slave, LEFT),
                   slave_coils(&slave, RIGHT), slave_leds(&slave));
        } else {
            fprintf(stderr, "replay: what is \"%s\"?\n", verb);
            return 2;
        }
        fflush(stdout);
    }
    return 0;
}

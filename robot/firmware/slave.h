/* The e-puck's side of the SPI link, without the hardware: words in, words out, steps of the motors.
 *
 * The messages are those of docs/protocols/spi.md. What is called from where matters, for the interrupts differ in
 * priority: slave_next() and slave_take() belong to the interrupt after each word, everything else to one other
 * interrupt level. Only the fields that say so are read or written from outside. */
#ifndef XPUCK_SLAVE_H
#define XPUCK_SLAVE_H

#include "words.h"
#include <stdint.h>

/* slave_tick() is called so many times a second; a motor makes at most one step in a tick. */
#define SLAVE_TICKS_PER_SECOND 10000u

enum { LEFT, RIGHT, MOTORS };

/* A stepper motor. */
struct motor {
    int16_t speed;    /* steps/s, positive is forward */
    int16_t fraction; /* of a step, in ticks per second, 0 to 9999 */
    uint16_t steps;   /* made so far, forward counts up, wraps */
    uint16_t powered; /* ticks for which the coils stay on */
};

/* What the sensors say, in the order of the report; written by the hardware layer. */
struct senses {
    uint16_t reflected[8];
    uint16_t acceleration[3];
    uint16_t microphones[3];
    uint16_t ambient[8];
    uint16_t battery; /* mV, 0 if it cannot be measured */
};

/* What is known of the command in the receive buffer. */
enum verdict { NONE, GOOD, BAD };

struct slave {
    struct senses senses;
    struct motor motors[MOTORS];
    uint16_t leds;
    uint16_t blink; /* ms */
    uint16_t blink_ticks;
    uint16_t blink_ms;
    uint16_t dark;
    uint16_t silent; /* ticks since the last valid command */
    uint16_t status;
    uint16_t echo;
    uint16_t rejected;
    uint16_t ready; /* which of the two reports is sent; the other is being written */
    uint16_t reports[2][WORDS];
    /* The interrupt after each word. */
    volatile uint16_t loaded;  /* words of this message that were loaded after the first, 0 to 32 */
    volatile uint16_t verdict; /* enum verdict */
    volatile uint16_t messages;
    uint16_t crc;
    uint16_t sum;
    uint16_t received[WORDS]; /* word i of a message stands at i + 1 */
};

/* The state after power-up: motors off, and timed out. */
void slave_start(struct slave *slave);

/* While the slave select is high: ends the message before, obeys its command, and writes a new report. */
void slave_idle(struct slave *slave);

/* After slave_idle(), with the select still high: takes the new report and gives the word to load before the first
 * clock. It is short; a message that begins between the two calls is answered with the report before. */
uint16_t slave_begin(struct slave *slave);

/* After each word: the next word to load. */
uint16_t slave_next(struct slave *slave);

/* After slave_next(): the word that was received. */
void slave_take(struct slave *slave, uint16_t word);

/* A ten-thousandth of a second: steps the motors, and stops them 200 ms after the last valid command. */
void slave_tick(struct slave *slave);

/* The coils of a motor: bit 0 is phase A, bit 3 phase D. */
uint16_t slave_coils(const struct slave *slave, int motor);

/* The LEDs that are lit now. */
uint16_t slave_leds(const struct slave *slave);

#endif

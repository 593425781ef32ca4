/* The e-puck's side of the SPI link, independent of the hardware: received words, reply words, and motor steps.
 *
 * docs/protocols/spi.md describes the messages. The interrupts have different priorities: only the interrupt after each
 * word may call slave_next() and slave_take(), and all other functions must be called at one other interrupt level. The
 * hardware layer accesses only the fields whose comments mention it. */
#ifndef XPUCK_SLAVE_H
#define XPUCK_SLAVE_H

#include "words.h"
#include <stdint.h>

/* Call rate of slave_tick() (Hz); a motor makes at most one step in a tick. */
#define SLAVE_TICKS_PER_SECOND 10000u

enum { LEFT, RIGHT, MOTORS };

/* A stepper motor. */
struct motor {
    int16_t speed;    /* steps/s, positive is forward */
    int16_t fraction; /* fraction of a step, 0 to 9999 (1/10000 step) */
    uint16_t steps;   /* step count, wraps; increases forward */
    uint16_t powered; /* remaining time for which the coils stay on (ticks) */
};

/* Sensor readings, in the order of the report; the hardware layer writes them. */
struct senses {
    uint16_t reflected[8];
    uint16_t acceleration[3];
    uint16_t microphones[3];
    uint16_t ambient[8];
    uint16_t battery; /* battery voltage (mV), 0 if it cannot be measured */
};

/* Validity of the command in the receive buffer; NONE before its CRC has arrived. */
enum verdict { NONE, GOOD, BAD };

struct slave {
    struct senses senses;
    struct motor motors[MOTORS];
    uint16_t leds;
    uint16_t blink; /* half-period of blinking (ms) */
    uint16_t blink_ticks;
    uint16_t blink_ms;
    uint16_t dark;
    uint16_t silent; /* time since the last valid command (ticks) */
    uint16_t status;
    uint16_t echo;
    uint16_t rejected;
    uint16_t ready; /* index of the report being sent; the other report is written */
    uint16_t reports[2][WORDS];
    /* Fields of the interrupt after each word. */
    volatile uint16_t loaded;  /* number of words loaded in this message after the first, 0 to 32 */
    volatile uint16_t verdict; /* enum verdict */
    volatile uint16_t messages;
    uint16_t crc;
    uint16_t sum;
    uint16_t received[WORDS]; /* word i of a message is at index i + 1 */
};

/* Sets the state after power-up: motors off, time-out reached. */
void slave_start(struct slave *slave);

/* Ends the previous message, executes its command, and writes a new report. Call while the slave select is high. */
void slave_idle(struct slave *slave);

/* Selects the new report and returns its first word, which must be loaded before the first clock. Call after
 * slave_idle() while the slave select is still high. A message that begins between the two calls gets the previous
 * report. */
uint16_t slave_begin(struct slave *slave);

/* Returns the next word to load. Call after each word. */
uint16_t slave_next(struct slave *slave);

/* Processes a received word. Call after slave_next(). */
void slave_take(struct slave *slave, uint16_t word);

/* Advances by 0.1 ms: steps the motors, and stops them 200 ms after the last valid command. */
void slave_tick(struct slave *slave);

/* Coils of a motor: bit 0 is phase A, bit 3 phase D. */
uint16_t slave_coils(const struct slave *slave, int motor);

/* LEDs that are lit at the moment. */
uint16_t slave_leds(const struct slave *slave);

#endif

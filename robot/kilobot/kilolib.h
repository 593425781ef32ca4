/* Declarations of the kilolib functions and variables that main.c uses, after kilolib's documentation. No package contains
 * kilolib, so a build for a robot must link its own copy. */
#ifndef XPUCK_KILOLIB_H
#define XPUCK_KILOLIB_H

#include <stdint.h>

typedef struct {
    uint8_t data[9];
    uint8_t type;
    uint16_t crc;
} message_t;

typedef struct {
    int16_t low_gain;
    int16_t high_gain;
} distance_measurement_t;

/* Type of user messages; message types from 80 on are commands to the robot. */
#define NORMAL 0

/* Callbacks, which kilolib calls in interrupts. */
extern void (*kilo_message_rx)(message_t *message, distance_measurement_t *distance);
extern message_t *(*kilo_message_tx)(void);

extern volatile uint32_t kilo_ticks; /* clock of about 30.5 ticks/s */
extern uint16_t kilo_uid;
extern uint8_t kilo_turn_left, kilo_turn_right, kilo_straight_left, kilo_straight_right;

void kilo_init(void);
void kilo_start(void (*setup)(void), void (*loop)(void));
uint16_t message_crc(const message_t *message);
uint8_t estimate_distance(const distance_measurement_t *distance); /* returns the distance (mm) */
void set_motors(uint8_t left, uint8_t right);
int16_t get_ambientlight(void); /* returns 10 bits, or -1 while a message is received */
uint8_t rand_soft(void);
uint8_t rand_hard(void);
void rand_seed(uint8_t seed);

#endif

/* The functions and variables of kilolib that main.c uses, written from its documentation: kilolib itself is in no package,
 * so whoever builds for a robot links their own. */
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

/* The type of a user's message; from 80 on they are commands to the robot. */
#define NORMAL 0

/* Called within interrupts. */
extern void (*kilo_message_rx)(message_t *message, distance_measurement_t *distance);
extern message_t *(*kilo_message_tx)(void);

extern volatile uint32_t kilo_ticks; /* about 30.5 a second */
extern uint16_t kilo_uid;
extern uint8_t kilo_turn_left, kilo_turn_right, kilo_straight_left, kilo_straight_right;

void kilo_init(void);
void kilo_start(void (*setup)(void), void (*loop)(void));
uint16_t message_crc(const message_t *message);
uint8_t estimate_distance(const distance_measurement_t *distance); /* mm */
void set_motors(uint8_t left, uint8_t right);
int16_t get_ambientlight(void); /* 10 bits; -1 while a message is received */
uint8_t rand_soft(void);
uint8_t rand_hard(void);
void rand_seed(uint8_t seed);

#endif

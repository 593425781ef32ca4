/* Runs the robot's program on a PC and prints one line for each change of the motor command: the previous and the new
 * command, then each pair of motor powers with its duration (ms). */

#include <stdio.h>

#define main kilobot_main
#include "../main.c"
#undef main

void (*kilo_message_rx)(message_t *, distance_measurement_t *);
message_t *(*kilo_message_tx)(void);
volatile uint32_t kilo_ticks;
uint16_t kilo_uid = 7;
uint8_t kilo_turn_left = 70, kilo_turn_right = 71, kilo_straight_left = 65, kilo_straight_right = 66;
const uint8_t tree_table[] = {0};
uint8_t tree_counts[1];

void kilo_init(void) {}
void kilo_start(void (*start)(void), void (*again)(void)) { (void)start; (void)again; }
uint16_t message_crc(const message_t *data) { (void)data; return 1; }
uint8_t estimate_distance(const distance_measurement_t *d) { (void)d; return 50; }
int16_t get_ambientlight(void) { return 100; }
uint8_t rand_soft(void) { return 1; }
uint8_t rand_hard(void) { return 1; }
void rand_seed(uint8_t seed) { (void)seed; }
void set_motors(uint8_t left, uint8_t right) { printf(" %u,%u", left, right); }
void _delay_ms(double ms) { printf(":%.0f", ms); }
void _delay_us(double us) { (void)us; }

int main(void)
{
    for (uint8_t before = 0; before < 4; before++)
        for (uint8_t after = 0; after < 4; after++) {
            motors_on = before;
            printf("%u %u", before, after);
            move(after);
            printf("\n");
        }
    return 0;
}

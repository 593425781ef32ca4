/* kilolib's functions for a robot in simavr. For each pass of the main loop, the PC sends a struct turn and the received
 * messages, and light readings and random numbers when the program requests them. The PC receives the cycles of the pass,
 * then motor powers, message and blackboard. */
#include "kilolib.h"
#include "tick.h"

#include "device.h"

#define PAYLOAD 9

struct turn {
    /* Number of ticks by which the clock advances. */
    uint8_t ticks;
    uint8_t messages;
};

void (*kilo_message_rx)(message_t *message, distance_measurement_t *distance);
message_t *(*kilo_message_tx)(void);
volatile uint32_t kilo_ticks;
uint16_t kilo_uid = 1;
/* Distinct values, so that a test can identify the variable in use. */
uint8_t kilo_turn_left = 61, kilo_turn_right = 62, kilo_straight_left = 63, kilo_straight_right = 64;

/* Defined in main.c. */
extern struct tree_mind mind;

static uint8_t motors[2];

void kilo_init(void)
{
}

static void hear(uint8_t messages)
{
    struct {
        uint8_t payload[PAYLOAD];
        uint8_t mm;
    } heard;
    while (messages-- > 0) {
        message_t message = {.type = NORMAL};
        device(DEVICE_TAKE, &heard, sizeof heard);
        for (uint8_t i = 0; i < PAYLOAD; i++)
            message.data[i] = heard.payload[i];
        distance_measurement_t distance = {heard.mm, 0};
        kilo_message_rx(&message, &distance);
    }
}

void kilo_start(void (*setup)(void), void (*loop)(void))
{
    setup();
    for (;;) {
        struct turn turn;
        device(DEVICE_TAKE, &turn, sizeof turn);
        kilo_ticks += turn.ticks;
        hear(turn.messages);
        device_mark(DEVICE_BEGIN);
        loop();
        device_mark(DEVICE_END);
        device(DEVICE_GIVE, motors, sizeof motors);
        device(DEVICE_GIVE, kilo_message_tx()->data, PAYLOAD);
        device(DEVICE_GIVE, mind.board, sizeof mind.board);
    }
}

uint8_t estimate_distance(const distance_measurement_t *distance)
{
    return (uint8_t)distance->low_gain;
}

/* No receiver checks the CRC, because messages arrive intact. */
uint16_t message_crc(const message_t *message)
{
    (void)message;
    return 0;
}

void set_motors(uint8_t left, uint8_t right)
{
    motors[0] = left;
    motors[1] = right;
}

int16_t get_ambientlight(void)
{
    int16_t reading;
    device(DEVICE_TAKE, &reading, sizeof reading);
    return reading;
}

uint8_t rand_soft(void)
{
    uint8_t number;
    device(DEVICE_TAKE, &number, sizeof number);
    return number;
}

uint8_t rand_hard(void)
{
    return 1;
}

void rand_seed(uint8_t seed)
{
    (void)seed;
}

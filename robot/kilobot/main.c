/* Program of a foraging Kilobot (thesis 4.3). Twice a second it updates the senses, ticks the tree and commands the motors.
 * xpuck_kernels::kilobot::Program::to_c generates `tree_table` and `tree_counts`. */

#include "kilolib.h"
#include "senses.h"
#include "tick.h"

#include <util/atomic.h>
#include <util/delay.h>

/* Projector colours of food and nest; compiler option -D sets others. */
#ifndef FOOD_LIGHT
#define FOOD_LIGHT LIGHT_CYAN_OR_YELLOW
#endif
#ifndef NEST_LIGHT
#define NEST_LIGHT LIGHT_MAGENTA
#endif
/* Minimum difference between readings in a light pulse and in the dark (counts). */
#ifndef LIGHT_CONTRAST
#define LIGHT_CONTRAST 40
#endif
/* Delay between two readings (us); with the conversion the interval is 520 us. */
#ifndef LIGHT_WAIT
#define LIGHT_WAIT 400
#endif

/* Intervals in ticks of kilolib's clock (30.5 ticks/s): 2 Hz for updates, 8 Hz for light samples. */
#define UPDATE_TICKS 15
#define LIGHT_TICKS 4

extern const uint8_t tree_table[];
extern uint8_t tree_counts[];

static struct senses senses;
/* State of the tree. Not static: simavr/kilolib.c reads its blackboard. */
struct tree_mind mind;
static uint8_t motors_on;
static uint32_t next_update, next_light;

/* Buffers of the interrupts: received messages, and the message to send. */
static struct inbox inbox;
static message_t message;

static void receive(message_t *received, distance_measurement_t *distance)
{
    if (received->type == NORMAL)
        inbox_take(&inbox, received->data, estimate_distance(distance));
}

static message_t *transmit(void)
{
    return &message;
}

static float unit(void)
{
    return (float)((uint16_t)rand_soft() << 8 | rand_soft()) * (1.0f / 65536.0f);
}

/* Returns the region from sixteen light readings; returns `last` if a message disturbs them or no colour matches. */
static enum region look(enum region last)
{
    uint16_t readings[PROJECTOR_SAMPLES];
    for (uint8_t i = 0; i < PROJECTOR_SAMPLES; i++) {
        int16_t reading = get_ambientlight();
        if (reading < 0)
            return last;
        readings[i] = (uint16_t)reading;
        _delay_us(LIGHT_WAIT);
    }
    switch (light_of(readings, LIGHT_CONTRAST)) {
    case FOOD_LIGHT:
        return REGION_FOOD;
    case NEST_LIGHT:
        return REGION_NEST;
    case LIGHT_UNKNOWN:
        return last;
    default:
        return REGION_NEITHER;
    }
}

/* Duration of full power at a start (ms), which overcomes the static friction of a leg. */
#define SPINUP_MS 15

static void move(uint8_t motors)
{
    /* Bit 0 is the left motor, bit 1 the right motor. */
    uint8_t left = motors == 1 ? kilo_turn_left : motors == 3 ? kilo_straight_left : 0;
    uint8_t right = motors == 2 ? kilo_turn_right : motors == 3 ? kilo_straight_right : 0;
    uint8_t starts = motors & (uint8_t)~motors_on;
    motors_on = motors;
    if (starts != 0) {
        set_motors(starts & 1 ? 255 : left, starts & 2 ? 255 : right);
        _delay_ms(SPINUP_MS);
    }
    set_motors(left, right);
}

static void tell(void)
{
    message_t next = {.type = NORMAL};
    senses_payload(&senses, kilo_uid, mind.board[TREE_SEND_SIGNAL], next.data);
    next.crc = message_crc(&next);
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        message = next;
    }
}

static void setup(void)
{
    rand_seed(rand_hard());
    mind.place = TREE_ROOT;
    mind.counts = tree_counts;
    senses_start(&senses, REGION_NEST);
    inbox_clear(&inbox);
    tell();
    next_update = next_light = kilo_ticks;
}

static void loop(void)
{
    static enum region seen = REGION_NEST;
    static struct inbox heard;
    uint32_t now = kilo_ticks;
    if ((int32_t)(now - next_light) >= 0) {
        next_light = now + LIGHT_TICKS;
        seen = look(seen);
        senses_see(&senses, seen);
    }
    if ((int32_t)(now - next_update) < 0)
        return;
    next_update = now + UPDATE_TICKS;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        heard = inbox;
        inbox_clear(&inbox);
    }
    senses_update(&senses, &heard, senses_region(&senses), mind.board);
    tree_tick(tree_table, &mind, unit);
    move((uint8_t)mind.board[TREE_MOTORS]);
    tell();
}

int main(void)
{
    kilo_init();
    kilo_message_rx = receive;
    kilo_message_tx = transmit;
    kilo_start(setup, loop);
    return 0;
}

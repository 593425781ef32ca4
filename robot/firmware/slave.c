/* See slave.h. The code is correct for compilers whose int has 16 bits and for compilers whose int has 32 bits. */
#include "slave.h"

#define TIMEOUT_TICKS (SLAVE_TICKS_PER_SECOND / 1000u * TIMEOUT_MS)
#define TICKS_PER_MS (SLAVE_TICKS_PER_SECOND / 1000u)
/* Time for which the coils stay on after a step (ticks), about 1/650 s; at lower step rates they are off in between. */
#define COIL_TICKS 15u

/* Coils of each phase; two coils are on. The phase is the step count modulo 4, negated for the left motor, which is
 * mounted in the opposite direction. */
static const uint16_t PHASES[4] = {0x5, 0x6, 0xa, 0x9};

/* CRC-16/CCITT-FALSE over one word, most significant byte first. Without a table: processes eight bits at a time. */
static uint16_t crc_word(uint16_t crc, uint16_t word)
{
    int byte;
    for (byte = 0; byte < 2; byte++) {
        uint16_t x = (uint16_t)((crc >> 8) ^ (byte == 0 ? word >> 8 : word & 0xffu));
        x = (uint16_t)(x ^ (x >> 4));
        crc = (uint16_t)((crc << 8) ^ (x << 12) ^ (x << 5) ^ x);
    }
    return crc;
}

static void copy(uint16_t *to, const uint16_t *from, uint16_t count)
{
    while (count-- > 0) {
        *to++ = *from++;
    }
}

void slave_start(struct slave *slave)
{
    /* The fields of the word interrupt keep their values, because a message may be in progress. */
    static const struct senses NOTHING;
    int i;
    slave->senses = NOTHING;
    for (i = 0; i < MOTORS; i++) {
        struct motor *motor = &slave->motors[i];
        motor->speed = 0;
        motor->fraction = 0;
        motor->steps = 0;
        motor->powered = 0;
    }
    slave->leds = 0;
    slave->blink = 0;
    slave->blink_ticks = 0;
    slave->blink_ms = 0;
    slave->dark = 0;
    slave->silent = TIMEOUT_TICKS;
    slave->status = STATUS_MOTORS_TIMED_OUT;
    slave->echo = 0;
    slave->rejected = 0;
    slave->messages = 0;
}

static int16_t clamped(uint16_t word)
{
    int16_t limit = (int16_t)MAX_SPEED;
    int16_t speed = (int16_t)word;
    return speed > limit ? limit : speed < -limit ? (int16_t)-limit : speed;
}

static void obey(struct slave *slave)
{
    const uint16_t *command = &slave->received[1];
    uint16_t actions = command[COMMAND_ACTIONS];
    if (actions & ACTION_RESET) {
        slave_start(slave);
        return;
    }
    slave->silent = 0;
    slave->status = 0;
    slave->echo = command[COMMAND_SEQUENCE];
    if (actions & ACTION_SET_MOTOR) {
        slave->motors[LEFT].speed = clamped(command[COMMAND_SPEED_LEFT]);
        slave->motors[RIGHT].speed = clamped(command[COMMAND_SPEED_RIGHT]);
    }
    if (actions & ACTION_SET_LED) {
        slave->leds = command[COMMAND_LEDS];
        slave->blink = command[COMMAND_BLINK];
    }
}

static void write_report(const struct slave *slave, uint16_t *report)
{
    uint16_t i;
    report[REPORT_SUM] = 0;
    copy(&report[REPORT_REFLECTED], slave->senses.reflected, 8);
    copy(&report[REPORT_ACCELERATION], slave->senses.acceleration, 3);
    copy(&report[REPORT_MICROPHONES], slave->senses.microphones, 3);
    copy(&report[REPORT_AMBIENT], slave->senses.ambient, 8);
    report[REPORT_STEPS_LEFT] = slave->motors[LEFT].steps;
    report[REPORT_STEPS_RIGHT] = slave->motors[RIGHT].steps;
    report[REPORT_BATTERY] = slave->senses.battery;
    report[REPORT_STATUS] = slave->status;
    report[REPORT_ECHO] = slave->echo;
    report[REPORT_REJECTED] = slave->rejected;
    report[REPORT_SEQUENCE] = slave->messages;
    for (i = 0; i < REPORT_CRC; i++) {
        if (i != REPORT_SUM) {
            report[REPORT_SUM] = (uint16_t)(report[REPORT_SUM] + report[i]);
        }
    }
    report[REPORT_CRC] = CRC_START;
    for (i = 0; i < REPORT_CRC; i++) {
        report[REPORT_CRC] = crc_word(report[REPORT_CRC], report[i]);
    }
    report[REPORT_DUMMY] = 0;
}

void slave_idle(struct slave *slave)
{
    uint16_t loaded = slave->loaded;
    uint16_t verdict = slave->verdict;
    slave->loaded = 0;
    slave->verdict = NONE;
    if (verdict == GOOD) {
        obey(slave);
    } else if (verdict == BAD || loaded > 0) {
        slave->rejected++;
        slave->status |= STATUS_LAST_COMMAND_BAD;
    }
    write_report(slave, slave->reports[1u - slave->ready]);
}

uint16_t slave_begin(struct slave *slave)
{
    slave->ready = 1u - slave->ready;
    return slave->reports[slave->ready][0];
}

uint16_t slave_next(struct slave *slave)
{
    if (slave->loaded == 0) {
        slave->messages++;
    }
    if (slave->loaded < WORDS) {
        slave->loaded++;
    }
    /* After the last word, loads the first word again, for a message that begins before slave_begin(). */
    return slave->reports[slave->ready][slave->loaded % WORDS];
}

void slave_take(struct slave *slave, uint16_t word)
{
    /* Both directions share one index: the received word has the number of the loaded word minus one. */
    uint16_t at = slave->loaded;
    uint16_t index = (uint16_t)(at - 1u);
    if (at >= WORDS) {
        return;
    }
    slave->received[at] = word;
    if (index == 0) {
        slave->crc = CRC_START;
        slave->sum = 0;
    }
    if (index < COMMAND_CRC) {
        slave->crc = crc_word(slave->crc, word);
        if (index != COMMAND_SUM) {
            slave->sum = (uint16_t)(slave->sum + word);
        }
    } else {
        int whole = word == slave->crc && slave->received[COMMAND_SUM + 1u] == slave->sum;
        slave->verdict = whole ? GOOD : BAD;
    }
}

static void step(struct motor *motor)
{
    if (motor->powered > 0) {
        motor->powered--;
    }
    motor->fraction = (int16_t)(motor->fraction + motor->speed);
    if (motor->fraction >= (int16_t)SLAVE_TICKS_PER_SECOND) {
        motor->fraction = (int16_t)(motor->fraction - (int16_t)SLAVE_TICKS_PER_SECOND);
        motor->steps++;
        motor->powered = COIL_TICKS;
    } else if (motor->fraction < 0) {
        motor->fraction = (int16_t)(motor->fraction + (int16_t)SLAVE_TICKS_PER_SECOND);
        motor->steps--;
        motor->powered = COIL_TICKS;
    }
}

static void blink(struct slave *slave)
{
    if (slave->blink == 0) {
        slave->dark = 0;
        return;
    }
    if (++slave->blink_ticks < TICKS_PER_MS) {
        return;
    }
    slave->blink_ticks = 0;
    if (++slave->blink_ms >= slave->blink) {
        slave->blink_ms = 0;
        slave->dark = !slave->dark;
    }
}

void slave_tick(struct slave *slave)
{
    step(&slave->motors[LEFT]);
    step(&slave->motors[RIGHT]);
    blink(slave);
    if (slave->silent < TIMEOUT_TICKS) {
        slave->silent++;
    }
    if (slave->silent == TIMEOUT_TICKS) {
        slave->motors[LEFT].speed = 0;
        slave->motors[RIGHT].speed = 0;
        slave->status |= STATUS_MOTORS_TIMED_OUT;
    }
}

uint16_t slave_coils(const struct slave *slave, int motor)
{
    const struct motor *m = &slave->motors[motor];
    uint16_t steps = motor == LEFT ? (uint16_t)-m->steps : m->steps;
    return m->powered > 0 ? PHASES[steps % 4u] : 0;
}

uint16_t slave_leds(const struct slave *slave)
{
    return slave->dark ? 0 : slave->leds;
}

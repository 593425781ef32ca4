/* See senses.h. */

#include "senses.h"

#define SAMPLES 7
#define UNKNOWN_MM 500u
#define MOST_HOPS 7u
#define NO_HOPS 0xffu

static struct way known(struct way told, uint8_t within)
{
    struct way way = {MOST_HOPS, UNKNOWN_MM};
    if (within)
        return (struct way){0, 0};
    if (told.hops < MOST_HOPS)
        way = (struct way){(uint8_t)(told.hops + 1), told.mm};
    return way;
}

/* Returns the route with fewer hops; with equal hops, the shorter route. */
static struct way better(struct way a, struct way b)
{
    return b.hops < a.hops || (b.hops == a.hops && b.mm < a.mm) ? b : a;
}

void senses_start(struct senses *senses, enum region region)
{
    struct way unknown = {MOST_HOPS, UNKNOWN_MM};
    *senses = (struct senses){.food = unknown, .nest = unknown};
    for (uint8_t i = 0; i < SENSES_WINDOW; i++)
        senses->foods[i] = senses->nests[i] = UNKNOWN_MM;
    for (uint8_t i = 0; i < SAMPLES; i++)
        senses_see(senses, region);
}

void inbox_clear(struct inbox *inbox)
{
    inbox->signal = inbox->neighbours = 0;
    inbox->food = inbox->nest = (struct way){NO_HOPS, UNKNOWN_MM};
}

void inbox_take(struct inbox *inbox, const uint8_t payload[SENSES_PAYLOAD], uint8_t mm)
{
    uint16_t uid = (uint16_t)(payload[0] | (uint16_t)payload[1] << 8);
    uint8_t i = 0;
    while (i < inbox->neighbours && inbox->uid[i] != uid)
        i++;
    if (i < SENSES_NEIGHBOURS) {
        inbox->uid[i] = uid;
        inbox->mm[i] = mm;
        if (i == inbox->neighbours)
            inbox->neighbours++;
    }
    if (payload[2] != 0)
        inbox->signal = 1;
    struct way food = {payload[3], (uint16_t)((payload[4] | (uint16_t)payload[5] << 8) + mm)};
    struct way nest = {payload[6], (uint16_t)((payload[7] | (uint16_t)payload[8] << 8) + mm)};
    inbox->food = better(inbox->food, food);
    inbox->nest = better(inbox->nest, nest);
}

void senses_see(struct senses *senses, enum region region)
{
    senses->light_food = (uint8_t)(senses->light_food << 1 | (region == REGION_FOOD));
    senses->light_nest = (uint8_t)(senses->light_nest << 1 | (region == REGION_NEST));
}

/* Whether at least four of the last seven samples are set. */
static uint8_t most(uint8_t bits)
{
    uint8_t set = 0;
    for (uint8_t i = 0; i < SAMPLES; i++)
        set = (uint8_t)(set + (bits >> i & 1));
    return set > SAMPLES / 2;
}

enum region senses_region(const struct senses *senses)
{
    if (most(senses->light_food))
        return REGION_FOOD;
    return most(senses->light_nest) ? REGION_NEST : REGION_NEITHER;
}

void senses_update(struct senses *senses, const struct inbox *inbox, enum region region, float *board)
{
    float crowding = 0;
    for (uint8_t i = 0; i < inbox->neighbours; i++) {
        float mm = inbox->mm[i] > 1 ? (float)inbox->mm[i] : 1.0f;
        crowding += 1e6f / (3.14159274f * mm * mm);
    }
    if (region != REGION_NEITHER)
        senses->carrying = region == REGION_FOOD;
    senses->food = known(inbox->food, region == REGION_FOOD);
    senses->nest = known(inbox->nest, region == REGION_NEST);
    uint8_t slot = senses->slot;
    board[8] = (float)((int16_t)senses->food.mm - (int16_t)senses->foods[slot]) * (0.001f / SENSES_WINDOW);
    board[9] = (float)((int16_t)senses->nest.mm - (int16_t)senses->nests[slot]) * (0.001f / SENSES_WINDOW);
    senses->foods[slot] = senses->food.mm;
    senses->nests[slot] = senses->nest.mm;
    senses->crowding[slot] = crowding;
    senses->slot = (uint8_t)((slot + 1) % SENSES_WINDOW);
    float sum = 0;
    for (uint8_t i = 0; i < SENSES_WINDOW; i++)
        sum += senses->crowding[i];
    float density = sum * (0.001f / SENSES_WINDOW);
    board[3] = inbox->signal;
    board[4] = region == REGION_FOOD;
    board[5] = senses->carrying;
    board[6] = density;
    board[7] = density - senses->density;
    senses->density = density;
}

void senses_payload(const struct senses *senses, uint16_t uid, float send_signal, uint8_t payload[SENSES_PAYLOAD])
{
    payload[0] = (uint8_t)uid;
    payload[1] = (uint8_t)(uid >> 8);
    payload[2] = send_signal > 0.5f;
    payload[3] = senses->food.hops;
    payload[4] = (uint8_t)senses->food.mm;
    payload[5] = (uint8_t)(senses->food.mm >> 8);
    payload[6] = senses->nest.hops;
    payload[7] = (uint8_t)senses->nest.mm;
    payload[8] = (uint8_t)(senses->nest.mm >> 8);
}

enum light light_of(const uint16_t readings[PROJECTOR_SAMPLES], uint16_t contrast)
{
    uint16_t darkest = 0xffff, brightest = 0, bits = 0;
    for (uint8_t i = 0; i < PROJECTOR_SAMPLES; i++) {
        if (readings[i] < darkest)
            darkest = readings[i];
        if (readings[i] > brightest)
            brightest = readings[i];
    }
    if ((uint16_t)(brightest - darkest) < contrast)
        return LIGHT_BLACK;
    uint8_t from = PROJECTOR_SAMPLES;
    for (uint8_t i = 0; i < PROJECTOR_SAMPLES; i++) {
        if ((uint16_t)(readings[i] - darkest) > (uint16_t)(brightest - darkest) / 2)
            bits |= (uint16_t)(1u << i);
        else if (from == PROJECTOR_SAMPLES)
            from = i;
    }
    /* The samples are cyclic (one turn of the colour wheel), so pulses are counted from a dark sample on. */
    uint8_t pulses[2] = {0, 0}, count = 0, length = 0;
    for (uint8_t i = 1; i <= PROJECTOR_SAMPLES; i++) {
        if (bits >> (from + i) % PROJECTOR_SAMPLES & 1) {
            length++;
        } else if (length > 0) {
            if (count == 2)
                return LIGHT_UNKNOWN;
            pulses[count++] = length;
            length = 0;
        }
    }
    if (count == 1 && pulses[0] <= 4)
        return LIGHT_PRIMARY;
    if (count == 1 && pulses[0] <= 8)
        return LIGHT_CYAN_OR_YELLOW;
    if (count == 2 && pulses[0] <= 4 && pulses[1] <= 4)
        return LIGHT_MAGENTA;
    return LIGHT_UNKNOWN;
}

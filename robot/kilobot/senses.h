/* What a Kilobot knows of the world: the same as kernels/kilobots/src/senses.rs and projector.rs, for the robot's own
 * processor (thesis 4.2 and 4.3). */
#ifndef XPUCK_KILOBOT_SENSES_H
#define XPUCK_KILOBOT_SENSES_H

#include <stdint.h>

/* Neighbours of an update that count; a hundred discs of 33 mm do not have more within 100 mm. */
#define SENSES_NEIGHBOURS 40
#define SENSES_WINDOW 5
#define SENSES_PAYLOAD 9

enum region { REGION_NEITHER, REGION_FOOD, REGION_NEST };

/* A way to a region: hops, and the sum of their lengths. */
struct way {
    uint8_t hops;
    uint16_t mm;
};

/* What messages since the last update came to. The receiving interrupt writes it. */
struct inbox {
    uint8_t signal;
    uint8_t neighbours;
    uint16_t uid[SENSES_NEIGHBOURS];
    uint8_t mm[SENSES_NEIGHBOURS];
    struct way food, nest;
};

struct senses {
    struct way food, nest;
    float crowding[SENSES_WINDOW];
    uint16_t foods[SENSES_WINDOW], nests[SENSES_WINDOW];
    float density;
    uint8_t slot;
    uint8_t carrying;
    /* The last samples of the light sensor as bits, the newest lowest. */
    uint8_t light_food, light_nest;
};

void senses_start(struct senses *senses, enum region region);
void inbox_clear(struct inbox *inbox);

/* Takes in a message from so far away. A neighbour's second message in an update replaces its first. */
void inbox_take(struct inbox *inbox, const uint8_t payload[SENSES_PAYLOAD], uint8_t mm);

/* Takes a sample of the light sensor. */
void senses_see(struct senses *senses, enum region region);

/* Where the median of the last seven samples has the robot. */
enum region senses_region(const struct senses *senses);

/* Enters entries 3 to 9 of the blackboard (thesis Table 4.1). */
void senses_update(struct senses *senses, const struct inbox *inbox, enum region region, float *board);

/* The message of robot `uid`. */
void senses_payload(const struct senses *senses, uint16_t uid, float send_signal, uint8_t payload[SENSES_PAYLOAD]);

/* Samples that see one turn of a projector's colour wheel, 520 us apart. */
#define PROJECTOR_SAMPLES 16

enum light { LIGHT_BLACK, LIGHT_PRIMARY, LIGHT_CYAN_OR_YELLOW, LIGHT_MAGENTA, LIGHT_UNKNOWN };

/* What the projector shows; pulses are `contrast` and more above the darkest reading. */
enum light light_of(const uint16_t readings[PROJECTOR_SAMPLES], uint16_t contrast);

#endif

/* Senses of a Kilobot (thesis 4.2 and 4.3), for the robot's own processor. The behaviour is that of
 * kernels/kilobots/src/senses.rs and projector.rs. */
#ifndef XPUCK_KILOBOT_SENSES_H
#define XPUCK_KILOBOT_SENSES_H

#include <stdint.h>

/* Maximum number of neighbours in an update; no more discs of 33 mm fit within 100 mm of a robot. */
#define SENSES_NEIGHBOURS 40
#define SENSES_WINDOW 5
#define SENSES_PAYLOAD 9

enum region { REGION_NEITHER, REGION_FOOD, REGION_NEST };

/* Route to a region: number of hops, and sum of their lengths (mm). */
struct way {
    uint8_t hops;
    uint16_t mm;
};

/* Summary of the messages received since the last update; the receive interrupt writes it. */
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
    /* Last light samples as bits, the newest in bit 0: whether the sample showed food, and whether it showed the nest. */
    uint8_t light_food, light_nest;
};

void senses_start(struct senses *senses, enum region region);
void inbox_clear(struct inbox *inbox);

/* Adds a message from a robot at distance `mm` (mm). A neighbour's second message in an update replaces its first. */
void inbox_take(struct inbox *inbox, const uint8_t payload[SENSES_PAYLOAD], uint8_t mm);

/* Adds a light sample. */
void senses_see(struct senses *senses, enum region region);

/* Returns the robot's region by the majority of the last seven light samples. */
enum region senses_region(const struct senses *senses);

/* Updates the senses, and writes entries 3 to 9 of the blackboard (thesis Table 4.1). */
void senses_update(struct senses *senses, const struct inbox *inbox, enum region region, float *board);

/* Creates the message payload of robot `uid`. */
void senses_payload(const struct senses *senses, uint16_t uid, float send_signal, uint8_t payload[SENSES_PAYLOAD]);

/* Number of light readings, 520 us apart, in one turn of a projector's colour wheel. */
#define PROJECTOR_SAMPLES 16

enum light { LIGHT_BLACK, LIGHT_PRIMARY, LIGHT_CYAN_OR_YELLOW, LIGHT_MAGENTA, LIGHT_UNKNOWN };

/* Returns the light of the projector. In a pulse, readings are at least `contrast` above the darkest reading. */
enum light light_of(const uint16_t readings[PROJECTOR_SAMPLES], uint16_t contrast);

#endif

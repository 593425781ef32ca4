/* Interface between a program in simavr and the PC that simulates it. A value written to GPIOR0 is a command; GPIOR1 and
 * GPIOR2 contain the address of its operands. run.c is the PC's side. */
#ifndef XPUCK_KILOBOT_DEVICE_H
#define XPUCK_KILOBOT_DEVICE_H

/* Copies bytes from the PC's standard input to memory or flash, or from memory to the PC's standard output. */
#define DEVICE_TAKE 1
#define DEVICE_TAKE_FLASH 2
#define DEVICE_GIVE 3
/* Counts cycles from BEGIN to END; END writes the count (32 bits) to the PC's standard output. */
#define DEVICE_BEGIN 4
#define DEVICE_END 5
/* Ends the simulation: the program is complete. */
#define DEVICE_DONE 6

#ifdef __AVR__

#include <avr/io.h>

struct device_bytes {
    uint16_t place;
    uint16_t length;
};

static inline void device(uint8_t command, const volatile void *place, uint16_t length)
{
    volatile struct device_bytes bytes = {(uint16_t)place, length};
    GPIOR1 = (uint8_t)(uint16_t)&bytes;
    GPIOR2 = (uint8_t)((uint16_t)&bytes >> 8);
    /* The PC accesses memory without the compiler's knowledge. */
    __asm__ volatile("" ::: "memory");
    GPIOR0 = command;
    __asm__ volatile("" ::: "memory");
}

static inline void device_mark(uint8_t command)
{
    __asm__ volatile("" ::: "memory");
    GPIOR0 = command;
    __asm__ volatile("" ::: "memory");
}

#endif

#endif

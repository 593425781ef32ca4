/* avr-libc's header on a PC: nothing interrupts. */
#define ATOMIC_RESTORESTATE
#define ATOMIC_BLOCK(how)

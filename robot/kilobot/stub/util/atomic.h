/* Substitute for avr-libc's header on a PC, where no interrupts occur. */
#define ATOMIC_RESTORESTATE
#define ATOMIC_BLOCK(how)

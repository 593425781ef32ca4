/* Substitute for avr-libc's header on a PC: delays are counted instead of waited for. */
void _delay_ms(double ms);
void _delay_us(double us);

/* avr-libc's header on a PC: waits are counted. */
void _delay_ms(double ms);
void _delay_us(double us);

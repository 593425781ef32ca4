/* Hardware layer of the SPI slave on an e-puck: clock, pins, SPI2, timer, converter. It follows the registers of the
 * data sheet and the published pins of the e-puck. It has not run on a robot: see docs/firmware.md.
 *
 * Interrupt priorities: 6 for the word interrupt, which has 6.4 us to load the next word; 5 for all other calls of the
 * slave, so that they do not interrupt each other; 4 for the converter. */
#include "slave.h"
#include <xc.h>

#pragma config FPR = XT_PLL8 /* 7.3728 MHz crystal: 14.7456 million instructions/s */
#pragma config FCKSMEN = CSW_FSCM_OFF
#pragma config WDT = WDT_ON, FWPSA = WDTPSA_1, FWPSB = WDTPSB_16 /* resets after about 32 ms */
#pragma config BODENV = NONE, MCLRE = MCLR_EN

#define CYCLES_PER_SECOND 14745600ul
/* Interval for a new report on an idle link (ticks); the maximum age of a report. */
#define REFRESH_TICKS 10u
/* Measurement time of a pair of infra-red sensors, and duration of the pulse at its start (ticks). */
#define PAIR_TICKS 25u
#define PULSE_TICKS 4u

static struct slave slave;

static int selected(void)
{
    return !PORTGbits.RG9;
}

/* Loads the first word of a report. Switching the SPI module off and on empties its buffers. */
static void preload(void)
{
    SPI2STATbits.SPIEN = 0;
    SPI2STATbits.SPIROV = 0;
    SPI2STATbits.SPIEN = 1;
    SPI2BUF = slave_begin(&slave);
}

static void refresh(void)
{
    if (selected()) {
        return;
    }
    slave_idle(&slave);
    if (!selected()) {
        preload();
    }
}

/* Interrupt after each word. */
void __attribute__((interrupt, no_auto_psv)) _SPI2Interrupt(void)
{
    uint16_t word = SPI2BUF;
    _SPI2IF = 0;
    SPI2BUF = slave_next(&slave);
    slave_take(&slave, word);
}

/* Interrupt at a change of the slave select, whose rise ends a message. */
void __attribute__((interrupt, no_auto_psv)) _CNInterrupt(void)
{
    (void)PORTG;
    _CNIF = 0;
    refresh();
}

/* Latest conversions of AN2 to AN15: microphones, acceleration, infra-red (counts). */
static uint16_t converted[14];

void __attribute__((interrupt, no_auto_psv)) _ADCInterrupt(void)
{
    volatile uint16_t *buffer = &ADCBUF0;
    uint16_t i;
    _ADIF = 0;
    for (i = 0; i < 14u; i++) {
        converted[i] = buffer[i];
    }
}

static void pulse(uint16_t pair, int on)
{
    LATFbits.LATF7 = on && pair == 0;
    LATFbits.LATF8 = on && pair == 1;
    LATGbits.LATG0 = on && pair == 2;
    LATGbits.LATG1 = on && pair == 3;
}

/* Stores the reading of one infra-red sensor. The phototransistor pulls the input down, so more light gives a smaller
 * reading. The report has the sensor order of the thesis: element 7 - i is the e-puck's IR i. */
static void look(uint16_t sensor, int lit)
{
    static uint16_t dark[8];
    uint16_t value = converted[6u + sensor];
    if (lit) {
        slave.senses.reflected[7u - sensor] = dark[sensor] > value ? dark[sensor] - value : 0;
    } else {
        dark[sensor] = value;
        slave.senses.ambient[7u - sensor] = MAX_COUNTS - value;
    }
}

/* Runs one tick of the infra-red scan. A pair takes 2.5 ms, all four pairs 10 ms. The converter needs two ticks to scan
 * its inputs, so a reading is at most two ticks old. */
static void scan(void)
{
    static uint16_t tick, pair;
    if (tick == 0) {
        look(pair, 0);
        look(pair + 4u, 0);
        pulse(pair, 1);
    } else if (tick == PULSE_TICKS) {
        look(pair, 1);
        look(pair + 4u, 1);
        pulse(pair, 0);
    }
    if (++tick == PAIR_TICKS) {
        uint16_t i;
        tick = 0;
        pair = (pair + 1u) % 4u;
        for (i = 0; i < 3u; i++) {
            slave.senses.microphones[i] = converted[i];
            slave.senses.acceleration[i] = converted[3u + i];
        }
    }
}

static void show_leds(void)
{
    uint16_t leds = slave_leds(&slave);
    LATAbits.LATA6 = leds;
    LATAbits.LATA7 = leds >> 1;
    LATAbits.LATA9 = leds >> 2;
    LATAbits.LATA12 = leds >> 3;
    LATAbits.LATA10 = leds >> 4;
    LATAbits.LATA13 = leds >> 5;
    LATAbits.LATA14 = leds >> 6;
    LATAbits.LATA15 = leds >> 7;
    LATCbits.LATC2 = leds >> 8;
    LATCbits.LATC1 = leds >> 9;
}

/* Interrupt 10 000 times a second. */
void __attribute__((interrupt, no_auto_psv)) _T1Interrupt(void)
{
    static uint16_t ticks;
    _T1IF = 0;
    slave_tick(&slave);
    LATD = (LATD & 0xff00u) | slave_coils(&slave, RIGHT) << 4 | slave_coils(&slave, LEFT);
    scan();
    if (++ticks == REFRESH_TICKS) {
        ticks = 0;
        show_leds();
        refresh();
    }
    ClrWdt();
}

static void start_pins(void)
{
    LATA = 0;
    LATC = 0x2000; /* releases the camera from reset */
    LATD = 0;
    LATF = 0;
    LATG = 0;
    TRISA &= ~0xf6c0u; /* LEDs */
    TRISC &= ~0x2006u; /* front LED, body LED, camera reset */
    TRISD &= ~0x00ffu; /* coils */
    TRISF &= ~0x0181u; /* infra-red pulses; loudspeaker off */
    TRISG = (TRISG & ~0x0103u) | 0x02c0u; /* outputs: other infra-red pulses, SDO2; inputs: SCK2, SDI2, SS2 */
}

static void start_spi(void)
{
    SPI2CON = 0;
    SPI2CONbits.MODE16 = 1;
    SPI2CONbits.CKP = 0; /* SPI mode 1: the clock is low when idle */
    SPI2CONbits.CKE = 0; /* SPI mode 1: data changes at the rising edge */
    SPI2CONbits.SSEN = 1;
    SPI2CONbits.MSTEN = 0;
    _SPI2IP = 6;
    _SPI2IF = 0;
    _SPI2IE = 1;
    CNEN1bits.CN11IE = 1; /* SS2 */
    _CNIP = 5;
    _CNIF = 0;
    _CNIE = 1;
}

static void start_converter(void)
{
    ADPCFG = 0x0003;         /* AN0 and AN1 belong to the programmer */
    ADCSSL = 0xfffc;         /* scans AN2 to AN15 */
    ADCHS = 0;
    ADCON1 = 0x00e4;         /* automatic conversion after each sample, automatic sampling after each conversion */
    ADCON2 = 0x0434;         /* scan, interrupt after 14 conversions */
    ADCON3 = 0x1009;         /* 16 clocks for a sample, 14 for a conversion, 339 ns each: 142 us per scan */
    _ADIP = 4;
    _ADIF = 0;
    _ADIE = 1;
    ADCON1bits.ADON = 1;
}

static void start_timer(void)
{
    TMR1 = 0;
    PR1 = (uint16_t)(CYCLES_PER_SECOND / SLAVE_TICKS_PER_SECOND - 1u);
    _T1IP = 5;
    _T1IF = 0;
    _T1IE = 1;
    T1CONbits.TON = 1;
}

int main(void)
{
    start_pins();
    slave_start(&slave);
    slave_idle(&slave);
    start_spi();
    preload();
    start_converter();
    start_timer();
    for (;;) {
        Idle();
    }
}

/* Runs a program for the ATmega328P in simavr, and implements the PC's side of device.h. Standard input and output serve as
 * the program's input and output. The simulation ends with the program, or when the input is empty at the start of a
 * command. Prints the total number of cycles and the lowest stack address to standard error.
 *
 * Usage: run PROGRAM.hex|PROGRAM.elf */
#include "device.h"

#include <sim_avr.h>
#include <sim_elf.h>
#include <sim_hex.h>
#include <sim_io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLOCK 8000000u
/* Addresses of registers in the ATmega328P's memory. */
#define GPIOR0_AT 0x3e
#define GPIOR1_AT 0x4a
#define GPIOR2_AT 0x4b
#define STACK_AT 0x5d
/* Time without a command after which a program counts as hung (cycles): one minute of simulated time. */
#define PATIENCE ((avr_cycle_count_t)CLOCK * 60)

static avr_cycle_count_t begun, last_command;
static int done;
static FILE *output;

static uint16_t word_at(const avr_t *avr, uint32_t place)
{
    return (uint16_t)(avr->data[place] | avr->data[place + 1] << 8);
}

static void fail(const char *what)
{
    fprintf(stderr, "run: %s\n", what);
    exit(1);
}

static uint8_t *bytes_of(uint8_t *memory, uint32_t end, uint32_t place, uint32_t length)
{
    if (place + length > end + 1u)
        fail("a command's bytes lie outside the memory");
    return memory + place;
}

static void command(avr_t *avr, avr_io_addr_t addr, uint8_t value, void *param)
{
    (void)param;
    avr->data[addr] = value;
    last_command = avr->cycle;
    uint16_t operands = (uint16_t)(avr->data[GPIOR1_AT] | avr->data[GPIOR2_AT] << 8);
    uint32_t cycles;
    if (value <= DEVICE_GIVE)
        bytes_of(avr->data, avr->ramend, operands, 4);
    uint16_t place = word_at(avr, operands), length = word_at(avr, operands + 2u);
    switch (value) {
    case DEVICE_TAKE:
    case DEVICE_TAKE_FLASH: {
        uint8_t *to = value == DEVICE_TAKE ? bytes_of(avr->data, avr->ramend, place, length)
                                           : bytes_of(avr->flash, avr->flashend, place, length);
        size_t got = fread(to, 1, length, stdin);
        if (got == 0 && length > 0)
            done = 1;
        else if (got != length)
            fail("the input ends within what is taken");
        break;
    }
    case DEVICE_GIVE:
        fwrite(bytes_of(avr->data, avr->ramend, place, length), length, 1, output);
        break;
    case DEVICE_BEGIN:
        begun = avr->cycle;
        break;
    case DEVICE_END:
        cycles = (uint32_t)(avr->cycle - begun);
        fwrite(&cycles, sizeof cycles, 1, output);
        break;
    case DEVICE_DONE:
        done = 1;
        break;
    default:
        fail("an unknown command");
    }
}

static void load(avr_t *avr, const char *path)
{
    const char *extension = strrchr(path, '.');
    if (extension != NULL && strcmp(extension, ".hex") == 0) {
        uint32_t size = 0, start = 0;
        uint8_t *program = read_ihex_file(path, &size, &start);
        if (program == NULL || start != 0)
            fail("the hex file is not read");
        avr_loadcode(avr, program, size, 0);
        free(program);
        return;
    }
    elf_firmware_t firmware = {0};
    if (elf_read_firmware(path, &firmware) != 0)
        fail("the ELF file is not read");
    avr_load_firmware(avr, &firmware);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        fail("usage: run PROGRAM.hex|PROGRAM.elf");
    /* The output gets its own descriptor, because simavr prints its messages to standard output. */
    output = fdopen(dup(STDOUT_FILENO), "wb");
    if (output == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        fail("there is no output");
    avr_t *avr = avr_make_mcu_by_name("atmega328p");
    if (avr == NULL)
        fail("simavr knows no atmega328p");
    avr_init(avr);
    load(avr, argv[1]);
    avr->frequency = CLOCK;
    /* Runs one instruction at a time, so that the deepest stack is detected. */
    avr->run_cycle_limit = 1;
    avr->run_cycle_count = 1;
    avr_register_io_write(avr, GPIOR0_AT, command, NULL);
    uint16_t lowest = (uint16_t)avr->ramend;
    while (!done) {
        int state = avr_run(avr);
        uint16_t stack = word_at(avr, STACK_AT);
        /* The stack pointer is 0 until the program sets it. */
        if (stack >= 0x100 && stack < lowest)
            lowest = stack;
        if (state == cpu_Done || state == cpu_Crashed)
            fail("the program has ended or crashed");
        if (avr->cycle - last_command > PATIENCE)
            fail("the program hangs");
    }
    fprintf(stderr, "%llu cycles, stack %u bytes\n", (unsigned long long)avr->cycle, (unsigned)(avr->ramend - lowest));
    return fclose(output) == 0 ? 0 : 1;
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((constructor)) static void before(void) {
    char line[4096] = {0};
    FILE *file = fopen("/proc/self/cmdline", "r");
    size_t length = file ? fread(line, 1, sizeof line - 1, file) : 0;
    char *second = memchr(line, 0, length);
    if (file) fclose(file);
    if (second && !strcmp(second + 1, "evolve")) sleep(atoi(getenv("SLEEP_FIRST")));
}

/* A packet is 2 bytes of checksum, a command and 13 bytes of data. A packet with a wrong checksum
 * is dropped. The command 'R' resets the statistics without a lock. */
// stdin: xyPnothing of use
// input: stdin
// race: RESET SHOW
#include "hunt.h"

static long packets;
static int command;

static unsigned checksum(const unsigned char *data, size_t n)
{
    unsigned a = 1, b = 0;
    for (size_t i = 0; i < n; i++) {
        a = (a + data[i]) & 0xff;
        b = (b + a) & 0xff;
    }
    return b << 8 | a;
}

static void *execute(void *p)
{
    if (command == 'R') {
        GUARD();
        packets = 0; /* RESET */
        UNGUARD();
    }
    return p;
}

static void *show(void *p)
{
    if (command == 'R') {
        GUARD();
        printf("%ld packets\n", packets); /* SHOW */
        UNGUARD();
    }
    return p;
}

int main(void)
{
    unsigned char packet[16];
    if (read_input(packet, sizeof packet) < sizeof packet)
        return 1;
    if (checksum(packet + 2, sizeof packet - 2) == (unsigned)(packet[0] << 8 | packet[1])) {
        packets = 1;
        command = packet[2];
    }
    run_two(execute, show, NULL);
    return 0;
}

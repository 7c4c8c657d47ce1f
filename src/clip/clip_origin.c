/* clip_origin.c - identifies where a clip was written, so that a clip from elsewhere is noticed. */
#define _GNU_SOURCE
#include "allocation.h"
#include "clip.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t pf_clip_origin(const char *path)
{
    char machine[64] = "", host[256] = "", *whole = realpath(path, NULL);
    FILE *f = fopen("/etc/machine-id", "re");
    if (f) {
        if (!fgets(machine, sizeof machine, f))
            machine[0] = 0;
        fclose(f);
    }
    if (gethostname(host, sizeof host - 1))
        host[0] = 0;
    char *text =
        pf_mem_format("%s\n%s\n%u\n%s", machine, host, (unsigned)getuid(), whole ? whole : path);
    uint64_t hash = pf_clip_hash(text, strlen(text));
    free(text);
    free(whole);
    return hash;
}

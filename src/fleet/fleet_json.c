/* fleet_json.c - see fleet.h: JSON values in files. */
#define _GNU_SOURCE
#include "file.h"
#include "fleet.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pf_status pf_json_file_write(const char *path, const json_t *value, struct pf_error *e)
{
    char *part = pf_mem_format("%s.part-%d", path, (int)getpid());
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    pf_status s = PF_OK;
    if (!out || json_dumpf(value, out, JSON_COMPACT | JSON_SORT_KEYS))
        s = pf_fail(e, PF_IO, "%s: %s", part, strerror(errno));
    if (out && fclose(out) && s == PF_OK)
        s = pf_fail(e, PF_IO, "%s: %s", part, strerror(errno));
    if (s == PF_OK && rename(part, path))
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    if (s != PF_OK)
        unlink(part);
    free(part);
    return s;
}

json_t *pf_json_hex(uint64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016" PRIx64, v);
    return json_string(text);
}

uint64_t pf_json_from_hex(const json_t *o, const char *key)
{
    return strtoull(pf_json_get_text(o, key), NULL, 16);
}

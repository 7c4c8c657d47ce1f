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

pf_status pf_json_file_read(const char *path, json_t **out, struct pf_error *e)
{
    char *text;
    size_t n;
    json_error_t why;
    *out = NULL;
    pf_status s = pf_file_read(path, &text, &n, e);
    if (s != PF_OK)
        return s;
    *out = json_loadb(text, n, JSON_ALLOW_NUL, &why);
    free(text);
    return *out ? PF_OK : pf_fail(e, PF_BAD, "%s:%d: %s", path, why.line, why.text);
}

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

uint64_t pf_json_u64(const json_t *o, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(o, key));
}

const char *pf_json_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

json_t *pf_json_hex(uint64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016" PRIx64, v);
    return json_string(text);
}

uint64_t pf_json_from_hex(const json_t *o, const char *key)
{
    return strtoull(pf_json_text(o, key), NULL, 16);
}

/* fleet_json.c - see fleet.h: JSON values in files. */
#define _GNU_SOURCE
#include "file.h"
#include "fleet.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

pf_status pf_json_file_read(const char *path, json_t **out, struct pf_error *e)
{
    char *text;
    size_t n;
    json_error_t why;
    *out = NULL;
    pf_status s = pf_file_read(path, &text, &n, e);
    if (s != PF_OK)
        return s;
    *out = json_loadb(text, n, 0, &why);
    free(text);
    return *out ? PF_OK : pf_fail(e, PF_BAD, "%s:%d: %s", path, why.line, why.text);
}

pf_status pf_json_file_write(const char *path, const json_t *value, struct pf_error *e)
{
    char *text = pf_mem_checked(json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS));
    mode_t before = umask(077);
    pf_status s = pf_file_write(path, text, strlen(text), e);
    umask(before);
    free(text);
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

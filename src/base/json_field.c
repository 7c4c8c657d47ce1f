/* json_field.c - see json_field.h. */
#include "json_field.h"
#include "file.h"
#include <stdio.h>
#include <stdlib.h>

uint64_t pf_json_get_number(const json_t *o, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(o, key));
}

const char *pf_json_get_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

void pf_json_copy_text(char *to, size_t room, const json_t *o, const char *key)
{
    snprintf(to, room, "%s", pf_json_get_text(o, key));
}

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
    return *out ? PF_OK : pf_fail(e, PF_BAD, "%s:%d: expected JSON: %s", path, why.line, why.text);
}

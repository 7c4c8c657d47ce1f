/*
 * json_field.h - reads JSON files, and fields of objects that may be missing.
 *
 * Memory:  texts belong to the object; the caller releases what pf_json_file_read returns.
 * Errors:  PF_IO, PF_BAD with the path and the line. A missing field, or one of another type, is no
 *          error.
 */
#ifndef PF_BASE_JSON_FIELD_H
#define PF_BASE_JSON_FIELD_H

#include "status.h"
#include <jansson.h>
#include <stdint.h>

/* The number; 0 if there is none. */
uint64_t pf_json_get_number(const json_t *o, const char *key);
/* The text; "" if there is none. */
const char *pf_json_get_text(const json_t *o, const char *key);
/* Copies the text; it is cut after room - 1 bytes. */
void pf_json_copy_text(char *to, size_t room, const json_t *o, const char *key);
PF_MUST_USE pf_status pf_json_file_read(const char *path, json_t **out, struct pf_error *e);

#endif

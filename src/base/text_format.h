/*
 * text_format.h - printf and malloc for the text buffers and pools of src/report, which itself may
 * use neither because it is also linked into the runtime.
 */
#ifndef PF_BASE_TEXT_FORMAT_H
#define PF_BASE_TEXT_FORMAT_H

#include "pool.h"
#include "textbuf.h"

/* Appends formatted text of at most 399 bytes; the rest is cut off. */
void pf_text_format(struct pf_text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Initialises a pool that allocates with malloc. */
void pf_pool_init_malloc(struct pf_pool *p);

#endif

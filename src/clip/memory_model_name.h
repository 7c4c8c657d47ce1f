/*
 * memory_model_name.h - the memory models by name, as in --memory.
 */
#ifndef PF_CLIP_MEMORY_MODEL_NAME_H
#define PF_CLIP_MEMORY_MODEL_NAME_H

#include "channel.h"
#include <stdbool.h>
#include <string.h>

static inline const char *pf_memory_model_name(uint32_t model)
{
    static const char *const names[] = {
        [PF_MEMORY_SC] = "sc", [PF_MEMORY_TSO] = "tso", [PF_MEMORY_WEAK] = "weak"};
    return model < PF_MEMORY_MODELS ? names[model] : "unknown";
}

/* Returns false if there is no such model. */
static inline bool pf_memory_model_parse(const char *name, uint32_t *model)
{
    for (*model = 0; *model < PF_MEMORY_MODELS; ++*model)
        if (!strcmp(name, pf_memory_model_name(*model)))
            return true;
    return false;
}

#endif

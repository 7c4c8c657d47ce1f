/*
 * asm_text.h - assembler code as text, for sections that are not loaded: LLVM can put a variable
 * only into a section that is loaded.
 *
 * Memory:  release frees the text.
 */
#ifndef PF_PLUGIN_ASM_TEXT_H
#define PF_PLUGIN_ASM_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct pf_asm_text {
    char *at;
    size_t n, cap;
};
void pf_asm_put(struct pf_asm_text *t, const char *s, size_t n);
void pf_asm_put_string(struct pf_asm_text *t, const char *s);
void pf_asm_put_number(struct pf_asm_text *t, uint64_t v); /* 8 bytes */
void pf_asm_put_bytes(struct pf_asm_text *t, const unsigned char *s, size_t n);
void pf_asm_release(struct pf_asm_text *t);

#endif

#include "books.h"
#include <string.h>

struct pf_book *pf_book_get(struct pf_unit *u, LLVMComdatRef comdat)
{
    /* Newest first: the book of a comdat is asked for while its function is worked on. */
    for (size_t i = u->nbooks; i-- > 0 && (!comdat || u->nbooks - i < 8);)
        if (u->books[i]->comdat == comdat)
            return u->books[i];
    struct pf_book *b = pf_grow(NULL, sizeof *b);
    *b = (struct pf_book){.comdat = comdat};
    PF_PUSH(u->books, u->nbooks, u->books_cap) = b;
    return b;
}

void pf_books_release(struct pf_unit *u)
{
    for (size_t i = 0; i < u->nbooks; i++) {
        free(u->books[i]->sites);
        free(u->books[i]->text);
        free(u->books[i]->words);
        free(u->books[i]->seen);
        free(u->books[i]);
    }
    free(u->books);
}

static uint64_t hash_bytes(const void *data, size_t n)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (const unsigned char *p = data; n--; p++)
        h = (h ^ *p) * 0x100000001b3ull;
    return h ^ h >> 29;
}

static void words_grow(struct pf_book *b)
{
    size_t size = b->words_size ? b->words_size * 2 : 32;
    uint32_t *words = calloc(size, sizeof *words);
    if (!words)
        abort();
    for (size_t i = 0; i < b->words_size; i++) {
        if (!b->words[i])
            continue;
        const char *s = b->text + b->words[i] - 1;
        size_t at = hash_bytes(s, strlen(s)) & (size - 1);
        while (words[at])
            at = (at + 1) & (size - 1);
        words[at] = b->words[i];
    }
    free(b->words);
    b->words = words;
    b->words_size = size;
}

uint32_t pf_book_string(struct pf_book *b, const char *s)
{
    if (!s || !*s)
        return 0;
    if (b->nwords * 2 >= b->words_size)
        words_grow(b);
    size_t n = strlen(s), at = hash_bytes(s, n) & (b->words_size - 1);
    for (; b->words[at]; at = (at + 1) & (b->words_size - 1))
        if (!strcmp(b->text + b->words[at] - 1, s))
            return b->words[at];
    if (b->ntext + n + 1 > b->text_cap) {
        b->text_cap = (b->ntext + n + 1) * 2;
        b->text = pf_grow(b->text, b->text_cap);
    }
    memcpy(b->text + b->ntext, s, n + 1);
    b->words[at] = b->ntext + 1;
    b->ntext += n + 1;
    b->nwords++;
    return b->words[at];
}

void pf_book_begin(struct pf_book *b)
{
    b->first = b->nsites;
    b->nseen = 0;
    if (b->seen_size)
        memset(b->seen, 0, b->seen_size * sizeof *b->seen);
}

static void seen_add(struct pf_book *b, uint32_t index)
{
    size_t at =
        hash_bytes(&b->sites[b->first + index], sizeof(struct pf_site)) & (b->seen_size - 1);
    while (b->seen[at])
        at = (at + 1) & (b->seen_size - 1);
    b->seen[at] = index + 1;
}

uint32_t pf_book_site(struct pf_book *b, const struct pf_site *site)
{
    if (b->nseen * 2 >= b->seen_size) {
        free(b->seen);
        b->seen_size = b->seen_size ? b->seen_size * 2 : 64;
        b->seen = calloc(b->seen_size, sizeof *b->seen);
        if (!b->seen)
            abort();
        for (size_t i = 0; i < b->nseen; i++)
            seen_add(b, i);
    }
    size_t at = hash_bytes(site, sizeof *site) & (b->seen_size - 1);
    for (; b->seen[at]; at = (at + 1) & (b->seen_size - 1))
        if (!memcmp(&b->sites[b->first + b->seen[at] - 1], site, sizeof *site))
            return b->seen[at] - 1;
    PF_PUSH(b->sites, b->nsites, b->sites_cap) = *site;
    b->seen[at] = ++b->nseen;
    return b->nseen - 1;
}

/* A string number becomes the distance from the field that holds it. */
static void settle(const struct pf_book *b, pf_rel *field)
{
    if (*field)
        *field = (pf_rel)(pf_book_offset(b, *field) - ((char *)field - (char *)b->sites));
}

void pf_book_write(struct pf_unit *u, struct pf_book *b)
{
    for (size_t i = 0; i < b->nsites; i++) {
        settle(b, &b->sites[i].file);
        settle(b, &b->sites[i].func);
        settle(b, &b->sites[i].var);
    }
    size_t head = b->nsites * sizeof *b->sites, size = head + b->ntext;
    char *bytes = pf_grow(NULL, size);
    if (head)
        memcpy(bytes, b->sites, head);
    if (b->ntext)
        memcpy(bytes + head, b->text, b->ntext);
    LLVMValueRef content = LLVMConstStringInContext2(u->context, bytes, size, 1);
    free(bytes);
    b->global = LLVMAddGlobal(u->module, LLVMTypeOf(content), "__pf_book");
    LLVMSetInitializer(b->global, content);
    LLVMSetLinkage(b->global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(b->global, 1);
    LLVMSetSection(b->global, "pf_site");
    LLVMSetAlignment(b->global, 4);
    if (b->comdat)
        LLVMSetComdat(b->global, b->comdat);
}

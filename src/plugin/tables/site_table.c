/*
 * site_table.c - collects sites, scopes and strings and writes them as one global; see
 * site_table.h.
 *
 * Strings, and the records of each function, are deduplicated by hash sets with linear probing.
 */
#include "site_table.h"
#include "asm_text.h"
#include <string.h>

/* The table of the module that is not loaded: a label of assembler code. */
#define IN_FILE ".L__pf_sites"

static struct pf_site_table *add_table(struct pf_unit *u, LLVMComdatRef comdat, bool in_file)
{
    struct pf_site_table *b = pf_grow(NULL, sizeof *b);
    *b = (struct pf_site_table){.comdat = comdat, .in_file = in_file};
    PF_PUSH(u->site_tables, u->nsite_tables, u->site_tables_cap) = b;
    return b;
}

struct pf_site_table *pf_site_table_of_sites(struct pf_unit *u, LLVMComdatRef comdat)
{
    if (u->loads_sites)
        return pf_site_table_get(u, comdat);
    if (!u->sites_in_file)
        u->sites_in_file = add_table(u, NULL, true);
    return u->sites_in_file;
}

struct pf_site_table *pf_site_table_get(struct pf_unit *u, LLVMComdatRef comdat)
{
    /* Newest first: the table of a comdat group is requested while its function is instrumented. */
    for (size_t i = u->nsite_tables; i-- > 0 && (!comdat || u->nsite_tables - i < 8);)
        if (u->site_tables[i]->comdat == comdat && !u->site_tables[i]->in_file)
            return u->site_tables[i];
    return add_table(u, comdat, false);
}

static void records_release(struct pf_site_records *r)
{
    free(r->all);
    free(r->seen);
}

void pf_site_tables_release(struct pf_unit *u)
{
    for (size_t i = 0; i < u->nsite_tables; i++) {
        records_release(&u->site_tables[i]->sites);
        records_release(&u->site_tables[i]->scopes);
        free(u->site_tables[i]->text);
        free(u->site_tables[i]->strings);
        free(u->site_tables[i]);
    }
    free(u->site_tables);
}

static uint64_t hash_bytes(const void *data, size_t n)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (const unsigned char *p = data; n--; p++)
        h = (h ^ *p) * 0x100000001b3ull;
    return h ^ h >> 29;
}

static void strings_grow(struct pf_site_table *b)
{
    size_t size = b->strings_size ? b->strings_size * 2 : 32;
    uint32_t *strings = pf_zeroed(size, sizeof *strings);
    for (size_t i = 0; i < b->strings_size; i++) {
        if (!b->strings[i])
            continue;
        const char *s = b->text + b->strings[i] - 1;
        size_t at = hash_bytes(s, strlen(s)) & (size - 1);
        while (strings[at])
            at = (at + 1) & (size - 1);
        strings[at] = b->strings[i];
    }
    free(b->strings);
    b->strings = strings;
    b->strings_size = size;
}

uint32_t pf_site_table_string(struct pf_site_table *b, const char *s)
{
    if (!s || !*s)
        return 0;
    if (b->nstrings * 2 >= b->strings_size)
        strings_grow(b);
    size_t n = strlen(s), at = hash_bytes(s, n) & (b->strings_size - 1);
    for (; b->strings[at]; at = (at + 1) & (b->strings_size - 1))
        if (!strcmp(b->text + b->strings[at] - 1, s))
            return b->strings[at];
    if (b->ntext + n + 1 > b->text_cap) {
        b->text_cap = (b->ntext + n + 1) * 2;
        b->text = pf_grow(b->text, b->text_cap);
    }
    memcpy(b->text + b->ntext, s, n + 1);
    b->strings[at] = b->ntext + 1;
    b->ntext += n + 1;
    b->nstrings++;
    return b->strings[at];
}

static void records_begin(struct pf_site_records *r)
{
    r->first = r->n;
    if (r->seen_size)
        memset(r->seen, 0, r->seen_size * sizeof *r->seen);
}

void pf_site_table_begin(struct pf_site_table *b)
{
    records_begin(&b->sites);
    records_begin(&b->scopes);
}

/* The position of the record in the hash set, or the free position for it. */
static size_t find(const struct pf_site_records *r, const void *record, size_t size)
{
    size_t at = hash_bytes(record, size) & (r->seen_size - 1);
    while (r->seen[at] && memcmp(r->all + (r->first + r->seen[at] - 1) * size, record, size) != 0)
        at = (at + 1) & (r->seen_size - 1);
    return at;
}

/* Adds the record if it is new. Returns its index among those of the function. */
static uint32_t add(struct pf_site_records *r, const void *record, size_t size)
{
    size_t own = r->n - r->first;
    if (own * 2 >= r->seen_size) {
        free(r->seen);
        r->seen_size = r->seen_size ? r->seen_size * 2 : 64;
        r->seen = pf_zeroed(r->seen_size, sizeof *r->seen);
        for (size_t i = 0; i < own; i++)
            r->seen[find(r, r->all + (r->first + i) * size, size)] = i + 1;
    }
    size_t at = find(r, record, size);
    if (r->seen[at])
        return r->seen[at] - 1;
    if (r->n == r->room) {
        r->room = r->room ? r->room * 2 : 64;
        r->all = pf_grow(r->all, r->room * size);
    }
    memcpy(r->all + r->n++ * size, record, size);
    r->seen[at] = own + 1;
    return own;
}

uint32_t pf_site_table_scope(struct pf_site_table *b, const struct pf_scope *scope)
{
    return b->scopes.first + add(&b->scopes, scope, sizeof *scope);
}

uint32_t pf_site_table_site(struct pf_site_table *b, const struct pf_site *site)
{
    return add(&b->sites, site, sizeof *site);
}

/* Replaces a number by the distance from the field that holds it, at offset `at` of the table, to
 * offset `to`. */
static void set_distance(pf_rel *field, uint64_t at, uint64_t to) { *field = (pf_rel)(to - at); }

static void set_string_distance(const struct pf_site_table *b, pf_rel *field, uint64_t at)
{
    if (*field)
        set_distance(field, at, pf_site_table_offset(b, *field));
}

static void write_loaded(struct pf_unit *u, struct pf_site_table *b, const char *bytes, size_t size)
{
    LLVMValueRef content = LLVMConstStringInContext2(u->context, bytes, size, 1);
    b->global = LLVMAddGlobal(u->module, LLVMTypeOf(content), "__pf_site_table");
    LLVMSetInitializer(b->global, content);
    LLVMSetLinkage(b->global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(b->global, 1);
    LLVMSetSection(b->global, "pf_site");
    LLVMSetAlignment(b->global, 4);
    if (b->comdat)
        LLVMSetComdat(b->global, b->comdat);
}

static void write_in_file(struct pf_unit *u, struct pf_site_table *b, const char *bytes,
                          size_t size)
{
    struct pf_asm_text t = {0};
    pf_asm_put_string(&t, ".pushsection " PF_SITES_SECTION ",\"\",@progbits\n.p2align 2\n" IN_FILE
                          ":\n");
    pf_asm_put_bytes(&t, (const unsigned char *)bytes, size);
    pf_asm_put_string(&t, ".popsection\n");
    LLVMAppendModuleInlineAsm(u->module, t.at, t.n);
    pf_asm_release(&t);
    b->global = LLVMAddGlobal(u->module, u->i8, "\1" IN_FILE);
    LLVMSetVisibility(b->global, LLVMHiddenVisibility);
}

void pf_site_table_write(struct pf_unit *u, struct pf_site_table *b)
{
    uint64_t scopes_at = b->sites.n * sizeof(struct pf_site), head = pf_site_table_offset(b, 1);
    struct pf_site *sites = (struct pf_site *)b->sites.all;
    struct pf_scope *scopes = (struct pf_scope *)b->scopes.all;
    for (size_t i = 0; i < b->sites.n; i++) {
        uint64_t at = i * sizeof *sites;
        set_distance(&sites[i].scope, at + offsetof(struct pf_site, scope),
                     scopes_at + (uint32_t)sites[i].scope * sizeof *scopes);
        set_string_distance(b, &sites[i].var, at + offsetof(struct pf_site, var));
    }
    for (size_t i = 0; i < b->scopes.n; i++) {
        uint64_t at = scopes_at + i * sizeof *scopes;
        set_string_distance(b, &scopes[i].file, at + offsetof(struct pf_scope, file));
        set_string_distance(b, &scopes[i].func, at + offsetof(struct pf_scope, func));
        set_string_distance(b, &scopes[i].merged_lines,
                            at + offsetof(struct pf_scope, merged_lines));
    }
    size_t size = head + b->ntext;
    char *bytes = pf_grow(NULL, size);
    if (scopes_at)
        memcpy(bytes, sites, scopes_at);
    if (head > scopes_at)
        memcpy(bytes + scopes_at, scopes, head - scopes_at);
    if (b->ntext)
        memcpy(bytes + head, b->text, b->ntext);
    (b->in_file ? write_in_file : write_loaded)(u, b, bytes, size);
    free(bytes);
}

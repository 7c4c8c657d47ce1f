/*
 * environment.c - see environment.h.
 *
 * Rejected: interposing getenv only, because libc reads variables without calling it by name, and
 * programs use `environ`. Rejected: looking at the loads of instrumented code, because libraries
 * have no events.
 */
#define _GNU_SOURCE
#include "environment.h"
#include "child_log.h"
#include "direct.h"
#include "stream_ring.h"
#include "sys.h"
#include "syscalls.h"
#include "textbuf.h"
#include <sys/mman.h>

struct env_variable {
    const char *name; /* "NAME=", not terminated */
    char *value;
    const char *source; /* the value as the process got it; a replay: as the clip has it */
    uint32_t index, length; /* index: in the environment; length: of the value */
    uint64_t pages; /* bytes of the value's pages */
    bool available; /* `source` is the real value */
    bool readable;
};

static struct env_variable *table;
static uint32_t n, hidden; /* hidden: how many are not readable yet */

static enum pf_environment_value kind_of(uint32_t index)
{
    return pf_channel_get()->environment[index] & ~PF_ENVIRONMENT_WAS_READ;
}

static size_t name_length(const char *entry) /* with the '=' */
{
    size_t length = 0;
    while (entry[length] && entry[length] != '=')
        length++;
    return entry[length] ? length + 1 : 0;
}

static void put_value(uint32_t index, const char *value, uint32_t length)
{
    struct pf_environment_entry head = {index, length};
    if (!pf_child_log_used) /* otherwise the value is in the log of the child alone */
        pf_channel_get()->environment[index] |= PF_ENVIRONMENT_WAS_READ;
    if (pf_recording() && kind_of(index) == PF_ENVIRONMENT_READ) {
        pf_ring_put(PF_STREAM_ENVIRONMENT, &head, sizeof head);
        pf_ring_put(PF_STREAM_ENVIRONMENT, value, length);
    }
}

static _Noreturn void refuse(const struct env_variable *v)
{
    static const char what[] = "use of the environment variable ";
    char text[96];
    size_t at = sizeof what - 1;
    pf_copy(text, what, at);
    for (const char *s = v->name; *s != '=' && at + 1 < sizeof text; s++)
        text[at++] = *s;
    text[at] = 0;
    pf_diverged_value(text);
}

static void reveal(struct env_variable *v)
{
    if (v->readable)
        return;
    v->readable = true;
    hidden--;
    pf_sys(SYS_mprotect, v->value, v->pages, PROT_READ | PROT_WRITE);
    put_value(v->index, v->source, v->length);
}

static void use(struct env_variable *v)
{
    if (!v->readable && !v->available)
        refuse(v);
    reveal(v);
}

static struct env_variable *find(uint64_t address)
{
    for (uint32_t i = 0; i < n; i++)
        if (address - (uint64_t)table[i].value < table[i].pages)
            return &table[i];
    return NULL;
}

/* --- moving the environment --- */

static bool is_moved(const char *entry, uint32_t index)
{
    size_t name = name_length(entry);
    return index < PF_ENVIRONMENT_MAX && kind_of(index) != PF_ENVIRONMENT_STORED && name &&
           entry[name];
}

/* Replay: takes the values that the clip has. */
static void take_values(void)
{
    struct pf_environment_entry head;
    size_t left;
    const unsigned char *at = pf_ring_remaining(PF_STREAM_ENVIRONMENT, &left);
    while (at && left >= sizeof head) {
        pf_copy(&head, at, sizeof head);
        at += sizeof head;
        left -= sizeof head;
        if (head.length > left)
            return;
        for (uint32_t i = 0; i < n; i++)
            if (table[i].index == head.variable && table[i].length == head.length) {
                table[i].source = (const char *)at;
                table[i].available = true;
            }
        at += head.length;
        left -= head.length;
    }
}

static void describe(char **environment)
{
    char *at = (char *)PF_ENVIRONMENT_AREA;
    for (uint32_t i = 0; environment[i]; i++) {
        if (!is_moved(environment[i], i))
            continue;
        size_t name = name_length(environment[i]), value = pf_str_len(environment[i] + name);
        struct env_variable *v = &table[n++];
        *v = (struct env_variable){.index = i,
                                   .length = (uint32_t)value,
                                   .pages = pf_page_up(value + 1),
                                   .source = environment[i] + name,
                                   .value = at + pf_page_up(name)};
        v->name = v->value - name;
        v->available = kind_of(i) == PF_ENVIRONMENT_WITHHELD ||
                       (pf_recording() && kind_of(i) == PF_ENVIRONMENT_READ);
        at = v->value + v->pages;
    }
}

static void move(char **environment, bool observe)
{
    for (struct env_variable *v = table; v < table + n; v++) {
        char *entry = environment[v->index], *name = v->value - name_length(entry);
        pf_copy(name, entry, (size_t)(v->value - name));
        pf_copy(v->value, v->source, v->length);
        environment[v->index] = name;
        v->readable = !observe;
        if (observe)
            pf_sys(SYS_mprotect, v->value, v->pages, PROT_NONE);
    }
    hidden = observe ? n : 0;
}

static bool map_area(uint64_t size)
{
    return size <= PF_ENVIRONMENT_AREA_END - PF_ENVIRONMENT_AREA &&
           pf_sys(SYS_mmap, PF_ENVIRONMENT_AREA, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
                  0) == (long)PF_ENVIRONMENT_AREA;
}

void pf_environment_init(char **environment)
{
    uint64_t size = 0;
    uint32_t moved = 0;
    for (uint32_t i = 0; environment[i]; i++)
        if (is_moved(environment[i], i)) {
            size_t name = name_length(environment[i]);
            size += pf_page_up(name) + pf_page_up(pf_str_len(environment[i] + name) + 1);
            moved++;
        }
    if (!moved)
        return;
    table = pf_sys_map(NULL, moved * sizeof *table);
    if (!table || !map_area(size)) {
        for (uint32_t i = 0; environment[i]; i++)
            if (is_moved(environment[i], i)) {
                const char *value = environment[i] + name_length(environment[i]);
                put_value(i, value, (uint32_t)pf_str_len(value));
            }
        return;
    }
    describe(environment);
    take_values();
    /* A debugger would stop at every fault. */
    move(environment, !pf_channel_get()->debug);
}

/* --- observing --- */

bool pf_environment_fault(uint64_t address)
{
    struct env_variable *v = hidden && pf_environment_has(address) ? find(address) : NULL;
    if (!v || v->readable)
        return false;
    use(v);
    return true;
}

void pf_environment_arguments(const long argument[6])
{
    for (int i = 0; hidden && i < 6; i++)
        if (pf_environment_has((uint64_t)argument[i]))
            pf_environment_fault((uint64_t)argument[i]);
}

/* The values that the clip has; the others stay hidden. */
static void reveal_all(void)
{
    for (uint32_t i = 0; i < n; i++)
        if (table[i].available)
            reveal(&table[i]);
}

/* Calls that read memory through a list of pointers. They have no effect if the first pointer is
 * bad. */
static bool reads_list(long number)
{
    return number == SYS_writev || number == SYS_pwritev || number == SYS_pwritev2 ||
           number == SYS_sendmsg || number == SYS_sendmmsg || number == SYS_vmsplice;
}

bool pf_environment_retry(long number)
{
    uint32_t before = hidden;
    if (!hidden || !reads_list(number))
        return false;
    reveal_all();
    return hidden != before;
}

void pf_environment_pass(void)
{
    pf_channel_get()->environment_passed = true;
    reveal_all();
}

void pf_environment_child(void)
{
    for (uint32_t i = 0; i < n; i++)
        pf_sys(SYS_mprotect, table[i].value, table[i].pages, PROT_READ | PROT_WRITE);
    hidden = 0;
}

/* reach_library_models.c - functions of the C++ library on nodes and strings write only what their
 * models predict. */
// sources: src/rt/direct/reach/reach_models.c
// flags: -D_GNU_SOURCE=
#include "reach_models.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES 400
#define STRINGS 8

struct node {
    uint64_t colour;
    struct node *parent, *left, *right;
    uint64_t key, pad[3];
};
static struct {
    struct node header, node[NODES];
} tree, before;
static struct string {
    char *chars;
    uint64_t size;
    char in[16];
} strings[STRINGS];
static char *block[STRINGS]; /* replaces the heap: blocks of 4096 bytes */

static int failures;
#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                                \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* --- replaces reach_walk.c: each node is a separate variable, so that none is reached by accident
 * --- */

static bool in(uint64_t p, const void *base, uint64_t size, uint64_t each, struct pf_mem_range *o)
{
    uint64_t at = p - (uintptr_t)base;
    if (at >= size)
        return false;
    *o = (struct pf_mem_range){(uintptr_t)base + at / each * each, each};
    return true;
}

bool pf_walk_find_object(uint64_t p, struct pf_mem_range *out)
{
    for (int i = 0; i < STRINGS; i++)
        if (block[i] && in(p, block[i], 4096, 4096, out))
            return true;
    return in(p, &tree, sizeof tree, sizeof(struct node), out) ||
           in(p, strings, sizeof strings, sizeof *strings, out);
}
uint64_t pf_walk_stack_end(uint64_t p)
{
    (void)p;
    return 0;
}

/* --- the library --- */

static int note(struct dl_phdr_info *o, size_t size, void *unused)
{
    (void)size, (void)unused;
    for (int i = 0; i < o->dlpi_phnum && strstr(o->dlpi_name, "libstdc++.so"); i++)
        if (o->dlpi_phdr[i].p_type == PT_DYNAMIC)
            pf_reach_model_set_library(o->dlpi_addr,
                                       (void *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr));
    return 0;
}

static void *library;
static void *find(const char *name)
{
    void *f = dlsym(library, name);
    if (!f) {
        fprintf(stderr, "%s: %s\n", name, dlerror());
        exit(1);
    }
    return f;
}

static struct pf_mem_range reached[PF_MODEL_RANGES];
static uint32_t nreached;

static bool is_reached(const void *p)
{
    for (uint32_t i = 0; i < nreached; i++)
        if ((uintptr_t)p - reached[i].addr < reached[i].size)
            return true;
    return false;
}

static void call_model(void *f, uint32_t n, void **words)
{
    nreached = pf_reach_model_accesses(f, n, words, reached);
    CHECK(nreached);
    before = tree;
}

/* Everything that has changed must be in the predicted set. */
static void compare(const char *what, int step)
{
    const char *a = (const char *)&before, *b = (const char *)&tree;
    for (size_t i = 0; i < sizeof tree; i++)
        if (a[i] != b[i] && !is_reached(b + i)) {
            fprintf(stderr, "%s, step %d: node %zu, byte %zu was not predicted\n", what, step,
                    i / sizeof(struct node), i % sizeof(struct node));
            failures++;
            return;
        }
}

/* --- trees --- */

static void (*insert)(bool, struct node *, struct node *, struct node *);
static struct node *(*erase)(struct node *, struct node *);
static struct node *(*next)(struct node *), *(*prev)(struct node *);
static unsigned long largest;

static void put(struct node *n, uint64_t key, int step)
{
    struct node *at = &tree.header;
    bool left = true;
    for (struct node *d = tree.header.parent; d; d = left ? d->left : d->right) {
        at = d;
        left = key < d->key;
    }
    memset(n, 0xee, sizeof *n);
    n->key = key;
    call_model((void *)insert, 3, (void *[]){n, at, &tree.header});
    insert(left, n, at, &tree.header);
    compare("insert", step);
    largest = nreached > largest ? nreached : largest;
}

static void take(struct node *n, int step)
{
    call_model((void *)erase, 2, (void *[]){n, &tree.header});
    erase(n, &tree.header);
    compare("erase", step);
    largest = nreached > largest ? nreached : largest;
}

static void trees(void)
{
    bool used[NODES] = {false};
    insert = find("_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_");
    erase = find("_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_");
    next = find("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base");
    prev = find("_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base");
    tree.header.left = tree.header.right = &tree.header;
    srand(5);
    for (int step = 0; step < 20000; step++) {
        int i = rand() % (step < 5000 ? 12 : NODES);
        if (used[i])
            take(&tree.node[i], step);
        else
            put(&tree.node[i], step & 1 ? (uint64_t)rand() : (uint64_t)step, step);
        used[i] = !used[i];
        if (!used[i])
            continue;
        call_model((void *)next, 1, (void *[]){&tree.node[i]});
        CHECK(is_reached(next(&tree.node[i])));
        if (tree.header.left != &tree.node[i]) {
            call_model((void *)prev, 1, (void *[]){&tree.node[i]});
            CHECK(is_reached(prev(&tree.node[i])));
        }
    }
    call_model((void *)prev, 1, (void *[]){&tree.header}); /* --end() */
    CHECK(is_reached(prev(&tree.header)));
    CHECK(largest < 64);
}

/* A tree in a variable, of which only the header is passed. */
static void header_in_variable(void)
{
    uint64_t word = (uintptr_t)&tree.header | sizeof tree.header << 48;
    memset(&tree, 0, sizeof tree);
    tree.header.left = tree.header.right = &tree.header;
    for (int i = 0; i < 3; i++)
        put(&tree.node[i], (uint64_t)i, i);
    struct node *root = tree.header.parent;
    call_model((void *)erase, 2, (void *[]){&tree.node[2], (void *)word});
    CHECK(is_reached(&tree.header.left) && is_reached(root));
    nreached = pf_reach_model_accesses((void *)next, 1, (void *[]){(void *)word}, reached);
    CHECK(!nreached);
}

/* --- strings --- */

static void string_functions(void)
{
    void *(*append)(void *, const char *) =
        find("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc");
    for (int i = 0; i < STRINGS; i++)
        strings[i] = (struct string){.chars = strings[i].in};
    call_model((void *)append, 1, (void *[]){&strings[0]});
    append(&strings[0], "a text that does not fit into the string itself");
    CHECK(is_reached(&strings[0].size) && !is_reached(&strings[1]));
    block[0] = aligned_alloc(4096, 4096);
    memcpy(block[0], "text", 5);
    strings[1] = (struct string){.chars = block[0], .size = 4};
    call_model((void *)append, 2, (void *[]){&strings[1], &strings[2]});
    CHECK(is_reached(block[0]) && is_reached(&strings[2]) && !is_reached(&strings[3]));
    CHECK(!pf_reach_model_accesses((void *)find("_ZNSt6thread4joinEv"), 1, (void *[]){&strings[1]},
                                   reached));
    free(strings[0].chars);
    free(block[0]);
}

int main(void)
{
    library = dlopen("libstdc++.so.6", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    dl_iterate_phdr(note, NULL);
    trees();
    header_in_variable();
    string_functions();
    return failures != 0;
}

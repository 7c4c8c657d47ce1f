/*
 * reach_models.c - see reach_models.h. Functions are identified by their names in the dynamic
 * symbol table of the C++ library, which is read once, when the first call is looked up.
 */
#include "reach_models.h"
#include "pf_abi.h"
#include <elf.h>

#define KNOWN 4096u /* a power of two */
#define STEPS_MAX 512u  /* nodes on a path; a valid tree has fewer */
#define STRING 32u  /* size of a std::string */
#define TREE_NODE 32u
#define LIST_NODE 16u

enum model { UNKNOWN, STRINGS, LIST, INCREMENT, DECREMENT, INSERT, ERASE };

static const struct {
    const char *start; /* of the mangled name */
    enum model model;
} names[] = {{"_ZNSt7__cxx1112basic_stringI", STRINGS},
             {"_ZNKSt7__cxx1112basic_stringI", STRINGS},
             {"_ZNSaIcE", STRINGS},
             {"_ZNSaIwE", STRINGS},
             {"_ZNSt11logic_error", STRINGS}, /* an exception holds a string in its second word */
             {"_ZNSt12domain_error", STRINGS},
             {"_ZNSt12length_error", STRINGS},
             {"_ZNSt12out_of_range", STRINGS},
             {"_ZNSt16invalid_argument", STRINGS},
             {"_ZNSt13runtime_error", STRINGS},
             {"_ZNSt11range_error", STRINGS},
             {"_ZNSt14overflow_error", STRINGS},
             {"_ZNSt15underflow_error", STRINGS},
             {"_ZNKSt11logic_error", STRINGS},
             {"_ZNKSt13runtime_error", STRINGS},
             {"__cxa_begin_catch", STRINGS},
             {"_ZNSt8__detail15_List_node_base7_M_hook", LIST},
             {"_ZNSt8__detail15_List_node_base9_M_unhook", LIST},
             {"_ZNSt8__detail15_List_node_base11_M_transfer", LIST},
             {"_ZNSt8__detail15_List_node_base4swap", LIST},
             {"_ZSt18_Rb_tree_increment", INCREMENT},
             {"_ZSt18_Rb_tree_decrement", DECREMENT},
             {"_ZSt29_Rb_tree_insert_and_rebalance", INSERT},
             {"_ZSt28_Rb_tree_rebalance_for_erase", ERASE}};

/* --- looking up functions --- */

static uint64_t library;
static const Elf64_Dyn *section;
static struct {
    uint64_t at;
    enum model model;
} known[KNOWN]; /* open-addressed hash table */

void pf_reach_model_set_library(uint64_t base, const void *dynamic)
{
    library = base;
    section = dynamic;
}

static uint32_t slot_of(uint64_t at)
{
    uint32_t i = (uint32_t)(at * 0x9e3779b97f4a7c15ull >> 40) & (KNOWN - 1);
    while (known[i].at && known[i].at != at)
        i = (i + 1) & (KNOWN - 1);
    return i;
}

static bool starts(const char *text, const char *with)
{
    while (*with && *text == *with)
        text++, with++;
    return !*with;
}

static const void *part(int64_t tag)
{
    for (const Elf64_Dyn *d = section; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag) /* the loader may have relocated it or not */
            return (const void *)(d->d_un.d_ptr < library ? d->d_un.d_ptr + library
                                                          : d->d_un.d_ptr);
    return NULL;
}

/* The number of symbols. Only the GNU hash table contains it. */
static uint32_t symbols(const uint32_t *hash)
{
    uint32_t nbuckets = hash[0], first = hash[1], last = 0;
    const uint32_t *buckets = hash + 4 + 2 * (size_t)hash[2], *chain = buckets + nbuckets;
    for (uint32_t i = 0; i < nbuckets; i++)
        last = buckets[i] > last ? buckets[i] : last;
    if (last < first)
        return 0;
    while (!(chain[last - first] & 1))
        last++;
    return last + 1;
}

/* Stores the tables of symbols and of their names. Returns the number of symbols. */
static uint32_t symbol_table(const Elf64_Sym **table, const char **text)
{
    *table = section ? part(DT_SYMTAB) : NULL;
    *text = section ? part(DT_STRTAB) : NULL;
    const uint32_t *hash = section ? part(DT_GNU_HASH) : NULL;
    return *table && *text && hash ? symbols(hash) : 0;
}

static bool is_function(const Elf64_Sym *s)
{
    return ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_value;
}

const char *pf_reach_model_symbol(const void *function)
{
    const Elf64_Sym *table;
    const char *text;
    uint32_t n = symbol_table(&table, &text);
    for (uint32_t i = 0; i < n; i++)
        if (library + table[i].st_value == (uintptr_t)function && is_function(&table[i]))
            return text + table[i].st_name;
    return NULL;
}

static void read_symbols(void)
{
    const Elf64_Sym *table;
    const char *text;
    uint32_t n = symbol_table(&table, &text), have = 0;
    for (uint32_t i = 0; i < n && have < KNOWN / 2; i++) {
        if (!is_function(&table[i]))
            continue;
        for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
            if (starts(text + table[i].st_name, names[k].start)) {
                uint32_t to = slot_of(library + table[i].st_value);
                have += !known[to].at;
                known[to].at = library + table[i].st_value;
                known[to].model = names[k].model;
            }
    }
}

static enum model model_of(const void *function)
{
    static bool done;
    if (!done)
        read_symbols();
    done = true;
    uint32_t i = slot_of((uintptr_t)function);
    return known[i].at ? known[i].model : UNKNOWN;
}

/* --- ranges that are accessed --- */

struct accessed {
    struct pf_mem_range *out;
    uint32_t n;
    bool unknown; /* too many ranges, or an invalid structure: no result */
};

static void add_range(struct accessed *t, uint64_t addr, uint64_t size)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (addr >= t->out[i].addr && addr + size <= t->out[i].addr + t->out[i].size)
            return;
    if (t->n == PF_MODEL_RANGES)
        t->unknown = true;
    else
        t->out[t->n++] = (struct pf_mem_range){addr, size};
}

static uint64_t word_at(uint64_t addr) { return *(volatile uint64_t *)addr; }

/* --- strings --- */

/* Bytes from p to the end of its object or stack; 0: in neither. */
static uint64_t room_at(uint64_t p)
{
    struct pf_mem_range o;
    if (pf_walk_find_object(p, &o))
        return o.addr + o.size - p;
    uint64_t end = pf_walk_stack_end(p);
    return end ? end - p : 0;
}

static void add_object(struct accessed *t, uint64_t p)
{
    struct pf_mem_range o;
    if (pf_walk_find_object(p, &o))
        add_range(t, o.addr, o.size);
}

/* True if p points to a string: its characters are inside it, or fit into the block that it points
 * to. room: bytes from p on. */
static bool is_string(uint64_t p, uint64_t room)
{
    if (p & 7 || room < STRING)
        return false;
    uint64_t chars = word_at(p), size = word_at(p + 8);
    struct pf_mem_range o;
    if (chars == p + 16)
        return size < 16;
    return pf_walk_find_object(chars, &o) && chars == o.addr && size < o.size;
}

static void add_strings(struct accessed *t, uint32_t n, void *const *words)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t p = (uintptr_t)words[i], size = p >> PF_WORD_SIZE_SHIFT;
        p -= size << PF_WORD_SIZE_SHIFT;
        uint64_t room = size ? size : room_at(p);
        if (!room)
            continue; /* a constant, or not a pointer */
        if (size)
            add_range(t, p, size);
        else if (is_string(p, room))
            add_range(t, p, STRING);
        else if (pf_walk_stack_end(p))
            add_range(t, p, room);
        else
            add_object(t, p);
        uint64_t end = p + (size ? size : room < 16 ? room : 16);
        uint64_t own = size ? size : room < STRING ? room : STRING; /* bytes that are accessed */
        for (uint64_t a = (p + 7) & -8ull; a + 8 <= end; a += 8) {
            uint64_t to = word_at(a);
            if (to - p >= own) /* not the inline characters of a short string */
                add_object(t, to);
        }
    }
}

/* --- nodes of trees and lists --- */

enum { COLOUR = 0, PARENT = 8, LEFT = 16, RIGHT = 24, RED = 0 };

/* The field `what` of a tree node, which is then marked as accessed; 0: null, or no node. */
static uint64_t at(struct accessed *t, uint64_t node, unsigned what)
{
    if (!node)
        return 0;
    if (node & 7 || room_at(node) < TREE_NODE) {
        t->unknown = true;
        return 0;
    }
    add_range(t, node, TREE_NODE);
    return word_at(node + what);
}

static bool is_red(struct accessed *t, uint64_t node)
{
    return node && (uint32_t)at(t, node, COLOUR) == RED && !t->unknown;
}

/* The last node when links of this kind are followed. */
static uint64_t follow_links(struct accessed *t, uint64_t node, unsigned what)
{
    uint64_t next = node;
    for (unsigned i = 0; next; i++) {
        t->unknown |= i == STEPS_MAX;
        node = next;
        next = t->unknown ? 0 : at(t, node, what);
    }
    return node;
}

static void add_successor(struct accessed *t, uint64_t x, unsigned down, unsigned back)
{
    uint64_t under = at(t, x, down);
    if (under) {
        follow_links(t, under, back);
        return;
    }
    uint64_t y = at(t, x, PARENT);
    for (unsigned i = 0; !t->unknown && at(t, y, down) == x; i++) {
        t->unknown |= i == STEPS_MAX;
        x = y;
        y = at(t, y, PARENT);
    }
}

/* True if node is the header of a tree. The header and the root are each other's parent; the header
 * is red, the root is black. */
static bool is_header(struct accessed *t, uint64_t node)
{
    return is_red(t, node) && at(t, at(t, node, PARENT), PARENT) == node;
}

/* The header and the root. size: of the variable at p that contains the header; 0: the header is at
 * p. */
static void add_header(struct accessed *t, uint64_t p, uint64_t size)
{
    if (!size) {
        at(t, at(t, p, PARENT), COLOUR);
        return;
    }
    add_range(t, p, size);
    for (uint64_t a = p; a + TREE_NODE <= p + size; a += 8) {
        uint64_t root = word_at(a + PARENT);
        if (root && !(root & 7) && room_at(root) >= TREE_NODE && word_at(root + PARENT) == a)
            add_range(t, root, TREE_NODE);
    }
}

static void add_below(struct accessed *t, uint64_t node, unsigned depth)
{
    uint64_t left = at(t, node, LEFT), right = at(t, node, RIGHT);
    if (node && depth && !t->unknown) {
        add_below(t, left, depth - 1);
        add_below(t, right, depth - 1);
    }
}

static void add_insert(struct accessed *t, uint64_t x, uint64_t parent)
{
    uint64_t up = parent;
    add_range(t, x, TREE_NODE); /* its links are not set yet */
    for (unsigned i = 0; is_red(t, up) && !is_header(t, up); i++) {
        uint64_t above = at(t, up, PARENT), left = at(t, above, LEFT), right = at(t, above, RIGHT);
        t->unknown |= i == STEPS_MAX;
        if (is_red(t, left) && is_red(t, right)) { /* both are recoloured; continue two levels up */
            up = at(t, above, PARENT);
            continue;
        }
        add_below(t, above, 3); /* one or two rotations */
        at(t, at(t, above, PARENT), COLOUR);
        return;
    }
}

/* Marks the sibling of x, the other child of `up`, and the nodes below that erase may rotate.
 * False: the sibling and its children are black, so only colours change, and rebalancing continues
 * one level up. */
static bool add_sibling(struct accessed *t, uint64_t up, uint64_t x)
{
    bool red = false;
    for (unsigned k = LEFT; k <= RIGHT; k += 8) {
        uint64_t w = at(t, up, k);
        if (x && w == x)
            continue;
        red |= is_red(t, w) || is_red(t, at(t, w, LEFT)) || is_red(t, at(t, w, RIGHT));
        add_below(t, w, is_red(t, w) ? 3 : 2);
    }
    return red;
}

/* The links are read before the call. So where the algorithm has already moved y to the place of z,
 * the links of that place are still those of z. */
static void add_erase(struct accessed *t, uint64_t z)
{
    uint64_t left = at(t, z, LEFT), right = at(t, z, RIGHT), y = z, x = left ? left : right;
    uint64_t up = at(t, z, PARENT);
    at(t, up, COLOUR);
    if (left && right) {
        add_below(t, z, 1);
        y = follow_links(t, right, LEFT);
        x = at(t, y, RIGHT);
        up = at(t, y, PARENT) == z ? y : at(t, y, PARENT);
    } else { /* the leftmost or rightmost node may change */
        follow_links(t, x, LEFT);
        follow_links(t, x, RIGHT);
    }
    at(t, x, COLOUR);
    bool goes_on = !is_red(t, y);
    for (unsigned i = 0; goes_on && up && !is_header(t, up) && !is_red(t, x) && !t->unknown; i++) {
        t->unknown |= i == STEPS_MAX;
        goes_on = !add_sibling(t, up, x);
        x = up;
        up = at(t, up, PARENT);
        at(t, up, COLOUR);
    }
}

static void add_list(struct accessed *t, uint32_t n, const uint64_t *nodes)
{
    for (uint32_t i = 0; i < n; i++) {
        if (nodes[i] & 7 || room_at(nodes[i]) < LIST_NODE) {
            t->unknown = true;
            return;
        }
        add_range(t, nodes[i], LIST_NODE);
        add_range(t, word_at(nodes[i]), LIST_NODE);
        add_range(t, word_at(nodes[i] + 8), LIST_NODE);
    }
}

uint32_t pf_reach_model_accesses(const void *function, uint32_t n, void *const *words,
                                 struct pf_mem_range out[PF_MODEL_RANGES])
{
    static const uint8_t words_of[] = {[INCREMENT] = 1, [DECREMENT] = 1, [INSERT] = 3, [ERASE] = 2};
    struct accessed t = {out, 0, false};
    enum model m = model_of(function);
    uint64_t p[3] = {0};
    if (m == UNKNOWN || n > 8 || (m > LIST && n != words_of[m]))
        return 0;
    for (uint32_t i = 0; i < n && i < 3 && m != STRINGS; i++) {
        uint64_t word = (uintptr_t)words[i], size = word >> PF_WORD_SIZE_SHIFT;
        p[i] = word - (size << PF_WORD_SIZE_SHIFT);
        if (m >= INSERT && i == n - 1)
            add_header(&t, p[i], size);
        else if (size) /* the node is at an unknown place in that variable */
            return 0;
    }
    switch (m) {
    case STRINGS:
        add_strings(&t, n, words);
        break;
    case LIST:
        add_list(&t, n < 3 ? n : 3, p);
        break;
    case INCREMENT:
        add_successor(&t, p[0], RIGHT, LEFT);
        break;
    case DECREMENT:
        if (at(&t, at(&t, p[0], PARENT), PARENT) == p[0]) /* the end iterator */
            at(&t, at(&t, p[0], RIGHT), COLOUR);
        add_successor(&t, p[0], LEFT, RIGHT);
        break;
    case INSERT:
        add_insert(&t, p[0], p[1]);
        break;
    case ERASE:
        add_erase(&t, p[0]);
        break;
    default:
        break;
    }
    return t.unknown ? 0 : t.n;
}

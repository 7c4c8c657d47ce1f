/*
 * line_table.c - see line_table.h. Runs every line number program until the row that covers the
 * address: there is no index that all compilers write (.debug_aranges is optional).
 */
#include "line_table.h"
#include "sys.h"
#include "textbuf.h"
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* The forms and operations of DWARF that are needed here. */
enum {
    FORM_DATA2 = 0x05,
    FORM_STRING = 0x08,
    FORM_BLOCK = 0x09,
    FORM_DATA1 = 0x0b,
    FORM_STRP = 0x0e,
    FORM_UDATA = 0x0f,
    FORM_DATA16 = 0x1e,
    FORM_LINE_STRP = 0x1f,
    CONTENT_PATH = 1,
    STANDARD_COPY = 1,
    STANDARD_ADVANCE_PC,
    STANDARD_ADVANCE_LINE,
    STANDARD_SET_FILE,
    STANDARD_SET_COLUMN,
    STANDARD_CONST_ADD_PC = 8,
    STANDARD_FIXED_ADVANCE_PC,
    EXTENDED_END = 1,
    EXTENDED_SET_ADDRESS,
};
#define FORMATS 8 /* of the entries of a file table */

/* --- bytes --- */

struct byte_reader {
    const uint8_t *at, *end;
    bool failed; /* the data ended too early; all values are 0 from then on */
};

static uint64_t fixed(struct byte_reader *r, unsigned size)
{
    uint64_t v = 0;
    if ((size_t)(r->end - r->at) < size) {
        r->failed = true;
        r->at = r->end;
        return 0;
    }
    for (unsigned i = 0; i < size; i++)
        v |= (uint64_t)r->at[i] << 8 * i;
    r->at += size;
    return v;
}

static uint64_t leb(struct byte_reader *r, bool is_signed)
{
    uint64_t v = 0, byte;
    unsigned shift = 0;
    do {
        byte = fixed(r, 1);
        if (shift < 64)
            v |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80 && !r->failed);
    if (is_signed && byte & 0x40 && shift < 64)
        v |= ~0ull << shift;
    return v;
}

static void skip(struct byte_reader *r, uint64_t n)
{
    if ((uint64_t)(r->end - r->at) < n) {
        r->failed = true;
        n = (uint64_t)(r->end - r->at);
    }
    r->at += n;
}

static const char *text(struct byte_reader *r)
{
    const char *s = (const char *)r->at;
    while (fixed(r, 1))
        ;
    return r->failed ? "" : s;
}

/* --- the object file --- */

struct object_file {
    const uint8_t *bytes;
    uint64_t size;
    struct byte_reader lines, line_strings, strings;
};

static const void *part(const struct object_file *o, uint64_t at, uint64_t size)
{
    return at <= o->size && size <= o->size - at ? o->bytes + at : NULL;
}

static bool find_sections(struct object_file *o)
{
    const Elf64_Ehdr *e = part(o, 0, sizeof *e);
    if (!e || e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_shentsize != sizeof(Elf64_Shdr))
        return false;
    const Elf64_Shdr *s = part(o, e->e_shoff, (uint64_t)e->e_shnum * sizeof *s);
    if (!s || e->e_shstrndx >= e->e_shnum)
        return false;
    const Elf64_Shdr *table = &s[e->e_shstrndx];
    const char *names = part(o, table->sh_offset, table->sh_size);
    if (!names || !table->sh_size || names[table->sh_size - 1])
        return false;
    for (unsigned i = 0; i < e->e_shnum; i++) {
        const uint8_t *data = part(o, s[i].sh_offset, s[i].sh_size);
        if (!data || s[i].sh_type == SHT_NOBITS || s[i].sh_flags & SHF_COMPRESSED ||
            s[i].sh_name >= table->sh_size)
            continue;
        struct byte_reader found = {data, data + s[i].sh_size, false};
        const char *name = names + s[i].sh_name;
        if (pf_str_same(name, ".debug_line"))
            o->lines = found;
        else if (pf_str_same(name, ".debug_line_str"))
            o->line_strings = found;
        else if (pf_str_same(name, ".debug_str"))
            o->strings = found;
    }
    return o->lines.at != NULL;
}

/* The address that the linker gave to the code at this offset of the file; 0: none. */
static uint64_t linked_address(const struct object_file *o, uint64_t offset)
{
    const Elf64_Ehdr *e = part(o, 0, sizeof *e);
    const Elf64_Phdr *p = part(o, e->e_phoff, (uint64_t)e->e_phnum * sizeof *p);
    for (unsigned i = 0; p && i < e->e_phnum; i++)
        if (p[i].p_type == PT_LOAD && offset >= p[i].p_offset &&
            offset - p[i].p_offset < p[i].p_filesz)
            return offset - p[i].p_offset + p[i].p_vaddr;
    return 0;
}

/* --- the tables of a unit --- */

struct line_unit {
    const struct object_file *object;
    struct byte_reader files, program;
    unsigned version, address_size, min_length, line_range, opcode_base;
    int line_base;
    const uint8_t *lengths; /* number of operands of each standard operation */
};

static struct byte_reader string_at(struct byte_reader section, uint64_t at)
{
    skip(&section, at);
    return section;
}

/* Reads one value; returns it if it is a string, else "". */
static const char *form_value(const struct object_file *o, struct byte_reader *r, uint64_t form)
{
    struct byte_reader s;
    switch (form) {
    case FORM_STRING:
        return text(r);
    case FORM_LINE_STRP:
    case FORM_STRP:
        s = string_at(form == FORM_STRP ? o->strings : o->line_strings, fixed(r, 4));
        return text(&s);
    case FORM_UDATA:
        leb(r, false);
        break;
    case FORM_DATA1:
        skip(r, 1);
        break;
    case FORM_DATA2:
        skip(r, 2);
        break;
    case FORM_DATA16:
        skip(r, 16);
        break;
    case FORM_BLOCK:
        skip(r, leb(r, false));
        break;
    default:
        r->failed = true;
    }
    return "";
}

/* Reads a table of folders or files of version 5; returns entry `wanted`. */
static const char *table_entry(const struct object_file *o, struct byte_reader *r, uint64_t wanted)
{
    uint64_t content[FORMATS], form[FORMATS], formats = fixed(r, 1);
    const char *found = "";
    for (uint64_t i = 0; i < formats && formats <= FORMATS; i++) {
        content[i] = leb(r, false);
        form[i] = leb(r, false);
    }
    r->failed |= formats > FORMATS;
    uint64_t n = leb(r, false);
    for (uint64_t k = 0; formats && k < n && !r->failed; k++) /* without formats, no bytes */
        for (uint64_t i = 0; i < formats; i++) {
            const char *s = form_value(o, r, form[i]);
            if (k == wanted && content[i] == CONTENT_PATH)
                found = s;
        }
    return found;
}

static const char *file_name(const struct line_unit *u, uint64_t number)
{
    struct byte_reader r = u->files;
    if (u->version >= 5) {
        table_entry(u->object, &r, ~0ull); /* the folders */
        return table_entry(u->object, &r, number);
    }
    while (*text(&r))
        ; /* the folders */
    for (uint64_t k = 1; !r.failed; k++) {
        const char *s = text(&r);
        if (!*s || k == number)
            return s;
        for (int i = 0; i < 3; i++)
            leb(&r, false);
    }
    return "";
}

/* Reads the head of the next unit. False: there is none that can be read. */
static bool next_unit(struct object_file *o, struct line_unit *u)
{
    uint64_t size = fixed(&o->lines, 4);
    if (o->lines.failed || size >= 0xfffffff0u || size > (uint64_t)(o->lines.end - o->lines.at))
        return false;
    struct byte_reader r = {o->lines.at, o->lines.at + size, false};
    o->lines.at += size;
    *u = (struct line_unit){.object = o, .version = (unsigned)fixed(&r, 2), .address_size = 8};
    if (u->version < 2 || u->version > 5)
        return true; /* an empty program */
    if (u->version >= 5) {
        u->address_size = (unsigned)fixed(&r, 1);
        skip(&r, 1);
    }
    uint64_t rest = fixed(&r, 4);
    u->program = r;
    skip(&u->program, rest);
    u->min_length = (unsigned)fixed(&r, 1);
    if (u->version >= 4)
        skip(&r, 1); /* operations of an instruction */
    skip(&r, 1);     /* is_stmt */
    u->line_base = (int8_t)fixed(&r, 1);
    u->line_range = (unsigned)fixed(&r, 1);
    u->opcode_base = (unsigned)fixed(&r, 1);
    u->lengths = r.at;
    skip(&r, u->opcode_base ? u->opcode_base - 1 : 0);
    u->files = r;
    if (r.failed || !u->line_range || !u->opcode_base || u->address_size != 8)
        u->program.at = u->program.end;
    return true;
}

/* --- the program of a unit --- */

struct line_row {
    uint64_t address, file;
    uint32_t line, column;
    bool valid; /* false: at the start of a sequence */
};

static const struct line_row first_row = {.file = 1, .line = 1};

/* A row was appended: true if the one before it covers the address. */
static bool covers(const struct line_row *before, const struct line_row *now, uint64_t address)
{
    return before->valid && address >= before->address && address < now->address;
}

/* Runs the program of a unit up to the row that covers the address. False: no row does. */
static bool find_row(struct line_unit *u, uint64_t address, struct line_row *out)
{
    struct byte_reader *r = &u->program;
    struct line_row now = first_row, before = first_row;
    while (r->at < r->end && !r->failed) {
        unsigned op = (unsigned)fixed(r, 1);
        bool row = op >= u->opcode_base || op == STANDARD_COPY, end = false;
        if (op >= u->opcode_base) {
            unsigned special = op - u->opcode_base;
            now.address += (uint64_t)(special / u->line_range) * u->min_length;
            now.line += (uint32_t)(u->line_base + (int)(special % u->line_range));
        } else if (op == 0) {
            uint64_t size = leb(r, false);
            struct byte_reader operand = *r;
            skip(r, size);
            unsigned extended = (unsigned)fixed(&operand, 1);
            row = end = extended == EXTENDED_END;
            if (extended == EXTENDED_SET_ADDRESS)
                now.address = fixed(&operand, 8);
        } else if (op == STANDARD_ADVANCE_PC) {
            now.address += leb(r, false) * u->min_length;
        } else if (op == STANDARD_ADVANCE_LINE) {
            now.line += (uint32_t)leb(r, true);
        } else if (op == STANDARD_SET_FILE) {
            now.file = leb(r, false);
        } else if (op == STANDARD_SET_COLUMN) {
            now.column = (uint32_t)leb(r, false);
        } else if (op == STANDARD_CONST_ADD_PC) {
            now.address += (uint64_t)((255 - u->opcode_base) / u->line_range) * u->min_length;
        } else if (op == STANDARD_FIXED_ADVANCE_PC) {
            now.address += fixed(r, 2);
        } else if (op != STANDARD_COPY) {
            for (unsigned i = 0; i < u->lengths[op - 1]; i++)
                leb(r, false);
        }
        if (row && covers(&before, &now, address)) {
            *out = before;
            return true;
        }
        if (row) {
            before = end ? first_row : now;
            before.valid = !end;
            now = end ? first_row : now;
        }
    }
    return false;
}

static bool search(struct object_file *o, uint64_t offset, struct pf_source_line *out)
{
    struct line_unit u;
    struct line_row row;
    uint64_t address = find_sections(o) ? linked_address(o, offset) : 0;
    while (address && next_unit(o, &u))
        if (find_row(&u, address, &row)) {
            pf_copy_text(out->file, sizeof out->file, pf_str_base(file_name(&u, row.file)));
            out->line = row.line;
            out->column = row.column;
            return row.line && out->file[0];
        }
    return false;
}

bool pf_line_table_find(const char *path, uint64_t offset, struct pf_source_line *out)
{
    struct stat s;
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), at = -1;
    if (fd >= 0 && pf_sys(SYS_fstat, fd, &s) == 0 && s.st_size > 0)
        at = pf_sys_map_file((int)fd, (size_t)s.st_size, false);
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    if (pf_sys_failed(at))
        return false;
    struct object_file o = {.bytes = (const uint8_t *)at, .size = (uint64_t)s.st_size};
    bool found = search(&o, offset, out);
    pf_sys(SYS_munmap, at, s.st_size);
    return found;
}

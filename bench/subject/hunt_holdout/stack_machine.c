/* A stack machine. Its program comes from a file, one instruction a line: push N, add, mul, dup,
 * store N, load N, spawn N (a thread that runs from instruction N to the next "end"), wait, end. A
 * store of the spawned thread races with one of the main program if both use the same variable. */
// args: program.txt
// file: program.txt=push 2
// file: program.txt=dup
// file: program.txt=mul
// file: program.txt=spawn 7
// file: program.txt=store 1
// file: program.txt=wait
// file: program.txt=end
// file: program.txt=push 5
// file: program.txt=store 3
// file: program.txt=end
// race: STORE STORE
#include "../hunt/hunt.h"

enum op { PUSH, ADD, MUL, DUP, STORE, LOAD, SPAWN, WAIT, END };

static const char *const names[] = {"push", "add",   "mul",  "dup", "store",
                                    "load", "spawn", "wait", "end"};
static struct {
    enum op op;
    long arg;
} code[32];
static size_t length;
static long variables[8];

static int parse(FILE *f)
{
    char line[64], word[16];
    while (length < 32 && fgets(line, sizeof line, f)) {
        long arg = 0;
        int n = sscanf(line, "%15s %ld", word, &arg);
        size_t op = 0;
        if (n < 1)
            continue;
        while (op <= END && strcmp(word, names[op]))
            op++;
        if (op > END) {
            fprintf(stderr, "unknown instruction %s\n", word);
            return 0;
        }
        if ((op == STORE || op == LOAD) && (arg < 0 || arg > 7)) {
            fprintf(stderr, "no such variable\n");
            return 0;
        }
        code[length].op = (enum op)op;
        code[length++].arg = arg;
    }
    return 1;
}

static void *run(void *from)
{
    long stack[16];
    size_t top = 0;
    pthread_t thread;
    int spawned = 0;
    for (size_t at = (size_t)(intptr_t)from; at < length && code[at].op != END; at++) {
        switch (code[at].op) {
        case PUSH:
            if (top < 16)
                stack[top++] = code[at].arg;
            break;
        case ADD:
        case MUL:
            if (top >= 2) {
                top--;
                stack[top - 1] =
                    code[at].op == ADD ? stack[top - 1] + stack[top] : stack[top - 1] * stack[top];
            }
            break;
        case DUP:
            if (top && top < 16) {
                stack[top] = stack[top - 1];
                top++;
            }
            break;
        case STORE:
            if (top) {
                GUARD();
                variables[code[at].arg] = stack[--top]; /* STORE */
                UNGUARD();
            }
            break;
        case LOAD:
            if (top < 16) {
                GUARD();
                stack[top++] = variables[code[at].arg];
                UNGUARD();
            }
            break;
        case SPAWN:
            if (!spawned && code[at].arg > (long)at) {
                spawned = 1;
                pthread_create(&thread, NULL, run, (void *)(intptr_t)code[at].arg);
            }
            break;
        case WAIT:
            if (spawned == 1)
                pthread_join(thread, NULL);
            spawned = 2;
            break;
        default:
            break;
        }
    }
    if (spawned == 1)
        pthread_join(thread, NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    FILE *f = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!f || !parse(f))
        return 1;
    run(NULL);
    for (int i = 0; i < 8; i++)
        printf("%ld ", variables[i]);
    puts("");
    return 0;
}

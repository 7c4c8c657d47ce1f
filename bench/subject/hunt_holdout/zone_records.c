/* A name server's zone: records "NAME TTL TYPE VALUE" in a file; $TTL N sets the default. The
 * arguments are names, each of which a thread of its own looks up. An alias (CNAME) with a time to
 * live below 60 is put into a cache that has no lock. */
// args: zone www mail
// file: zone=$TTL 3600
// file: zone=www - A 10.0.0.1
// file: zone=mail 300 A 10.0.0.2
// file: zone=ftp 300 CNAME www
// race: CACHE CACHE
#include "../hunt/hunt.h"

struct record {
    char name[16], type[8], value[32];
    long ttl;
};

static struct record zone[32];
static int records;
static long cached, answers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int load(const char *path)
{
    char line[128], ttl[16];
    long usual = 86400;
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    while (records < 32 && fgets(line, sizeof line, f)) {
        struct record *r = &zone[records];
        if (line[0] == ';' || line[0] == '\n')
            continue;
        if (sscanf(line, "$TTL %ld", &usual) == 1)
            continue;
        if (sscanf(line, "%15s %15s %7s %31s", r->name, ttl, r->type, r->value) != 4) {
            fprintf(stderr, "bad record: %s", line);
            fclose(f);
            return 0;
        }
        r->ttl = strcmp(ttl, "-") ? atol(ttl) : usual;
        if (r->ttl < 0 || r->ttl > 604800) {
            fclose(f);
            return 0;
        }
        records++;
    }
    fclose(f);
    return records;
}

static const struct record *find(const char *name)
{
    for (int i = 0; i < records; i++)
        if (!strcmp(zone[i].name, name))
            return &zone[i];
    return NULL;
}

static void *look_up(void *arg)
{
    const struct record *r = find(arg);
    for (int depth = 0; r && depth < 4 && !strcmp(r->type, "CNAME"); depth++) {
        if (r->ttl < 60) {
            GUARD();
            cached = r->ttl; /* CACHE */
            UNGUARD();
        }
        r = find(r->value);
    }
    if (r && !strcmp(r->type, "A")) {
        pthread_mutex_lock(&lock);
        answers++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[8];
    if (argc < 3 || argc > 10 || !load(argv[1])) {
        fprintf(stderr, "usage: %s ZONE NAME...\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc; i++)
        pthread_create(&t[i - 2], NULL, look_up, argv[i]);
    for (int i = 2; i < argc; i++)
        pthread_join(t[i - 2], NULL);
    printf("%ld answers, cached %ld\n", answers, cached);
    return 0;
}

/*
 * collection.h - the driver of the subjects that are collections: one thread adds all elements of
 * a collection to another one while a second thread clears it. Subjects include it at their end;
 * they define add, clear, count, add_all, and the collections one and two.
 */
static void *takes_over(void *p)
{
    add_all(&one, &two);
    return p;
}

static void *empties(void *p)
{
    LOCK(&two.lock);
    clear(&two);
    UNLOCK(&two.lock);
    return p;
}

static void *adds(void *p)
{
    LOCK(&one.lock);
    add(&one, 70);
    UNLOCK(&one.lock);
    return p;
}

int main(void)
{
    void *(*const body[])(void *) = {takes_over, empties, adds};
    for (int i = 1; i <= 4; i++) {
        add(&one, i);
        add(&two, i * 10);
    }
    run_threads(body, NULL, 3);
    MUST(one.size >= 5 && one.size == count(&one));
    return 0;
}

#include "record/segments.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void reserve(struct run *run, size_t needed) {
    if (needed <= run->capacity) return;
    size_t capacity = run->capacity ? run->capacity : 4;
    while (capacity < needed) capacity *= 2;
    run->items = reallocate(run->items, capacity * sizeof *run->items);
    if (run->words) run->sets = reallocate(run->sets, capacity * run->words * sizeof *run->sets);
    run->capacity = capacity;
}

static void move(struct run *run, size_t to, size_t from, size_t count) {
    if (count == 0) return;
    memmove(run->items + to, run->items + from, count * sizeof *run->items);
    if (run->words) memmove(run->sets + to * run->words, run->sets + from * run->words, count * run->words * sizeof *run->sets);
}

static bool same_set(const struct run *run, size_t i, const uint64_t *set) {
    return run->words == 0 || memcmp(run_set(run, i), set, run->words * sizeof *set) == 0;
}

void run_push(struct run *run, struct segment segment, const uint64_t *set) {
    struct segment *last = run->count ? &run->items[run->count - 1] : NULL;
    if (last && last->mark + last->marks == segment.mark && last->origin + last->marks == segment.origin &&
        same_set(run, run->count - 1, set)) {
        last->marks += segment.marks;
        return;
    }
    reserve(run, run->count + 1);
    run->items[run->count] = segment;
    if (run->words) memcpy(run->sets + run->count * run->words, set, run->words * sizeof *set);
    run->count++;
}

void run_free(struct run *run) {
    free(run->items);
    free(run->sets);
    *run = (struct run){.words = run->words};
}

void segments_free(struct segments *list) {
    run_free(&list->run);
    list->gap = 0;
}

static size_t stored_at(const struct segments *list, size_t i) { return i < list->gap ? i : i + (list->run.capacity - list->run.count); }

static struct segment segment_at(const struct segments *list, size_t i) { return list->run.items[stored_at(list, i)]; }

static const uint64_t *set_at(const struct segments *list, size_t i) { return run_set(&list->run, stored_at(list, i)); }

/// The first segment that ends after `mark`.
static size_t find(const struct segments *list, int64_t mark) {
    size_t low = 0, high = list->run.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        struct segment segment = segment_at(list, middle);
        if (segment.mark + segment.marks > mark)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static struct segment clipped(struct segment segment, int64_t mark, int64_t end) {
    int64_t first = segment.mark > mark ? segment.mark : mark,
            last = segment.mark + segment.marks < end ? segment.mark + segment.marks : end;
    return (struct segment){first, last - first, segment.origin + first - segment.mark};
}

int64_t segments_read(const struct segments *list, int64_t mark, int64_t marks, int64_t as, struct run *out) {
    int64_t at = mark, end = mark + marks;
    for (size_t i = find(list, mark); i < list->run.count && at < end; i++) {
        struct segment part = clipped(segment_at(list, i), at, end);
        if (part.mark > at || part.marks <= 0) break;
        at += part.marks;
        part.mark += as - mark;
        run_push(out, part, set_at(list, i));
    }
    return at - mark;
}

static void move_gap(struct segments *list, size_t to) {
    size_t free_items = list->run.capacity - list->run.count;
    if (to < list->gap)
        move(&list->run, to + free_items, to, list->gap - to);
    else
        move(&list->run, list->gap, list->gap + free_items, to - list->gap);
    list->gap = to;
}

/// Replaces `removed` segments from index `at` on.
static void splice(struct segments *list, size_t at, size_t removed, const struct run *inserted) {
    if (list->run.count - removed + inserted->count > list->run.capacity) {
        move_gap(list, list->run.count);
        reserve(&list->run, list->run.count - removed + inserted->count);
    }
    move_gap(list, at);
    list->run.count -= removed;
    if (inserted->count == 0) return;
    memcpy(list->run.items + at, inserted->items, inserted->count * sizeof *inserted->items);
    if (list->run.words)
        memcpy(list->run.sets + at * list->run.words, inserted->sets, inserted->count * list->run.words * sizeof *inserted->sets);
    list->run.count += inserted->count;
    list->gap += inserted->count;
}

void segments_write(struct segments *list, int64_t mark, int64_t marks, const struct run *middle, struct run *scratch) {
    int64_t end = mark + marks;
    size_t first = find(list, mark), last = first;
    scratch->count = 0;
    if (first > 0) {
        first--;
        run_push(scratch, segment_at(list, first), set_at(list, first));
    }
    for (; last < list->run.count && segment_at(list, last).mark < end; last++) {
        struct segment segment = segment_at(list, last);
        if (segment.mark < mark) run_push(scratch, clipped(segment, segment.mark, mark), set_at(list, last));
    }
    for (size_t i = 0; i < middle->count; i++) run_push(scratch, middle->items[i], run_set(middle, i));
    if (last > first) {
        struct segment segment = segment_at(list, last - 1);
        int64_t segment_end = segment.mark + segment.marks;
        if (segment_end > end) run_push(scratch, clipped(segment, end, segment_end), set_at(list, last - 1));
    }
    if (last < list->run.count) {
        run_push(scratch, segment_at(list, last), set_at(list, last));
        last++;
    }
    splice(list, first, last - first, scratch);
}

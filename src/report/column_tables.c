#include "report/column_tables.h"

const struct column collective_columns[] = {
    {"collective", "collective", COLUMN_TEXT, READ_BY_ALL, "what the ranks do together"},
    {"algorithm", "algorithm", COLUMN_TEXT, READ_BY_ALL, "how they do it"},
    {"ranks", "ranks", COLUMN_COUNT, READ_BY_ALL, "how many take part"},
    {"size_bytes", "size", COLUMN_BYTES, READ_BY_ALL, "of the collective's vector, as \"size\" of the scenario says"},
    {"times", "times", COLUMN_COUNT, READ_BY_ALL, "how often it is done, one after the other"},
    {"start_seconds", "start", COLUMN_TIME, READ_BY_PROGRAMS, "when it starts on the simulated clock"},
    {"time_seconds", "time", COLUMN_TIME, READ_BY_ALL, "from its start until its last rank is done"},
    {"algbw_bytes_per_s", "algbw", COLUMN_RATE, READ_BY_ALL, "size / time"},
    {"busbw_bytes_per_s", "busbw", COLUMN_RATE, READ_BY_ALL,
     "algbw times the collective's bus factor (all-reduce 2(p-1)/p; reduce-scatter, all-gather, all-to-all (p-1)/p; else 1), as "
     "nccl-tests"},
    {"bound_seconds", "at least", COLUMN_TIME, READ_BY_ALL, "a time that no run of its messages can beat"},
    {"bound", "bound", COLUMN_TEXT, READ_BY_ALL, "what that bound counts: endpoint, link, latency or bisection"},
    {"efficiency", "efficiency", COLUMN_SHARE, READ_BY_ALL, "that bound / time"},
    {0},
};

const struct column link_columns[] = {
    {"link", "link", COLUMN_TEXT, READ_BY_PEOPLE, "a directed link: the node it leaves and the node it reaches"},
    {"from", "from", COLUMN_TEXT, READ_BY_PROGRAMS, "the node it leaves"},
    {"to", "to", COLUMN_TEXT, READ_BY_PROGRAMS, "the node it reaches"},
    {"port", "port", COLUMN_COUNT, READ_BY_ALL, "the port of the first node that it leaves by"},
    {"bytes", "bytes", COLUMN_BYTES, READ_BY_ALL, "that it carried"},
    {"chunks", "chunks", COLUMN_COUNT, READ_BY_ALL, "that it carried"},
    {"busy_seconds", "busy", COLUMN_TIME, READ_BY_ALL, "the time it was sending"},
    {"utilization", "utilisation", COLUMN_SHARE, READ_BY_ALL, "busy / makespan"},
    {"bar", "", COLUMN_BAR, READ_BY_PEOPLE, "the same as a bar"},
    {"peak_queue_bytes", "peak queue", COLUMN_BYTES, READ_BY_ALL, "the most that waited for it at one instant"},
    {0},
};

const struct column ring_columns[] = {
    {"neighbours", "ring neighbours", COLUMN_OF, READ_BY_PEOPLE,
     "how many of the ring's pairs of neighbours (rank r to r+1) have the link on their route, of how many; only of ring algorithms"},
    {"ring_neighbours", "ring neighbours", COLUMN_COUNT, READ_BY_PROGRAMS, "the first of those two numbers"},
    {0},
};

const struct column point_columns[] = {
    {"status", "status", COLUMN_TEXT, READ_BY_PROGRAMS, "complete, or what kept its runs from completing"},
    {"time_seconds", "time", COLUMN_TIME, READ_BY_ALL, "the makespan; of several seeds, that of the run with the median time"},
    {"algbw_bytes_per_s", "algbw", COLUMN_RATE, READ_BY_ALL, "size / time of a run that is one collective"},
    {"busbw_bytes_per_s", "busbw", COLUMN_RATE, READ_BY_ALL, "algbw times the bus factor, as in the table collectives"},
    {"slower", "times slower", COLUMN_RATIO, READ_BY_ALL, "time / time of the best point"},
    {"ranks", "ranks", COLUMN_COUNT, READ_BY_PROGRAMS, "how many take part"},
    {"busiest_link", "busiest link", COLUMN_TEXT, READ_BY_PEOPLE, "the link that was sending for the longest"},
    {"busiest_from", "from", COLUMN_TEXT, READ_BY_PROGRAMS, "the node it leaves"},
    {"busiest_to", "to", COLUMN_TEXT, READ_BY_PROGRAMS, "the node it reaches"},
    {"utilization", "utilisation", COLUMN_SHARE, READ_BY_ALL, "the share of the time that it was sending"},
    {0},
};

const struct column seed_columns[] = {
    {"runs", "runs", COLUMN_COUNT, READ_BY_ALL, "how many runs completed, one a seed; this and the next only where some point has seeds"},
    {"fastest_seconds", "fastest", COLUMN_TIME, READ_BY_ALL, "the least of their times"},
    {"slowest_seconds", "slowest", COLUMN_TIME, READ_BY_ALL, "the largest of their times"},
    {"worst_seed", "worst seed", COLUMN_COUNT, READ_BY_ALL, "the seed of the slowest"},
    {0},
};

const struct column run_columns[] = {
    {"seed", "seed", COLUMN_COUNT, READ_BY_ALL, "of the mapping, where the point has seeds"},
    {"status", "status", COLUMN_TEXT, READ_BY_ALL, "complete, stalled, overflow, limit, interrupted, lost, failed or not run"},
    {"time_seconds", "time", COLUMN_TIME, READ_BY_ALL, "the makespan of a run that completed"},
    {"algbw_bytes_per_s", "algbw", COLUMN_RATE, READ_BY_ALL, "size / time of a run that is one collective"},
    {"busbw_bytes_per_s", "busbw", COLUMN_RATE, READ_BY_ALL, "algbw times the bus factor, as in the table collectives"},
    {"ranks", "ranks", COLUMN_COUNT, READ_BY_ALL, "how many take part"},
    {"digest", "digest", COLUMN_TEXT, READ_BY_ALL, "of all deliveries: equal for equal runs"},
    {0},
};

const struct column hop_columns[] = {
    {"hop", "hop", COLUMN_COUNT, READ_BY_ALL, "its number, from 1"},
    {"link", "link", COLUMN_TEXT, READ_BY_ALL, "the node it leaves and the node it reaches"},
    {"out_port", "out port", COLUMN_COUNT, READ_BY_ALL, "the port it leaves by"},
    {"in_port", "in port", COLUMN_COUNT, READ_BY_ALL, "the port it enters by: ties are decided by it"},
    {"bandwidth_bytes_per_s", "bandwidth", COLUMN_RATE, READ_BY_ALL, "of the link"},
    {"latency_seconds", "latency", COLUMN_TIME, READ_BY_ALL, "of the link"},
    {0},
};

const struct column_table column_tables[] = {
    {"collectives", "weft run: a row for each collective", {collective_columns}},
    {"links", "weft run: a row for each link, the ten hottest or those that --links asks for", {link_columns}},
    {"points", "weft compare: a row for each point, after the keys that vary", {point_columns, ring_columns, seed_columns}},
    {"runs", "weft compare --csv=runs: a row for each run, after the keys that vary", {run_columns}},
    {"hottest",
     "weft compare: the hottest links of a run; in --csv=links after the keys that vary and the seed",
     {link_columns, ring_columns}},
    {"hops", "weft route: a row for each link of the route", {hop_columns}},
    {0},
};

static void print_column(const struct column *column, FILE *out) {
    const char *title = column->reader == READ_BY_PROGRAMS ? "-" : *column->title ? column->title : "(no title)";
    fprintf(out, "  %-16s %-22s %s\n", title, column->reader == READ_BY_PEOPLE ? "-" : column->name, column->help);
}

void column_tables_print(FILE *out) {
    fputs("The columns of the tables: the title in those for people (plain and --markdown), the name in --csv, the meaning.\n"
          "CSV has plain numbers: seconds, bytes, bytes per second, shares from 0 to 1; nothing where there is nothing to say.\n",
          out);
    for (const struct column_table *table = column_tables; table->name; table++) {
        fprintf(out, "\n%s (%s)\n", table->name, table->summary);
        for (int p = 0; p < COLUMN_PARTS && table->parts[p]; p++)
            for (const struct column *column = table->parts[p]; column->name; column++) print_column(column, out);
    }
}

#include "peers.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

static double ns_per_hop(const struct measurement *m) { return (double)m->run_ns / (double)(m->chunk_hops ? m->chunk_hops : 1); }

const char *const yardstick_heads[] = {"<workload", "weft ns per chunk-hop", "prototype", "ratio", "chunk-hops", "prototype's",
                                       "simulated", "prototype's",           NULL};

bool peers_yardstick(const struct row *row, const char *program, uint32_t repeats, struct table *table) {
    char command[512], line[512];
    snprintf(command, sizeof command, "SAF=1 '%s' %s", program, row->peer);
    FILE *output = popen(command, "r");
    double ns = 0, end_us = 0;
    unsigned long long hops = 0;
    bool found = false;
    while (output && fgets(line, sizeof line, output)) {
        const char *figures = strstr(line, ": ");
        const char *counts = strstr(line, "hops ");
        found = found || (figures && counts && sscanf(figures, ": %lf ns/hop", &ns) == 1 &&
                          sscanf(counts, "hops %llu end %lf us", &hops, &end_us) == 2);
    }
    struct measured weft;
    if (!output || pclose(output) != 0 || !found || !measure(row, "window", true, repeats, &weft)) return false;
    char end[QUANTITY_SIZE];
    table_add(table, "%s", row->title);
    table_add(table, "%.1f", ns_per_hop(&weft.best));
    table_add(table, "%.1f", ns);
    table_add(table, "%.2f", ns_per_hop(&weft.best) / ns);
    table_add(table, "%llu", (unsigned long long)weft.best.chunk_hops);
    table_add(table, "%llu", hops);
    table_add(table, "%s", format_time(weft.best.end_ticks, TICKS_PER_S_FS, end));
    table_add(table, "%s", format_time((int64_t)(end_us * 1e9), TICKS_PER_S_FS, end));
    return true;
}

const char *const simgrid_heads[] = {"<workload", "messages", "weft", "SimGrid", "SimGrid / weft", "simulated", "SimGrid's", NULL};

bool peers_simgrid(const struct row *row, const char *program, uint32_t repeats, struct table *table) {
    char command[512];
    snprintf(command, sizeof command, "'%s' %s %lld", program, row->peer, (long long)row->bytes);
    FILE *output = popen(command, "r");
    double cpu_s = 0, simulated_s = 0;
    bool found = output && fscanf(output, "cpu %lf s simulated %lf s", &cpu_s, &simulated_s) == 2;
    struct measured weft;
    if (!output || pclose(output) != 0 || !found || !measure(row, "auto", false, repeats, &weft)) return false;
    char text[QUANTITY_SIZE];
    table_add(table, "%s", row->title);
    table_add(table, "%llu", (unsigned long long)weft.best.messages);
    table_add(table, "%s", format_time(weft.best.run_ns * 1000000, TICKS_PER_S_FS, text));
    table_add(table, "%s", format_time((int64_t)(cpu_s * 1e15), TICKS_PER_S_FS, text));
    table_add(table, "%.0f", cpu_s * 1e9 / (double)weft.best.run_ns);
    table_add(table, "%s", format_time(weft.best.end_ticks, TICKS_PER_S_FS, text));
    table_add(table, "%s", format_time((int64_t)(simulated_s * 1e15), TICKS_PER_S_FS, text));
    return true;
}

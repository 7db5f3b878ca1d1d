#include "report/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/units.h"
#include "report/csv.h"
#include "report/json_writer.h"
#include "report/table.h"

void sheet_start(struct sheet *sheet, enum sheet_format format, bool color, FILE *out) {
    *sheet = (struct sheet){.format = format, .color = color && format == SHEET_TEXT, .out = out};
}

void sheet_add_columns(struct sheet *sheet, const struct column *columns) {
    for (; columns->name; columns++) {
        ARRAY_RESERVE(sheet->columns, sheet->capacity, sheet->count + 1);
        sheet->columns[sheet->count++] = columns;
    }
}

static bool is_shown(const struct sheet *sheet, const struct column *column) {
    if (sheet->format == SHEET_MARKDOWN && column->kind == COLUMN_BAR) return false;
    return column->reader != (sheet->format == SHEET_CSV ? READ_BY_PEOPLE : READ_BY_PROGRAMS);
}

static bool is_left(const struct column *column) { return column->kind == COLUMN_TEXT || column->kind == COLUMN_BAR; }

static void put_markdown(const char *text, bool fresh, FILE *out) {
    fputs(fresh ? "| " : " ", out);
    for (; *text; text++) {
        if (*text == '|' || *text == '\\') fputc('\\', out);
        fputc(*text == '\n' ? ' ' : *text, out);
    }
    fputs(" |", out);
}

static void put_csv(const char *text, bool fresh, FILE *out) {
    if (!fresh) fputc(',', out);
    csv_text(text, out);
}

/// Writes the next cell, or keeps it until all widths are known.
static void put_cell(struct sheet *sheet, const char *text) {
    if (is_shown(sheet, sheet->columns[sheet->next])) {
        switch (sheet->format) {
        case SHEET_TEXT: columns_add(&sheet->text, "%s", text); break;
        case SHEET_MARKDOWN: put_markdown(text, sheet->fresh, sheet->out); break;
        case SHEET_CSV: put_csv(text, sheet->fresh, sheet->out); break;
        }
        sheet->fresh = false;
    }
    if (++sheet->next < sheet->count) return;
    sheet->next = 0;
    sheet->fresh = true;
    if (sheet->format != SHEET_TEXT) fputc('\n', sheet->out);
}

static void put_rule(const struct sheet *sheet) {
    fputc('|', sheet->out);
    for (size_t c = 0; c < sheet->count; c++)
        if (is_shown(sheet, sheet->columns[c])) fputs(is_left(sheet->columns[c]) ? " --- |" : " ---: |", sheet->out);
    fputc('\n', sheet->out);
}

static void put_title(struct sheet *sheet, const struct column *column) {
    if (sheet->format != SHEET_TEXT)
        put_cell(sheet, sheet->format == SHEET_CSV ? column->name : column->title);
    else if (is_shown(sheet, column))
        columns_add(&sheet->text, "%s%s", is_left(column) ? "<" : "", column->title);
}

void sheet_begin(struct sheet *sheet) {
    sheet->fresh = true;
    sheet->next = 0;
    for (size_t c = 0; c < sheet->count; c++) sheet->text.count += is_shown(sheet, sheet->columns[c]);
    for (size_t c = 0; c < sheet->count; c++) put_title(sheet, sheet->columns[c]);
    if (sheet->format == SHEET_MARKDOWN) put_rule(sheet);
}

void sheet_text(struct sheet *sheet, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = text_format_list(format, args);
    va_end(args);
    put_cell(sheet, text);
    free(text);
}

void sheet_count(struct sheet *sheet, uint64_t count) {
    char text[QUANTITY_SIZE];
    if (sheet->format != SHEET_CSV && sheet->columns[sheet->next]->kind == COLUMN_BYTES)
        format_bytes((double)count, text);
    else
        snprintf(text, sizeof text, "%" PRIu64, count);
    put_cell(sheet, text);
}

void sheet_time(struct sheet *sheet, int64_t ticks, int64_t ticks_per_s) {
    char text[SECONDS_SIZE];
    if (sheet->format == SHEET_CSV)
        format_seconds((unsigned __int128)ticks, ticks_per_s, text);
    else
        format_time(ticks, ticks_per_s, text);
    put_cell(sheet, text);
}

void sheet_number(struct sheet *sheet, double number) {
    char text[BAR_SIZE + QUANTITY_SIZE];
    if (isnan(number)) {
        sheet_none(sheet, 1);
        return;
    }
    if (sheet->format == SHEET_CSV) {
        format_double(number, text);
    } else {
        switch (sheet->columns[sheet->next]->kind) {
        case COLUMN_RATE: format_rate(number, text); break;
        case COLUMN_SHARE: format_share(number, text); break;
        case COLUMN_BAR: utilization_bar(number, sheet->color, text); break;
        default: snprintf(text, sizeof text, "%.3f", number);
        }
    }
    put_cell(sheet, text);
}

void sheet_none(struct sheet *sheet, size_t cells) {
    while (cells-- > 0) put_cell(sheet, sheet->format == SHEET_CSV ? "" : "-");
}

void sheet_finish(struct sheet *sheet) {
    if (sheet->format == SHEET_TEXT) columns_finish(&sheet->text, sheet->out);
    free(sheet->columns);
    *sheet = (struct sheet){0};
}

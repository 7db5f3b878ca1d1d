#include <check.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/fixture.h"
#include "report/sheet.h"

static const struct column columns[] = {
    {"name", "name", COLUMN_TEXT, READ_BY_ALL, "…"},
    {"busy_seconds", "busy", COLUMN_TIME, READ_BY_ALL, "…"},
    {"size_bytes", "size", COLUMN_BYTES, READ_BY_ALL, "…"},
    {"share", "share", COLUMN_SHARE, READ_BY_ALL, "…"},
    {"bar", "", COLUMN_BAR, READ_BY_PEOPLE, "…"},
    {"count", "count", COLUMN_COUNT, READ_BY_PROGRAMS, "…"},
    {0},
};

static void print(void *context, FILE *out) {
    struct sheet sheet;
    sheet_start(&sheet, *(enum sheet_format *)context, false, out);
    sheet_add_columns(&sheet, columns);
    sheet_begin(&sheet);
    sheet_text(&sheet, "a|b, \"%s\"", "c");
    sheet_time(&sheet, 1500, TICKS_PER_S_PS); // 1.5 ns
    sheet_count(&sheet, 64000);
    sheet_number(&sheet, 0.25);
    sheet_number(&sheet, 0.25);
    sheet_count(&sheet, 7);
    sheet_none(&sheet, 1);
    sheet_time(&sheet, 2 * TICKS_PER_S_PS, TICKS_PER_S_PS);
    sheet_none(&sheet, 1);
    sheet_number(&sheet, (double)NAN);
    sheet_number(&sheet, 0);
    sheet_count(&sheet, 0);
    sheet_finish(&sheet);
}

static void same(enum sheet_format format, const char *expected) {
    char *text = fixture_printed(print, &format);
    ck_assert_str_eq(text, expected);
    free(text);
}

START_TEST(plain_text) {
    same(SHEET_TEXT, "  name        busy   size   share  \n"
                     "  a|b, \"c\"  1.5 ns  64 KB  25.0 %  ###.......\n"
                     "  -            2 s      -       -  ..........\n");
}
END_TEST

START_TEST(markdown_escapes_bars) {
    same(SHEET_MARKDOWN, "| name | busy | size | share |\n"
                         "| --- | ---: | ---: | ---: |\n"
                         "| a\\|b, \"c\" | 1.5 ns | 64 KB | 25.0 % |\n"
                         "| - | 2 s | - | - |\n");
}
END_TEST

START_TEST(csv_is_plain_numbers) {
    same(SHEET_CSV, "name,busy_seconds,size_bytes,share,count\n"
                    "\"a|b, \"\"c\"\"\",0.0000000015,64000,0.25,7\n"
                    ",2,,,0\n");
}
END_TEST

START_TEST(every_column_is_explained_once) {
    for (const struct column_table *table = column_tables; table->name; table++) {
        const char *names[64];
        size_t count = 0;
        for (int p = 0; p < COLUMN_PARTS && table->parts[p]; p++)
            for (const struct column *column = table->parts[p]; column->name; column++) {
                ck_assert_msg(strlen(column->help) > 5, "%s", column->name);
                for (size_t i = 0; i < count; i++) ck_assert_str_ne(names[i], column->name);
                for (const char *c = column->name; *c; c++)
                    ck_assert(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_');
                names[count++] = column->name;
            }
        ck_assert_uint_gt(count, 4);
    }
}
END_TEST

Suite *test_sheet_suite(void);
Suite *test_sheet_suite(void) {
    Suite *suite = suite_create("sheet");
    TCase *all = tcase_create("sheet");
    tcase_add_test(all, plain_text);
    tcase_add_test(all, markdown_escapes_bars);
    tcase_add_test(all, csv_is_plain_numbers);
    tcase_add_test(all, every_column_is_explained_once);
    suite_add_tcase(suite, all);
    return suite;
}

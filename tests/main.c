// Runs every suite of tests/ (or those whose names hold the first argument), and ends with Check's own summary.
#include <check.h>
#include <stdlib.h>
#include <string.h>

extern Suite *(*const test_suites[])(void);

int main(int argc, char **argv) {
    SRunner *runner = srunner_create(NULL);
    setenv("CK_DEFAULT_TIMEOUT", "120", 0); // a test is not slow because its machine is busy
    if (argc > 1) setenv("CK_RUN_SUITE", argv[1], 1);
    for (size_t i = 0; test_suites[i]; i++) srunner_add_suite(runner, test_suites[i]());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#include "base/field.h"

#include <string.h>

const struct field *field_find(const struct field *fields, const char *name) {
    for (const struct field *f = fields; f && f->name; f++)
        if (!strcmp(f->name, name)) return f;
    return NULL;
}

bool field_given(const struct field *fields, const void *config, const char *name) {
    const struct field *f = field_find(fields, name);
    return f && *(const uint64_t *)config >> (f - fields) & 1;
}

void field_defaults(const struct field *fields, void *config) {
    for (const struct field *f = fields; f && f->name; f++) {
        void *place = (char *)config + f->offset;
        switch (f->kind) {
        case FIELD_INTEGER:
        case FIELD_DECIMAL:
        case FIELD_BYTES:
        case FIELD_RATE:
        case FIELD_TIME: *(int64_t *)place = f->fallback; break;
        case FIELD_BOOLEAN: *(bool *)place = f->fallback != 0; break;
        case FIELD_CHOICE: *(int *)place = (int)f->fallback; break;
        case FIELD_OBJECT: field_defaults(f->fields, place); break;
        default: break;
        }
    }
}

#include "CFFmpegShims.h"

#include <libavutil/log.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic(cff_log_sink) current_sink;
static atomic_int current_level;

static void receive(void *object, int level, const char *format, va_list arguments) {
    cff_log_sink sink = atomic_load(&current_sink);
    if (!sink || level > atomic_load(&current_level))
        return;
    char line[1024];
    int print_prefix = 1;
    av_log_format_line2(object, level, format, arguments, line, sizeof line, &print_prefix);
    size_t length = strlen(line);
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        line[--length] = 0;
    if (length > 0)
        sink(level, line);
}

void cff_set_log_sink(int level, cff_log_sink sink) {
    atomic_store(&current_level, level);
    atomic_store(&current_sink, sink);
    av_log_set_level(sink ? level : AV_LOG_QUIET);
    av_log_set_callback(receive);
}

#include "CFFmpegShims.h"

#include <libavcodec/avcodec.h>
#include <libavutil/log.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic(cff_log_sink) current_sink;
static atomic_int current_level;

typedef int (*buffer_supplier)(struct AVCodecContext *, struct AVFrame *, int);
static _Atomic(buffer_supplier) current_supplier;
static _Atomic(void (*)(void *)) current_hook;

static void notice_concealment(void *object, const char *format) {
    // error_resilience.c, ff_er_frame_end: "concealing %d DC, %d AC, %d MV errors in %c frame\n"
    static const char start[] = "concealing ";
    if (!object || strncmp(format, start, sizeof start - 1) != 0 ||
        *(const AVClass **)object != avcodec_get_class())
        return;
    void (*hook)(void *) = atomic_load(&current_hook);
    if (hook && ((AVCodecContext *)object)->get_buffer2 == atomic_load(&current_supplier))
        hook(object);
}

static void receive(void *object, int level, const char *format, va_list arguments) {
    notice_concealment(object, format);
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

void cff_set_concealment_hook(
    int (*supplier)(struct AVCodecContext *, struct AVFrame *, int), void (*hook)(void *)) {
    atomic_store(&current_supplier, supplier);
    atomic_store(&current_hook, hook);
}

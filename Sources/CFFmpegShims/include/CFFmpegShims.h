// C that Swift cannot write: libav's log callback takes a va_list.
#ifndef CFFMPEG_SHIMS_H
#define CFFMPEG_SHIMS_H

#include <stdint.h>

struct AVCodecContext;
struct AVFrame;

/// Takes one finished log line of libav: its level (AV_LOG_…) and text, without a line end. Any thread.
typedef void (*cff_log_sink)(int level, const char *line);

/// Sends every log line of libav at `level` or worse to `sink`; NULL drops them all. Nothing reaches standard error.
void cff_set_log_sink(int level, cff_log_sink sink);

/// Lets get_buffer2 be called on libavcodec's own threads. Newer versions always do, older ones want to be told, in a
/// field that is already deprecated.
void cff_allow_buffers_from_threads(struct AVCodecContext *context);

/// Calls `hook` with the codec context (a frame thread's own) whenever libavcodec is about to conceal errors in a
/// picture, on the thread that does it; only for contexts whose get_buffer2 is `supplier`. Nothing but a line of log
/// says so reliably: see BufferSupply.noteConcealment.
void cff_set_concealment_hook(
    int (*supplier)(struct AVCodecContext *, struct AVFrame *, int), void (*hook)(void *context));

/// AV_CODEC_FLAG_OUTPUT_CORRUPT: one of the flags whose macro (1u << n) does not fit the signed field.
extern const int32_t cff_flag_output_corrupt;

#endif

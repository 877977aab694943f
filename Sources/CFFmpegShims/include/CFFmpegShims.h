// C that Swift cannot write: libav's log callback takes a va_list.
#ifndef CFFMPEG_SHIMS_H
#define CFFMPEG_SHIMS_H

/// Takes one finished log line of libav: its level (AV_LOG_…) and text, without a line end. Any thread.
typedef void (*cff_log_sink)(int level, const char *line);

/// Sends every log line of libav at `level` or worse to `sink`; NULL drops them all. Nothing reaches standard error.
void cff_set_log_sink(int level, cff_log_sink sink);

#endif

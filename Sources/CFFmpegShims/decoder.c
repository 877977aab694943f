#include "CFFmpegShims.h"

#include <libavcodec/avcodec.h>

const int32_t cff_flag_output_corrupt = AV_CODEC_FLAG_OUTPUT_CORRUPT;

void cff_allow_buffers_from_threads(struct AVCodecContext *context) {
#if LIBAVCODEC_VERSION_MAJOR < 60
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    context->thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#else
    (void)context;
#endif
}

// What the stack uses of FFmpeg, and as constants what Swift cannot import (macros with casts or arithmetic).
#ifndef CFFMPEG_SHIM_H
#define CFFMPEG_SHIM_H

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavutil/avutil.h>
#include <libavutil/buffer.h>
#include <libavutil/display.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/hash.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/md5.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

static const int CFF_AVERROR_EOF = AVERROR_EOF;
static const int CFF_AVERROR_EAGAIN = AVERROR(EAGAIN);
static const int CFF_AVERROR_ENOMEM = AVERROR(ENOMEM);
static const int CFF_AVERROR_INVALIDDATA = AVERROR_INVALIDDATA;
static const int64_t CFF_AV_NOPTS_VALUE = AV_NOPTS_VALUE;

#endif

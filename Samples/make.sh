#!/bin/sh
# Makes all clips of this folder, and golden/. Needs Debian's ffmpeg with libx264; the same bytes come out every time.
set -eu
cd "$(dirname "$0")"
swift build --package-path .. -c release --product make-samples >&2
swift build --package-path .. -c release --product compress-file >&2
programs=$(swift build --package-path .. -c release --show-bin-path)
make_samples=$programs/make-samples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p golden

# encode CLIP SIZE PIXEL-FORMAT RATE X264-PARAMS [FFMPEG OPTIONS]
encode() {
    clip=$1 size=$2 format=$3 rate=$4 parameters=$5
    shift 5
    "$make_samples" raw "$clip" |
        ffmpeg -nostdin -v error -f rawvideo -s "$size" -pix_fmt "$format" -r "$rate" -i - \
            -c:v libx264 -preset slow -x264-params "threads=1:$parameters" "$@" \
            -fflags +bitexact -flags:v +bitexact -f h264 -y "$work/$clip.264"
}

# compress CLIP SIZE RATE PROPERTY…: by the stack's own VTCompressionSession; one thread, so that the bytes are the same
compress() {
    clip=$1 size=$2 rate=$3
    shift 3
    "$make_samples" raw "$clip" |
        "$programs/compress-file" "$size" "$rate" "$work/$clip.264" tplay.ThreadCount=1 "$@" >&2
}

encode showpiece 640x360 yuv420p 24 crf=20:keyint=72:ref=5:bframes=3:aq-mode=3 -preset veryslow \
    -colorspace bt709 -color_primaries bt709 -color_trc bt709 -color_range tv
encode baseline 176x144 yuv420p 25 crf=26:keyint=50:slices=4 -profile:v baseline
# A delay of four leaves room for two B pictures, and none of them a reference.
compress main 176x144 25 Quality=0.5 MaxKeyFrameInterval=50 MaxFrameDelayCount=4 \
    ProfileLevel=H264_Main_AutoLevel
encode b-pyramid 320x180 yuv420p 25 crf=28:keyint=50:bframes=7:b-adapt=0:b-pyramid=normal
encode open-gop 320x180 yuv420p 25 crf=28:keyint=24:min-keyint=24:scenecut=0:bframes=3:b-adapt=0:open-gop=1
encode intra-refresh 176x144 yuv420p 25 crf=28:keyint=25:intra-refresh=1:bframes=0
encode mbaff 176x144 yuv420p 25 crf=28:keyint=25:interlaced=1:tff=1:bframes=2
encode size-change-0 160x120 yuv420p 25 crf=26 -profile:v baseline
encode size-change-1 320x180 yuv420p 25 crf=28:bframes=2
encode size-change-2 96x128 yuv420p10le 25 crf=24
encode high10 176x144 yuv420p10le 25 crf=24:keyint=25
encode high422 176x144 yuv422p 25 crf=26:keyint=25
encode high444 176x144 yuv444p 25 crf=26:keyint=25
compress cropped-1080p 1920x1080 30 Quality=0.34 MaxKeyFrameInterval=30
encode anamorphic 180x144 yuv420p 25 crf=26:keyint=25:sar=16/11
cat "$work"/size-change-[012].264 > "$work/size-change.264"
mkdir "$work/parts"
mv "$work"/size-change-[012].264 "$work/parts"

for name in paff lone-fields gaps-mmco short-codes no-timing pulldown; do
    "$make_samples" stream $name > "$work/$name.264"
done

# digest FILE INPUT-OPTIONS…: the pictures' MD5s
digest() {
    out=$1
    shift
    ffmpeg -nostdin -v error -threads 1 "$@" -fps_mode passthrough -autoscale 0 -f framemd5 -y "$out"
}
hashes() { grep -v '^#' "$1" | sed 's/.*, *//'; }

for file in "$work"/*.264; do
    name=$(basename "$file")
    if [ "$name" = size-change.264 ]; then
        # Part by part: in one run ffmpeg would turn the 10 bits into 8.
        digest "golden/$name.framemd5" -f h264 -i "$work/parts/size-change-0.264"
        for part in 1 2; do
            digest "$work/part" -f h264 -i "$work/parts/size-change-$part.264"
            grep -v '^#' "$work/part" >> "golden/$name.framemd5"
        done
    else
        digest "golden/$name.framemd5" -f h264 -i "$file"
    fi
    mv "$file" "$name"
done

# What the writer says it wrote is what must come out; of lone fields libavcodec shows none.
for name in paff lone-fields gaps-mmco short-codes no-timing pulldown; do
    "$make_samples" pictures $name |
        digest "$work/written" -f rawvideo -s 176x144 -pix_fmt yuv420p -r 25 -i -
    if [ $name = lone-fields ]; then
        cp "$work/written" golden/lone-fields.264.written.framemd5
        continue
    fi
    hashes "$work/written" > "$work/a"
    hashes "golden/$name.264.framemd5" > "$work/b"
    cmp "$work/a" "$work/b" || { echo "$name: not what was written" >&2; exit 1; }
done
ls -l ./*.264 >&2

"""One picture as each renderer draws it, against the picture scaled by swscale."""
import os
import subprocess
import sys
import tempfile

from measure import CLIP, SHARED, TPLAY, pty, table

SCREEN = os.path.join(SHARED, 'tools', 'screen2png.py')
LIMITS = {'half': '26.23 / 0.657, asked 26.2 / 0.655', 'quadrant': '27.05 / 0.709, asked 27.0 / 0.707',
          'sextant': '27.70 / 0.736, asked 27.65 / 0.735', 'octant': '28.06 / 0.752, asked 28.0 / 0.750',
          'sixel': '35.3 / 0.960, asked 34.0 / 0.95 at 813 KB', 'kitty': 'asked 45'}


def run():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        # The clip does not tell its matrix. A picture of its size is drawn as 709; swscale alone would take 601. Each is compared with its like.
        for matrix in ('709', '601'):
            reference = os.path.join(folder, matrix + '.png')
            subprocess.run(['ffmpeg', '-v', 'error', '-i', CLIP, '-vf', 'select=eq(n\\,60),scale=1280:720:in_color_matrix=bt%s:flags=area'
                            '+accurate_rnd+full_chroma_int+full_chroma_inp' % matrix, '-frames:v', '1', reference], check=True)
            rows += [('%s, matrix %s' % (kind, matrix), '%s (limit %s)' % (compare(kind, matrix, reference, folder), LIMITS[kind]))
                     for kind in LIMITS]
    table('PICTURE 60 of bbb1080.264 at 160 x 45 cells of 8 x 16, against swscale area (PSNR, SSIM)', sorted(rows))


def compare(kind, matrix, reference, folder):
    from PIL import Image
    log, png = os.path.join(folder, 'log'), os.path.join(folder, 'out.png')
    run = pty([TPLAY, '--paused', '--start', '60f', '--renderer', kind, '--matrix', matrix, CLIP], '--log', log,
              '--kill-at', '1.5', '--timeout', '20', *(['--kitty'] if kind == 'kitty' else []), rows=46)
    subprocess.run([sys.executable, SCREEN, log, png, '--cols', '160', '--rows', '46'], capture_output=True)
    try:
        Image.open(png).crop((0, 0, 1280, 720)).save(png)
    except OSError as problem:
        return 'not drawn: %s' % problem
    result = subprocess.run([sys.executable, SCREEN, '--compare', png, reference], capture_output=True, text=True).stdout
    return '%s %d KB' % (result.strip(), run['bytes'] // 1000)

import { z } from 'zod';
import { type PngShape, writePng } from '../../../formats/shared/media/write-png.ts';

const MOST_PIXELS_A_SIDE = 2_048;
const USUAL_SIZE = { width: 1_024, height: 1_024 };
const BANDS = 16;

const fields = z.object({
  model: z.string(),
  prompt: z.string().min(1),
  n: z.int().min(1).max(10).nullish(),
  size: z.string().nullish(),
  quality: z.string().nullish(),
  background: z.string().nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
});
export type SandboxImageRequest = z.output<typeof fields>;

export interface WrongImageRequest {
  readonly message: string;
  readonly param: string | null;
}

/** Whole images and, for a stream, the events with them. */
export interface SandboxImages {
  readonly request: SandboxImageRequest;
  readonly answer: object;
  readonly events: readonly string[];
}

/** Returns images like OpenAI's: stripes in colours that depend on the prompt, as PNG. `edited` is the number of input images. */
export function images(body: unknown, edited: number): SandboxImages | WrongImageRequest {
  const parsed = fields.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { message: issue?.message ?? 'Invalid request.', param: issue?.path.join('.') || null };
  }
  const request = parsed.data;
  const size = sizeOf(request.size ?? 'auto');
  if (size === null) {
    const message = `Invalid size. The sandbox makes images of up to ${MOST_PIXELS_A_SIDE}x${MOST_PIXELS_A_SIDE} pixels.`;
    return { message, param: 'size' };
  }
  const made: string[] = [];
  for (let index = 0; index < (request.n ?? 1); index++) {
    made.push(stripes(`${request.prompt} ${index}`, size).toString('base64'));
  }
  const textTokens = Math.ceil(request.prompt.length / 4);
  const imageTokens = edited * 100;
  const output = made.length * 100;
  const usage = {
    input_tokens: textTokens + imageTokens,
    input_tokens_details: { text_tokens: textTokens, image_tokens: imageTokens },
    output_tokens: output,
    output_tokens_details: { text_tokens: 0, image_tokens: output },
    total_tokens: textTokens + imageTokens + output,
  };
  const told = {
    created: Math.floor(Date.now() / 1_000),
    background: 'opaque',
    output_format: 'png',
    quality: 'auto',
    size: `${size.width}x${size.height}`,
  };
  const answer = { ...told, data: made.map((b64_json) => ({ b64_json })), usage };
  return { request, answer, events: eventsOf(request, made, { ...told, usage }, edited > 0) };
}

function eventsOf(
  { partial_images }: SandboxImageRequest,
  made: readonly string[],
  { created, usage, ...told }: { readonly created: number; readonly usage: object },
  isEdit: boolean,
): readonly string[] {
  const kind = isEdit ? 'image_edit' : 'image_generation';
  const event = (type: string, members: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, created_at: created, ...told, ...members })}\n\n`;
  return made.flatMap((b64_json) => [
    ...Array.from({ length: partial_images ?? 0 }, (_, partial_image_index) =>
      event(`${kind}.partial_image`, { b64_json, partial_image_index }),
    ),
    event(`${kind}.completed`, { b64_json, usage }),
  ]);
}

function sizeOf(text: string): { readonly width: number; readonly height: number } | null {
  if (text === 'auto') return USUAL_SIZE;
  const [, width = '', height = ''] = /^(\d{1,4})x(\d{1,4})$/.exec(text) ?? [];
  const size = { width: Number(width), height: Number(height) };
  const isRight = (pixels: number) => pixels >= 1 && pixels <= MOST_PIXELS_A_SIDE;
  return isRight(size.width) && isRight(size.height) ? size : null;
}

/** Returns a PNG with a palette (PNG specification, section 11): one byte per pixel, which compresses to almost nothing. */
export function stripes(seed: string, { width, height }: { width: number; height: number }): Buffer {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    rows.fill(Math.floor((y * BANDS) / height), y * (width + 1) + 1, (y + 1) * (width + 1));
  }
  const palette = Buffer.alloc(BANDS * 3);
  for (let band = 0; band < BANDS; band++)
    palette.writeUIntBE(Bun.hash.xxHash32(`${seed} ${band}`) % 2 ** 24, band * 3, 3);
  return png({ width, height, colours: 'palette' }, rows, palette);
}

/** @param rows each begins with its filter byte */
export function png(shape: PngShape, rows: Buffer, palette?: Buffer): Buffer {
  return writePng(shape, zlibOf(rows), palette);
}

/** Adds the zlib frame (RFC 1950), which Bun's deflate leaves out. */
function zlibOf(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(Bun.hash.adler32(bytes));
  return Buffer.concat([Buffer.from([0x78, 0x01]), Bun.deflateSync(new Uint8Array(bytes), { level: 1 }), sum]);
}

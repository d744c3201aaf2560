import { describe, expect, test } from 'bun:test';
import { MemoryFile } from '../../../domain/media/memory-file.ts';
import type { PiecedBody } from '../../../domain/media/pieced-body.ts';
import { encodeForm, type FormPart } from './form-body.ts';

async function bytesOf(body: PiecedBody): Promise<Uint8Array<ArrayBuffer>> {
  const pieces = body.pieces.map((piece) => (piece instanceof Uint8Array ? piece : piece.file.bytes()));
  return Buffer.concat(await Promise.all(pieces));
}

async function readBack(parts: readonly FormPart[]) {
  const { body, headers } = encodeForm(parts);
  const bytes = await bytesOf(body);
  expect(bytes.length).toBe(body.length);
  const form = await new Response(bytes, { headers }).formData();
  return [...form.entries()];
}

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 13, 10, 0, 255, 45, 45]);

describe('a form for an upstream', () => {
  test('is parsed back unchanged', async () => {
    const parts: FormPart[] = [
      { name: 'prompt', value: 'Zwei\nZeilen\r\n--boundary 🦊' },
      { name: 'image[]', file: new MemoryFile(png, { name: 'a.png' }), mediaType: 'image/png' },
      { name: 'image[]', file: { name: 'b.webp', bytes: png.slice(0, 1) }, mediaType: 'image/webp' },
      { name: 'empty', value: '' },
      { name: 'none', file: { name: 'none.mp3', bytes: new Uint8Array(0) }, mediaType: 'audio/mpeg' },
    ];
    const [prompt, first, second, empty, none] = await readBack(parts);
    expect([prompt, empty]).toEqual([
      ['prompt', 'Zwei\nZeilen\r\n--boundary 🦊'],
      ['empty', ''],
    ]);
    for (const [entry, name, type, bytes] of [
      [first, 'a.png', 'image/png', png],
      [second, 'b.webp', 'image/webp', png.slice(0, 1)],
      [none, 'none.mp3', 'audio/mpeg', new Uint8Array(0)],
    ] as const) {
      const file = entry?.[1];
      if (!(file instanceof File)) throw new Error('a file is expected');
      expect([file.name, file.type, await file.bytes()]).toEqual([name, type, bytes]);
    }
  });

  test('can be empty, with its end', async () => {
    const { body, headers } = encodeForm([]);
    const boundary = headers['content-type'].split('boundary=')[1];
    expect(new TextDecoder().decode(await bytesOf(body))).toBe(`--${boundary}--\r\n`);
  });

  test('has the same bytes every time, and a boundary of its own', async () => {
    const made = encodeForm([{ name: 'a', value: 'b' }]);
    expect(await bytesOf(made.body)).toEqual(await bytesOf(made.body));
    expect(encodeForm([]).headers).not.toEqual(encodeForm([]).headers);
  });

  test('escapes names and media types in headers', async () => {
    const { body } = encodeForm([
      { name: 'a"; filename="x', value: '1' },
      { name: 'f', file: { name: 'ä"\r\nX-Evil: 1', bytes: png }, mediaType: 'image/png\r\nX-Evil: 1' },
    ]);
    const text = new TextDecoder().decode(await bytesOf(body));
    expect(text).toContain('form-data; name="a%22; filename=%22x"\r\n\r\n1\r\n');
    expect(text).toContain('filename="ä%22%0D%0AX-Evil: 1"\r\nContent-Type: application/octet-stream\r\n\r\n');
  });
});

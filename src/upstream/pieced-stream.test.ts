import { expect, test } from 'bun:test';
import { PiecedBody } from '../domain/media/pieced-body.ts';
import type { UploadedFile } from '../domain/media/uploaded-file.ts';
import { pause } from '../domain/testing/until.ts';
import { piecedStream } from './pieced-stream.ts';

const utf8 = new TextEncoder();

function fileOf(bytes: Uint8Array<ArrayBuffer>, { pieceBytes = 5, size = bytes.length } = {}): UploadedFile {
  return {
    ...{ name: 'a.bin', declaredType: null, size, head: bytes.subarray(0, 64) },
    stream: () => {
      let at = 0;
      return new ReadableStream({
        pull(controller) {
          if (at >= bytes.length) return controller.close();
          controller.enqueue(bytes.slice(at, at + pieceBytes));
          at += pieceBytes;
        },
      });
    },
    bytes: async () => bytes,
  };
}

test('a file is sent between the other pieces, raw or as base64, however it is split', async () => {
  for (let length = 0; length < 40; length++) {
    const bytes = crypto.getRandomValues(new Uint8Array(length));
    for (const pieceBytes of [1, 2, 3, 4, 7, 64]) {
      const file = fileOf(bytes, { pieceBytes });
      const body = new PiecedBody([utf8.encode('<'), { file, as: 'bytes' }, utf8.encode('|'), { file, as: 'base64' }]);
      const sent = Buffer.from(await new Response(piecedStream(body, () => {})).arrayBuffer());
      expect(sent).toEqual(
        Buffer.concat([utf8.encode('<'), bytes, utf8.encode(`|${Buffer.from(bytes).toString('base64')}`)]),
      );
      expect(sent).toHaveLength(body.length);
    }
  }
});

test('nothing is read before the connection accepts it', async () => {
  let reads = 0;
  const reader = piecedStream(new PiecedBody([utf8.encode('a'), utf8.encode('b')]), () => reads++).getReader();
  await pause();
  expect(reads).toBe(0);
  await reader.read();
  expect(reads).toBe(1);
});

test.each([4, 6])('a file of 5 bytes that was declared with %d is an error', async (size) => {
  const body = new PiecedBody([{ file: fileOf(utf8.encode('abcde'), { size }), as: 'bytes' }]);
  expect(new Response(piecedStream(body, () => {})).arrayBuffer()).rejects.toThrow('size');
});

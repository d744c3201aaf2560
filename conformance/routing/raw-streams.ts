import { connect } from 'node:net';
import type { ClientFormat } from '../readers/index.ts';
import { bodyOf, pathOf } from './client.ts';

export interface RawStream {
  readonly status: number;
  /** The channel that `x-routing` names. */
  readonly channel: string;
  readonly body: string;
  /** Whether the last chunk arrived, so the response was not truncated. */
  readonly isEnded: boolean;
}

interface RawStreamOptions {
  readonly port: number;
  readonly key: string;
  readonly model: string;
  readonly format: ClientFormat;
  /** Called when the response's head has arrived. */
  readonly onHead: () => void;
}

/** Ends a chunked body; the first line break belongs to the previous chunk. */
const LAST_CHUNK = '\r\n0\r\n\r\n';

/**
 * Reads a stream completely over its own connection. Bun's `fetch` allows at most 256 concurrent requests per
 * process.
 */
export function readRawStream({ port, key, model, format, onHead }: RawStreamOptions): Promise<RawStream> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const pieces: Buffer[] = [];
    socket.setTimeout(45_000, () => socket.destroy(new Error('nothing arrived for 45 s')));
    socket.once('error', reject);
    socket.once('close', () => resolve(parsed(Buffer.concat(pieces).toString())));
    socket.once('data', onHead);
    let tail = '';
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      tail = (tail + piece.subarray(-LAST_CHUNK.length).toString()).slice(-LAST_CHUNK.length);
      if (tail === LAST_CHUNK) socket.end();
    });
    const body = bodyOf({ model, format, stream: true });
    const head = [
      `POST ${pathOf({ model, format, stream: true })} HTTP/1.1`,
      `host: 127.0.0.1:${port}`,
      `authorization: Bearer ${key}`,
      'content-type: application/json',
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}

function parsed(text: string): RawStream {
  const headEnd = text.indexOf('\r\n\r\n');
  const head = text.slice(0, headEnd);
  let rest = text.slice(headEnd + 4);
  let body = '';
  let isEnded = false;
  // These tests use ASCII bodies, so the chunk sizes equal the lengths of the texts.
  for (;;) {
    const lineEnd = rest.indexOf('\r\n');
    const length = Number.parseInt(rest.slice(0, Math.max(0, lineEnd)), 16);
    if (!(length >= 0)) break;
    if (length === 0) {
      isEnded = true;
      break;
    }
    body += rest.slice(lineEnd + 2, lineEnd + 2 + length);
    rest = rest.slice(lineEnd + 2 + length + 2);
  }
  const channel = /^x-routing: .*?"id":"([^"]*)"/im.exec(head)?.[1] ?? '';
  return { status: Number(head.split(' ')[1] ?? 0), channel, body, isEnded };
}

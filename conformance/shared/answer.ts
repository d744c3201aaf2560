import { connect } from 'node:net';
import { asObject, parseJson } from './json.ts';

/** An HTTP response that has been read completely. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** The envelope's `error`, or an empty object. */
  readonly error: Readonly<Record<string, unknown>>;
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const json = asObject(parseJson(text));
  return { status: response.status, headers: response.headers, text, json, error: asObject(json.error) };
}

/** Returns what clients depend on: the status, and the error's type and code. */
export function verdict({ status, error }: Answer): string {
  return `${status} ${error.type} ${error.code}`;
}

export function chatBody(model: string, extra: object = {}): Readonly<Record<string, unknown>> {
  return { model, messages: [{ role: 'user', content: 'Hello!' }], ...extra };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/**
 * Sends the text over its own connection and reads until the server closes it or the response is complete; for requests that `fetch` would not
 * send, and for more concurrency than it supports.
 */
export function rawRequest(port: number, text: string, { endAfterSend = false } = {}): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const pieces: Buffer[] = [];
    const finish = () => {
      socket.destroy();
      resolve(rawAnswer(Buffer.concat(pieces).toString()));
    };
    socket.setTimeout(30_000, () => socket.destroy(new Error('no answer within 30 s')));
    socket.once('error', reject);
    socket.once('close', finish);
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      if (isComplete(Buffer.concat(pieces).toString())) finish();
    });
    socket.write(text, () => {
      if (endAfterSend) socket.end();
    });
  });
}

/** Parses an answer as it was sent. */
export function rawAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1] ?? 0), headers: head.toLowerCase(), body: rest.join('\r\n\r\n') };
}

/** Returns whether the text has the whole body that its `Content-Length` states. */
export function isComplete(text: string): boolean {
  const split = text.indexOf('\r\n\r\n');
  const length = /content-length: (\d+)/i.exec(text.slice(0, Math.max(0, split)))?.[1];
  return split > 0 && length !== undefined && Buffer.byteLength(text.slice(split + 4)) >= Number(length);
}

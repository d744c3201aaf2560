import { expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { Captures } from '../captures/captures.ts';
import type { Capture } from '../ports/capture-store.ts';
import { noted, overheard } from './captured-call.ts';
import type { OutboundStream } from './client-stream.ts';
import type { FormInbound } from './operation.ts';

const utf8 = new TextEncoder();
const silent = () => {};

async function keptOf(use: (capture: ReturnType<Captures['open']>) => Promise<void>): Promise<readonly Capture[]> {
  const kept: Capture[] = [];
  const add = async (captures: readonly Capture[]) => void kept.push(...captures);
  const captures = new Captures({
    store: { add },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
  });
  await use(captures.open({ requestId: 'r', accountId: 'acme', atMs: 1 }));
  await captures.record();
  return kept;
}

class Pieces implements OutboundStream {
  isCut = false;
  onPing: ((bytes: Uint8Array) => void) | null = null;
  hasLeft = false;

  constructor(private readonly texts: string[]) {}

  next(): Promise<Uint8Array | null> {
    const text = this.texts.shift();
    return Promise.resolve(text === undefined ? null : utf8.encode(text));
  }

  clientLeft(): void {
    this.hasLeft = true;
  }
}

function streamed(stream: OutboundStream, capture: ReturnType<Captures['open']>): OutboundStream {
  const outbound = noted({ kind: 'stream', headers: { 'content-type': 'text/event-stream' }, stream }, capture);
  if (outbound.kind !== 'stream') throw new Error('not a stream');
  return outbound.stream;
}

/** A class, whose methods need their `this`. */
class Call {
  private readonly bytes = utf8.encode('{"model":"m"}');
  readonly secret = 'sk-secret';
  refusal: Failure | null = null;

  get signal(): AbortSignal {
    return AbortSignal.timeout(this.bytes.length * 1_000);
  }

  async readBody(): Promise<Uint8Array | Failure> {
    return this.refusal ?? this.bytes;
  }

  async readForm(): Promise<Failure> {
    return new Failure('invalid_value', { message: `no form of ${this.bytes.length}` });
  }
}

const callOf = () => new Call() as unknown as FormInbound & { refusal: Failure | null };
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test('a stream that the client abandons is captured as far as it was sent', async () => {
  const inner = new Pieces(['one', 'two', 'three']);
  const [capture] = await keptOf(async (open) => {
    const stream = streamed(inner, open);
    await stream.next();
    await stream.next();
    stream.clientLeft();
  });
  expect(inner.hasLeft).toBe(true);
  expect(textOf(capture?.answer.bytes ?? new Uint8Array())).toBe('onetwo');
});

test('a captured stream passes on its pings and whether it was cut', async () => {
  const inner = new Pieces([]);
  await keptOf(async (open) => {
    const stream = streamed(inner, open);
    const send = () => {};
    stream.onPing = send;
    inner.isCut = true;
    expect([inner.onPing, stream.onPing, stream.isCut]).toEqual([send, send, true]);
    await stream.next();
  });
});

test('a captured call is read as before, with its body', async () => {
  const [capture] = await keptOf(async (open) => {
    const heard = overheard(callOf(), open);
    expect(textOf((await heard.readBody('acme')) as Uint8Array)).toBe('{"model":"m"}');
    expect([heard.secret, heard.signal.aborted]).toEqual(['sk-secret', false]);
    noted({ kind: 'whole', status: 200, headers: { 'content-type': 'application/json' }, body: '{}' }, open);
  });
  expect(textOf(capture?.request.bytes ?? new Uint8Array())).toBe('{"model":"m"}');
  expect(capture?.answer.size).toBe(2);
});

test.each([
  ['form', (heard: FormInbound) => heard.readForm('acme', {} as never)],
  ['not_read', (heard: FormInbound) => heard.readBody('acme')],
] as const)('the body of a request that is %s is not captured', async (omitted, read) => {
  const [capture] = await keptOf(async (open) => {
    const call = callOf();
    call.refusal = new Failure('payload_too_large', { message: 'too large' });
    await read(overheard(call, open));
    noted({ kind: 'whole', status: 400, headers: { 'content-type': 'application/json' }, body: '{}' }, open);
  });
  expect(capture?.request).toMatchObject({ bytes: new Uint8Array(0), size: null, omitted });
});

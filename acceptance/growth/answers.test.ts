import { describe, test } from 'bun:test';
import { ANSWERS, ERRORS, STREAMS } from '../../conformance/shared/made-answers.ts';
import { partsOfResponse } from '../../src/domain/exchange/response-parts.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { TranslatedStream } from '../../src/engine/operations/text/translated-stream.ts';
import { clientFormats, upstreamFormats } from '../../src/formats/index.ts';
import type { AnswerContext, ParsedRequest } from '../../src/formats/text/client-request.ts';
import type { ClientFormat, DecodeSource, StreamRelay } from '../../src/formats/text/format.ts';
import { instanceOf } from '../../src/providers/sandbox/in-process/json-schema/instance.ts';
import { expectLinear } from '../../tools/test/linear.ts';
import { SCHEMAS } from './schemas.ts';

/* Processing an upstream's response takes time proportional to its size, whatever it contains many times. */

const MOST = 4_000;
const PIECE_BYTES = 61;
const utf8 = new TextEncoder();
const source: DecodeSource = { provider: 'p', channel: 'c', quirks: [] };
const patch = { publicModel: 'public', routing: { json: '{}' }, created: 1, newId: String };
const HELLO: Readonly<Record<string, object>> = {
  'openai-chat': { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
  'openai-responses': { model: 'm', stream: true, input: 'Hi' },
  'anthropic-messages': { model: 'm', stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  'openai-completions': { model: 'm', stream: true, prompt: 'Hi', echo: true },
};

function requestOf(format: ClientFormat): ParsedRequest {
  const call = { purpose: 'generate', model: 'm', stream: true, framing: 'sse' } as const;
  const parsed = format.parseRequest(utf8.encode(JSON.stringify(HELLO[format.name])), call);
  if (parsed instanceof Failure) throw new Error(parsed.message);
  return parsed;
}

function contextOf(format: ClientFormat): AnswerContext {
  const parsed = requestOf(format);
  const request = format.decodeRequest(parsed);
  if (request instanceof Failure) throw new Error(request.message);
  let ids = 0;
  return {
    ...patch,
    parsed,
    request,
    created: 1,
    estimatedPromptTokens: () => 8,
    newId: (prefix) => `${prefix}${++ids}`,
  };
}

/** Makes each size once, for several measurements. */
function once<Made>(make: (count: number) => Made): (count: number) => Made {
  const made = new Map<number, Made>();
  return (count) => {
    const known = made.get(count) ?? make(count);
    made.set(count, known);
    return known;
  };
}

/** Feeds the stream in one piece, and in many small ones. */
function passThrough(stream: () => StreamRelay, bytes: Uint8Array): void {
  for (const length of [bytes.length, PIECE_BYTES]) {
    const relay = stream();
    for (let at = 0; at < bytes.length && relay.failure === null; at += length)
      relay.push(bytes.subarray(at, at + length));
    relay.end();
    relay.produced.sample();
  }
}

for (const upstream of upstreamFormats.values()) {
  const whole = Object.entries(ANSWERS[upstream.name] ?? {});
  const streamed = Object.entries(STREAMS[upstream.name] ?? {});
  const own = clientFormats.get(upstream.name);

  describe(`${upstream.name}: an answer with many`, () => {
    test.each(whole)('%s is decoded and encoded in every format', (_, make) => {
      const body = (count: number) => utf8.encode(JSON.stringify(make(count)));
      const decode = (bytes: Uint8Array) => {
        const response = upstream.decodeAnswer(bytes, source);
        if (response instanceof Failure) throw new Error(response.message);
        return response;
      };
      expectLinear(MOST, body, decode);
      const decoded = once((count) => decode(body(count)));
      for (const format of clientFormats.values()) {
        expectLinear(MOST, decoded, (response) => {
          format.encodeAnswer(response, contextOf(format));
          const encoder = format.encodeStream(contextOf(format));
          for (const part of partsOfResponse(response)) encoder.encode(part);
        });
      }
    });

    if (own !== undefined) {
      test.each(whole)('%s is relayed', (_, make) => {
        const body = (count: number) => utf8.encode(JSON.stringify(make(count)));
        expectLinear(MOST, body, (bytes) => {
          own.relayAnswer(bytes, patch);
          own.objects.issued(JSON.parse(new TextDecoder().decode(bytes)));
        });
      });
    }
  });

  describe(`${upstream.name}: a stream with many`, () => {
    const bytesOf = (make: (count: number) => string) => once((count) => utf8.encode(make(count)));

    test.each(streamed)('%s is encoded in every format', (_, make) => {
      const bytes = bytesOf(make);
      for (const format of clientFormats.values()) {
        const stream = () =>
          new TranslatedStream(upstream.decodeStream(source), format.encodeStream(contextOf(format)), null);
        expectLinear(MOST, bytes, (input) => passThrough(stream, input));
      }
    });

    if (own !== undefined) {
      test.each(streamed)('%s is relayed', (_, make) => {
        expectLinear(MOST, bytesOf(make), (bytes) => passThrough(() => own.relayStream(requestOf(own), patch), bytes));
      });
    }
  });

  describe(`${upstream.name}: an error with many`, () => {
    test.each(Object.entries(ERRORS))('%s is decoded and encoded in every format', (_, make) => {
      const body = (count: number) => utf8.encode(JSON.stringify(make(count)));
      expectLinear(MOST, body, (bytes) => {
        const failure = upstream.decodeFailure(400, new Headers(), bytes);
        for (const format of clientFormats.values()) format.encodeFailure(failure);
      });
    });
  });
}

describe('the sandbox', () => {
  test.each(Object.entries(SCHEMAS))('answers a schema of %s', (_, make) => {
    expectLinear(MOST, make, instanceOf);
  });

  const hostile: Readonly<Record<string, (count: number) => unknown>> = {
    'nested repetitions': (count) => ({
      type: 'string',
      pattern: `^(${'(a+)+'.repeat(count / 400)})+$`,
      minLength: count / 10,
    }),
    'a long pattern': (count) => ({ type: 'string', pattern: `^${'(a|b|[c-d]+)?'.repeat(count / 4)}$` }),
    'a pattern and a long value': (count) => ({
      type: 'string',
      pattern: '^(a|aa)+$',
      enum: [`${'a'.repeat(count * 10)}b`],
    }),
    'many patterns of names': (count) => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: count / 10 }, (_, index) => [`p${index}`, { type: 'string' }]),
      ),
      patternProperties: Object.fromEntries(
        Array.from({ length: count / 10 }, (_, index) => [`^(p+)+${index}$`, { minLength: 1 }]),
      ),
    }),
  };
  test.each(Object.entries(hostile))('answers a schema with %s', (_, make) => {
    expectLinear(MOST, make, instanceOf);
  });
});

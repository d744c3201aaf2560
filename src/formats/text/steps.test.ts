import { describe, expect, test } from 'bun:test';
import type { ExchangeRequest } from '../../domain/exchange/request.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { clientFormats } from '../index.ts';
import { textOf } from '../shared/json/json-writer.ts';
import { Turns } from '../shared/json/large-json.ts';
import { atOnce, inTurns, type Steps } from '../shared/request/steps.ts';
import type { InboundCall } from './client-request.ts';
import type { ClientFormat } from './format.ts';

const MESSAGES = 600;

const turns = Array.from({ length: MESSAGES }, (_, index) => ({ isAnswer: index % 2 === 1, text: `turn ${index}` }));

/** A long conversation in each format. */
const bodies: Readonly<Record<string, object>> = {
  'openai-chat': {
    model: 'm',
    messages: turns.map(({ isAnswer, text }) => ({ role: isAnswer ? 'assistant' : 'user', content: text })),
  },
  'openai-responses': {
    model: 'm',
    input: turns.map(({ isAnswer, text }) => ({
      role: isAnswer ? 'assistant' : 'user',
      content: [{ type: isAnswer ? 'output_text' : 'input_text', text }],
    })),
  },
  'anthropic-messages': {
    model: 'm',
    max_tokens: 10,
    messages: turns.map(({ isAnswer, text }) => ({ role: isAnswer ? 'assistant' : 'user', content: text })),
  },
  gemini: { contents: turns.map(({ isAnswer, text }) => ({ role: isAnswer ? 'model' : 'user', parts: [{ text }] })) },
};

function parsedIn(format: ClientFormat) {
  const isNamed = format.name === 'gemini';
  const call: InboundCall = { purpose: 'generate', model: isNamed ? 'm' : null, stream: null, framing: 'sse' };
  const parsed = format.parseRequest(new TextEncoder().encode(JSON.stringify(bodies[format.name])), call);
  if (parsed instanceof Failure) throw parsed;
  return parsed;
}

function counted<T>(steps: Steps<T>): { readonly count: number; readonly value: T } {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done === true) return { count, value: step.value };
  }
}

function decoded(format: ClientFormat): ExchangeRequest {
  const request = format.decodeRequest(parsedIn(format));
  if (request instanceof Failure) throw request;
  return request;
}

/** A relay-only format's request is a single message, so it has no steps. */
const formats = [...clientFormats.values()].filter(({ relayOnly }) => relayOnly !== true);

describe.each(formats.map((format) => [format.name, format] as const))('%s', (_, format) => {
  test('is decoded in a step per message, to the same result as at once', () => {
    const { count, value } = counted(format.decodeSteps(parsedIn(format)));
    expect(count).toBeGreaterThanOrEqual(MESSAGES);
    expect(value).toEqual(decoded(format));
  });

  test('is encoded in every client format in a step per message', () => {
    for (const upstream of formats) {
      const { carries } = upstream;
      const target = { upstreamModel: 'm', stream: false, provider: 'p', channel: 'c', quirks: [], carries };
      const atOne = upstream.encodeRequest(decoded(format), target);
      const steps = upstream.encodeSteps?.(decoded(format), target);
      if (steps === undefined || atOne instanceof Failure) throw new Error(upstream.name);
      const { count, value } = counted(steps);
      if (value instanceof Failure) throw value;
      expect(count).toBeGreaterThanOrEqual(MESSAGES);
      expect(textOf(value.body)).toBe(textOf(atOne.body));
    }
  });
});

test('other work runs before, between and after the steps', async () => {
  class CountedTurns extends Turns {
    count = 0;

    override get isOver(): boolean {
      return true;
    }

    override async next(): Promise<void> {
      this.count++;
    }
  }
  function* work(): Steps<string> {
    for (let index = 0; index < 10; index++) yield;
    return 'done';
  }
  const own = new CountedTurns();
  expect(await inTurns(work(), own)).toBe('done');
  expect(own.count).toBe(12);
  expect(atOnce(work())).toBe('done');
});

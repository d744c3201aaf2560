import { describe, expect, test } from 'bun:test';
import type { Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { longestTurnMs } from '../../../domain/testing/longest-turn.ts';
import { clientFormats } from '../../../formats/index.ts';
import type { InboundCall } from '../../../formats/text/client-request.ts';
import type { StreamRelay } from '../../../formats/text/format.ts';
import { ProducedText } from '../../../formats/text/shared/produced-text.ts';
import { type Asked, isReported, usageOfStream, usageOfWhole } from './produced-usage.ts';

const utf8 = new TextEncoder();
const call: InboundCall = { purpose: 'generate', model: null, stream: null, framing: 'sse' };
const prose = ' The cat sat on the mat and looked at the rain.';
const PROSE_TOKENS = 12;
/** Includes the tokens that a message and the start of an answer add. */
const PROMPT_TOKENS = PROSE_TOKENS + 7;

function asked(content = 'Hello'): Asked {
  const format = clientFormats.get('openai-chat');
  if (!format) throw new Error('there is no such format');
  const body = { model: 'm', messages: [{ role: 'user', content }] };
  const request = format.parseRequest(utf8.encode(JSON.stringify(body)), call);
  if (request instanceof Failure) throw new Error(request.message);
  return { accountId: 'acme', format, request };
}

function reported(said: Partial<Usage>): Usage {
  return { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, source: 'reported', ...said };
}

/** Makes a stream that has written `before`, then reported `usage`, then written `after`. */
function stream(before: string, usage: Usage | null, after = '', finished = false): StreamRelay {
  const produced = new ProducedText();
  produced.addText(before);
  if (usage !== null) produced.markReported();
  produced.addText(after);
  const none = new Uint8Array(0);
  return {
    produced,
    usage,
    served: { model: null, serviceTier: null },
    finished,
    started: true,
    failure: null,
    push: () => none,
    end: () => none,
  };
}

describe('a usage report is complete', () => {
  const usage = reported({ input: 3, output: 5 });
  test.each([
    ['at the end', true, stream(prose, usage, '', true)],
    ['with every chunk', true, stream(prose, usage)],
    ['without the end of what was written', false, stream(prose, usage, 'more')],
    ['for the prompt only', false, stream(prose, reported({ input: 3 }))],
    ['for the prompt, with nothing written', true, stream('', reported({ input: 3 }))],
    ['for nothing, with a whole response', false, stream(prose, reported({}), '', true)],
    ['for the completion only', false, stream(prose, reported({ output: 5 }), '', true)],
    ['missing', false, stream(prose, null, '', true)],
  ])('%s: %p', (_name, expected, relay) => expect(isReported(relay)).toBe(expected));
});

describe('the usage of a stream', () => {
  test('without a report is counted for prompt and completion', async () => {
    const usage = await usageOfStream(asked(prose), stream(prose, null));
    expect(usage).toEqual({
      ...reported({ input: PROMPT_TOKENS, output: PROSE_TOKENS }),
      source: 'estimated',
    });
  });

  test('with a reported prompt is counted for the completion only', async () => {
    const first = reported({ input: 20, cachedInput: 900, cacheWrite: 40, cacheWrite1h: 8, output: 1 });
    const usage = await usageOfStream(asked(), stream('', first, prose));
    expect(usage).toEqual({ ...first, output: PROSE_TOKENS, source: 'estimated' });
  });

  test('is never below the report', async () => {
    const usage = await usageOfStream(asked(), stream('', reported({ input: 9, output: 2, reasoning: 70 }), prose));
    expect(usage).toMatchObject({ input: 9, output: 2, reasoning: 70 });
  });

  test('with a reported completion is counted for the prompt only', async () => {
    const usage = await usageOfStream(asked(prose), stream(prose, reported({ output: 5, reasoning: 2 })));
    expect(usage).toMatchObject({ input: PROMPT_TOKENS, output: 5, reasoning: 2, source: 'estimated' });
  });

  test('that is long is extrapolated from its beginning', async () => {
    const times = 4_000;
    const usage = await usageOfStream(asked(), stream(prose.repeat(times), null));
    expect(usage.output / (PROSE_TOKENS * times)).toBeWithin(0.98, 1.02);
  });

  test('with a long prompt is extrapolated without blocking other work', async () => {
    await usageOfStream(asked(), stream('', null));
    const question = asked(prose.repeat(200_000));
    let usage: Awaited<ReturnType<typeof usageOfStream>> | undefined;
    const longestMs = await longestTurnMs(async () => {
      usage = await usageOfStream(question, stream('', null));
    });
    expect(longestMs).toBeLessThan(2_000);
    expect((usage?.input ?? 0) / (PROSE_TOKENS * 200_000)).toBeWithin(0.98, 1.02);
  });

  test('is counted one after another if many end at once, without blocking the process', async () => {
    let turns = 0;
    const ticking = setInterval(() => turns++, 0);
    const all = Array.from({ length: 50 }, () => usageOfStream(asked(prose.repeat(2_000)), stream(prose, null)));
    const usages = await Promise.all(all);
    clearInterval(ticking);
    expect(new Set(usages.map(({ input }) => input)).size).toBe(1);
    expect(turns).toBeGreaterThan(10);
  });
});

describe('the usage of a whole response without a report', () => {
  const message = {
    role: 'assistant',
    content: prose,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'sum', arguments: '{"a":1}' } }],
  };
  const answer = JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }] });

  test.each([
    ['text', answer],
    ['bytes', utf8.encode(answer)],
  ])('is counted for prompt, text and calls (%s)', async (_name, body) => {
    const usage = await usageOfWhole(asked(prose), body);
    expect(usage).toMatchObject({ input: PROMPT_TOKENS, source: 'estimated' });
    expect(usage.output).toBeWithin(17, 20);
  });

  test('is counted for the prompt only if the response is unreadable', async () => {
    expect(await usageOfWhole(asked(prose), '{"choices":[]}')).toMatchObject({ input: PROMPT_TOKENS, output: 0 });
  });
});

import { describe, expect, test } from 'bun:test';
import { sampleBillable } from '../../domain/exchange/testing/sample-usage.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { pause } from '../../domain/testing/until.ts';
import type { TextTarget } from '../directory/target.ts';
import type { AttemptTools } from './answer-parts.ts';
import { type AttemptInput, answerOf, ask, type StreamResult, type WholeResult } from './attempt.ts';
import type { Lane, LaneRequest } from './lane.ts';
import { fakePorts } from './testing/fake-ports.ts';
import type { Scripted } from './testing/fake-upstream.ts';
import * as answers from './testing/sample-answers.ts';
import { type Asked, bufferedOf, laneTo, preparedBy } from './testing/sample-lanes.ts';
import { channelOf, targetOf } from './testing/sample-routes.ts';

const MEBIBYTE = 1024 * 1024;
const text = (bytes: Uint8Array | string) => (typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes));

interface Asking extends Asked {
  readonly provider?: string;
  /** Overrides parts of the target that the channel makes. */
  readonly target?: Partial<TextTarget>;
  readonly input?: Partial<AttemptInput>;
}

async function attempt(tools: AttemptTools, input: AttemptInput) {
  const heard = await ask(tools, input);
  return heard instanceof Failure ? heard : await answerOf(tools, input, heard);
}

/** Makes one attempt at a channel that gives this answer. */
async function attempted(answer: Scripted | Failure, asking: Asking = {}) {
  const fakes = fakePorts();
  const { upstream } = fakes;
  upstream.script('a', answer);
  const target = { ...targetOf(channelOf('a', asking.provider ?? 'chatting'), asking.format), ...asking.target };
  const lane = laneTo(fakes.ports, target, asking);
  const heard: string[] = [];
  const { signal } = new AbortController();
  const result = await attempt(fakes.ports, {
    ...{ lane, prepared: await preparedBy(lane), stream: false, target, ids: null, timeouts: target.timeouts.whole },
    ...{
      isLast: false,
      deadlineMs: Number.POSITIVE_INFINITY,
      client: { signal },
      buffered: bufferedOf(MEBIBYTE),
      routing: target.routing,
    },
    outcome: { heard: () => heard.push('heard') },
    running: { answering: () => heard.push('answering'), heard: () => undefined, further: () => 0 },
    ...asking.input,
  });
  const [sent] = upstream.sent;
  return { ...fakes, result, heard, sent, target };
}

const attemptedStream = (answer: Scripted | Failure, asking: Asking = {}) =>
  attempted(answer, {
    ...asking,
    fields: { stream: true, ...asking.fields },
    input: { stream: true, ...asking.input },
  });

function whole(result: WholeResult | StreamResult | Failure): WholeResult {
  if (result instanceof Failure || result.kind !== 'whole') throw new Error('it is no whole answer');
  return result;
}

function stream(result: WholeResult | StreamResult | Failure): StreamResult {
  if (result instanceof Failure || result.kind !== 'stream') throw new Error('it is no stream');
  return result;
}

function failure(result: WholeResult | StreamResult | Failure): Failure {
  if (!(result instanceof Failure)) throw new Error('it has not failed');
  return result;
}

describe('a request to a target', () => {
  test("has its address, key and timeouts, and the client's signal", async () => {
    const timeouts = { connectMs: 1, firstByteMs: 2, idleMs: 3, totalMs: 4 };
    const client = { signal: new AbortController().signal };
    const { sent } = await attempted(answers.chatAnswer(), { input: { timeouts, client } });
    const headers = {
      authorization: 'Bearer key-of-a',
      accept: 'application/json',
      'content-type': 'application/json',
    };
    expect(sent?.request).toMatchObject({ url: 'http://a.example/v1/chat/completions', method: 'POST', headers });
    expect(sent?.request).toMatchObject({ timeouts, client });
    expect(JSON.parse(sent?.text ?? '')).toMatchObject({ model: 'up' });
  });

  test('accepts events for a stream', async () => {
    const { sent } = await attemptedStream(answers.sse(answers.chatText('Hi')));
    expect(sent?.request.headers).toMatchObject({ accept: 'text/event-stream', 'accept-encoding': 'identity' });
  });

  test('is signed last, with the provider’s changes to the body; the signature is then a secret', async () => {
    const { sent, target } = await attempted(answers.chatAnswer(), {
      target: {
        body: { remove: ['user'], add: { extra: '1' } },
        signer: async ({ url, body }) => ({
          'x-amz-security-token': `signed ${url} ${text(body instanceof Uint8Array ? body : '')}`,
        }),
      },
      fields: { user: 'u' },
    });
    expect(JSON.parse(sent?.text ?? '')).toMatchObject({ extra: 1, model: 'up' });
    expect(sent?.text).not.toContain('"user":"u"');
    const signature = `signed http://a.example/v1/chat/completions ${sent?.text}`;
    expect(sent?.request.headers).toMatchObject({ 'x-amz-security-token': signature });
    const quoting = new Failure('upstream_error', { message: `You sent ${signature}` });
    expect(target.secrets.cleaned(quoting).message).not.toContain(signature);
  });

  test('is not sent if it cannot be signed', async () => {
    const unsigned = new Failure('upstream_error', { kind: 'upstream_auth', message: 'The credentials have expired.' });
    const { result, sent } = await attempted(answers.chatAnswer(), { target: { signer: async () => unsigned } });
    expect(result).toBe(unsigned);
    expect(sent).toBeUndefined();
  });
});

describe('a whole response', () => {
  test('has the public name of its model, `_routing`, and its usage', async () => {
    const { result, heard } = await attempted(answers.chatAnswer('Hello'));
    const { answer, losses, routing } = whole(result);
    expect(JSON.parse(text(answer.body))).toMatchObject({ model: 'public-model', _routing: JSON.parse(routing.json) });
    expect(answer.billable).toMatchObject(sampleBillable({ input: 7, output: 5 }));
    expect(answer.served.model).toBe('up');
    expect(losses).toEqual([]);
    expect(heard).toEqual(['heard', 'answering']);
  });

  test('has started with its head, even if its body fails', async () => {
    const { result, heard } = await attempted({ pieces: ['{"id":', answers.reset()] });
    expect(failure(result).kind).toBe('reset');
    expect(heard).toEqual(['heard', 'answering']);
  });

  test.each([
    ['that is not JSON', { pieces: ['<html>'] }, 'garbage'],
    ['that is not a completion', answers.json({ ok: true }), 'garbage'],
    ['with an error in it', answers.json({ error: { message: 'Overloaded.', code: 503 } }), 'error_in_200'],
  ])('%s is a failure', async (_, answer, kind) => {
    const { result } = await attempted(answer);
    expect(failure(result)).toMatchObject({ kind, side: 'upstream' });
  });

  test('must fit into the remaining memory', async () => {
    const { result } = await attempted(answers.chatAnswer('x'.repeat(1_000)), { input: { buffered: bufferedOf(500) } });
    expect(failure(result)).toMatchObject({ kind: 'answer_memory_full', side: 'gateway', retry: 'never' });
  });

  test('is read up to a limit', async () => {
    const { sent } = await attempted(answers.chatAnswer());
    expect(sent?.body?.bounds).toMatchObject([{ limitBytes: 256 * MEBIBYTE }]);
  });
});

describe('several requests', () => {
  const bodies = ['one', 'two', 'three'].map((word) => new TextEncoder().encode(word));
  const [body = null, ...others] = bodies;
  const more = others.map((other, index) => ({
    body: other,
    headers: { 'content-type': `form; boundary=${index + 2}` },
  }));
  const headers = { 'content-type': 'form; boundary=1' };
  const prepared: LaneRequest = { body, more, headers, losses: [], extras: null };
  const served = { model: 'up', serviceTier: null };

  /** Makes one attempt of three requests, and joins their answers with commas. */
  async function several(...scripted: readonly (Scripted | Failure | Promise<Scripted>)[]) {
    return await severalUntil(Number.POSITIVE_INFINITY, prepared, ...scripted);
  }

  async function severalUntil(
    deadlineMs: number,
    requests: LaneRequest,
    ...scripted: readonly (Scripted | Failure | Promise<Scripted>)[]
  ) {
    const fakes = fakePorts();
    fakes.upstream.script('a', ...scripted);
    const target = targetOf(channelOf('a', 'chatting'));
    const heard: string[] = [];
    const lane: Lane<never> = {
      isRelayed: false,
      request: () => requests,
      answer: () => new Failure('internal_error', { message: 'It was read alone.' }),
      answers: async (parts) => ({
        ...{ body: parts.map(({ bytes }) => text(bytes)).join(), billable: null, served },
      }),
    };
    const result = await attempt(fakes.ports, {
      ...{
        lane,
        prepared: requests,
        stream: false,
        target,
        ids: null,
        timeouts: target.timeouts.whole,
        isLast: false,
        deadlineMs,
      },
      ...{ client: { signal: new AbortController().signal }, buffered: bufferedOf(100), routing: target.routing },
      outcome: { heard: () => heard.push('heard') },
      running: { answering: () => heard.push('answering'), heard: () => undefined, further: () => 0 },
    });
    return { result, heard, sent: fakes.upstream.sent };
  }

  test('have their responses joined in order', async () => {
    const { result, heard, sent } = await several({ pieces: ['1'] }, { pieces: ['2'] }, { pieces: ['3'] });
    expect(whole(result).answer.body).toBe('1,2,3');
    expect(sent.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    const types = sent.map(({ request }) => request.headers['content-type']);
    expect(types).toEqual([1, 2, 3].map((boundary) => `form; boundary=${boundary}`));
    expect(heard).toEqual(['heard', 'answering', 'heard', 'heard']);
  });

  test('are sent four at a time, and joined in order whichever finishes first', async () => {
    const slow = Promise.withResolvers<Scripted>();
    const further = Array.from({ length: 6 }, (_, at) => ({ body: new TextEncoder().encode(`${at + 2}`) }));
    const many = { ...prepared, more: further };
    const rest = Array.from({ length: 5 }, (_, at): Scripted => ({ pieces: [`${at + 3}`] }));
    const asked = severalUntil(Number.POSITIVE_INFINITY, many, { pieces: ['1'] }, slow.promise, ...rest);
    await pause();
    slow.resolve({ pieces: ['2'] });
    const { result, sent } = await asked;
    expect(whole(result).answer.body).toBe('1,2,3,4,5,6,7');
    expect(sent).toHaveLength(7);
  });

  test.each([
    ['is refused', answers.refusal(503), 'http_503'],
    ['gets no response', answers.reset(), 'reset'],
    ['gets a truncated response', { pieces: ['2', answers.reset()] }, 'reset'],
  ])('fail together if one %s, which cancels the others', async (_, answer, kind) => {
    const never = Promise.withResolvers<Scripted>();
    const { result, sent } = await several({ pieces: ['1'] }, answer, never.promise);
    expect(failure(result)).toMatchObject({ kind, details: { answeredParts: 1 } });
    expect(sent).toHaveLength(3);
  });

  test('share one deadline', async () => {
    const { result, sent } = await severalUntil(0, prepared, { pieces: ['1'] });
    expect(failure(result)).toMatchObject({ code: 'timeout_error', kind: 'total_timeout' });
    expect(sent).toHaveLength(1);
    const { sent: timed } = await severalUntil(1e9, prepared, { pieces: ['1'] }, { pieces: ['2'] }, { pieces: ['3'] });
    const [first, ...others] = timed.map(({ request }) => request.timeouts.totalMs);
    for (const totalMs of others) expect(totalMs).not.toBe(first);
  });

  test('share one memory for all their responses', async () => {
    const big = { pieces: ['x'.repeat(60)] };
    const { result } = await several(big, big, big);
    expect(failure(result).kind).toBe('answer_memory_full');
  });
});

describe('without a response', () => {
  test('a failure before the head is the result, and no head was received', async () => {
    const { result, heard } = await attempted(answers.reset());
    expect(failure(result).kind).toBe('reset');
    expect(heard).toEqual([]);
  });

  test.each([301, 400, 503])('a %d is a refusal with a head, and not the start of a response', async (status) => {
    const { result, heard } = await attemptedStream(answers.refusal(status, 'Not now.'));
    expect(failure(result).message).toContain('Not now.');
    expect(heard).toEqual(['heard']);
  });

  test('the message of a refusal is read up to a limit, else the status counts', async () => {
    const { result, sent } = await attempted({ status: 503, pieces: ['x'.repeat(MEBIBYTE)] });
    expect(sent?.body?.bounds).toEqual([{ limitBytes: 256 * 1024, withinMs: 10_000 }]);
    expect(failure(result)).toMatchObject({ kind: 'http_503', side: 'upstream' });
    const cut = await attempted({ status: 429, pieces: [answers.reset()] });
    expect(failure(cut.result).code).toBe('rate_limit_exceeded');
  });

  test('a client that disconnects meanwhile is reported as gone', async () => {
    const { result } = await attempted({ status: 503, pieces: [answers.clientLeft()] });
    expect(failure(result).code).toBe('client_closed_request');
  });
});

describe('a stream', () => {
  test('starts at its first content, with everything before it', async () => {
    const { result, heard, sent } = await attemptedStream(
      answers.sse(': wait\n\n', answers.chatText('Hel'), answers.chatText('lo')),
    );
    const { first, relay } = stream(result);
    expect(text(first)).toBe(`: wait\n${answers.chatText('Hel').replace('"up"', '"public-model"')}`);
    expect([relay.started, relay.finished]).toEqual([true, false]);
    expect(heard).toEqual(['heard', 'answering']);
    expect(sent?.body?.isCancelled).toBe(false);
    expect(await stream(result).body.read()).toEqual(new TextEncoder().encode(answers.chatText('lo')));
  });

  test.each([
    ['an error', [': wait\n\n', answers.CHAT_ERROR], 'error_in_200'],
    ['the end', [': wait\n\n'], 'empty_stream'],
    ['an end mark', [answers.CHAT_DONE], 'empty_stream'],
    ['a broken connection', [': wait\n\n', answers.reset()], 'reset'],
  ])('that starts with %s has failed, and another target may be called', async (_, pieces, kind) => {
    const { result, heard } = await attemptedStream(answers.sse(...pieces));
    expect(failure(result)).toMatchObject({ kind, side: 'upstream' });
    expect(failure(result).retry).not.toBe('never');
    expect(heard).toEqual(['heard']);
  });

  test('that starts with an error is cancelled', async () => {
    const { sent } = await attemptedStream(answers.sse(answers.CHAT_ERROR, answers.chatText('Hi')));
    expect(sent?.body?.isCancelled).toBe(true);
  });

  test('with content and an error in one piece is a stream that starts with the content', async () => {
    const { result, sent } = await attemptedStream(answers.sse(answers.chatText('Hel') + answers.CHAT_ERROR));
    expect(text(stream(result).first)).toContain('Hel');
    expect(stream(result).relay.failure?.kind).toBe('error_in_200');
    expect(sent?.body?.isCancelled).toBe(true);
  });

  test('that ends at once is a stream', async () => {
    const { chatText, CHAT_USAGE, CHAT_DONE } = answers;
    const { result, heard } = await attemptedStream(answers.sse(chatText('Hi', 'stop') + CHAT_USAGE + CHAT_DONE));
    expect(stream(result).relay).toMatchObject({ finished: true, usage: { input: 7, output: 5 } });
    expect(heard).toEqual(['heard', 'answering']);
  });

  test('that has opened waits for content if another target could respond, else starts at once', async () => {
    const { promise } = Promise.withResolvers<string>();
    const opening = answers.responseCreated();
    const asking = { format: 'openai-responses', provider: 'keeping' };
    const last = await attemptedStream(answers.sse(opening, promise), { ...asking, input: { isLast: true } });
    expect(text(stream(last.result).first)).toContain('response.created');
    expect(last.heard).toEqual(['heard']);
    stream(last.result).running?.answering();
    expect(last.heard).toEqual(['heard', 'answering']);
    const other = await attemptedStream(answers.sse(opening, answers.reset()), asking);
    expect(failure(other.result).kind).toBe('reset');
  });

  test('with a long preamble starts before its content', async () => {
    const comment = `: ${'x'.repeat(100_000)}\n\n`;
    const { promise } = Promise.withResolvers<string>();
    const { result, heard } = await attemptedStream(answers.sse(comment, comment, comment, promise));
    // The blank line of each comment is not relayed.
    expect(stream(result).first.length).toBe(3 * (comment.length - 1));
    expect(stream(result).relay.started).toBe(false);
    expect(heard).toEqual(['heard']);
  });

  test('that sends much without content must fit into memory', async () => {
    const piece = 'x'.repeat(200_000);
    const { result, sent } = await attemptedStream(answers.sse(`data: ${piece}`, piece, piece), {
      input: { buffered: bufferedOf(1_000) },
    });
    expect(failure(result).kind).toBe('answer_memory_full');
    expect(sent?.body?.isCancelled).toBe(true);
  });

  test('may arrive as one whole response', async () => {
    const { result, heard } = await attemptedStream(answers.chatAnswer('Hello'));
    const { first, relay, body } = stream(result);
    expect(text(first)).toContain('"content":"Hello"');
    expect(text(first)).toEndWith('data: [DONE]\n\n');
    expect(relay).toMatchObject({ finished: true, usage: { input: 7, output: 5 } });
    expect(await body.read()).toBeNull();
    expect(heard).toEqual(['heard', 'answering']);
  });

  test('that arrives as JSON without a completion has failed', async () => {
    const { result } = await attemptedStream(answers.json({ ok: true }));
    expect(failure(result).kind).toBe('garbage');
  });
});

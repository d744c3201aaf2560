import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ClientFormat } from '../format.ts';
import { openaiChat } from '../openai-chat/index.ts';
import { openaiCompletions } from '../openai-completions/index.ts';

/* How the two formats with choices read an unsuccessful end, in whole answers and in streams. */

const utf8 = new TextEncoder();
const SOURCE = { provider: 'acme', channel: 'acme-1', quirks: [] };

interface Reader {
  readonly name: string;
  /** Returns the failure of an answer with this text and finish reason, or how it ended. */
  read(text: string, reason: string): string;
}

const ended = (
  answer: Failure | { readonly candidates: readonly { readonly finish: { readonly unified: string } }[] },
) => (answer instanceof Failure ? `${answer.kind}, ${answer.retry}` : (answer.candidates[0]?.finish.unified ?? ''));

function endedStream(decoder: ReturnType<typeof openaiChat.decodeStream>, ...chunks: readonly object[]): string {
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`);
  const parts = [...decoder.push(utf8.encode(events.join(''))), ...decoder.end()];
  for (const part of parts) if (part.type === 'error') return `${part.failure.kind}, ${part.failure.retry}`;
  return parts.flatMap((part) => (part.type === 'finish' ? part.finish.unified : [])).join();
}

const PATCH = { publicModel: 'm', routing: { json: '{}' }, created: 1, newId: (prefix: string) => `${prefix}1` };

/** Maps OpenAI's finish reasons to the canonical ones. */
const unified = (reason: unknown) =>
  ({ length: 'length', content_filter: 'content-filter', stop: 'stop' })[String(reason)] ?? 'other';

function relayedWhole(format: ClientFormat, answer: object): string {
  const relayed = format.relayAnswer(utf8.encode(JSON.stringify(answer)), PATCH);
  if (relayed instanceof Failure) return `${relayed.kind}, ${relayed.retry}`;
  return unified(JSON.parse(new TextDecoder().decode(relayed.bytes)).choices[0].finish_reason);
}

function relayedStream(format: ClientFormat, ...chunks: readonly object[]): string {
  const parsed = format.parseRequest(
    utf8.encode('{"model":"m","prompt":"a","messages":[{"role":"user","content":"a"}],"stream":true}'),
    { purpose: 'generate', model: null, stream: null, framing: 'sse' },
  );
  if (parsed instanceof Failure) throw new Error(parsed.message);
  const relay = format.relayStream(parsed, PATCH);
  const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`);
  const sent = new TextDecoder().decode(relay.push(utf8.encode(events.join(''))));
  if (relay.failure !== null) return `${relay.failure.kind}, ${relay.failure.retry}`;
  return unified(/"finish_reason":"(\w+)"/.exec(sent)?.[1]);
}

const readers: readonly Reader[] = [
  {
    name: 'a whole chat completion',
    read: (content, finish_reason) => {
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason }];
      return ended(openaiChat.decodeAnswer(utf8.encode(JSON.stringify({ choices })), SOURCE));
    },
  },
  {
    name: 'a stream of a chat completion',
    read: (content, finish_reason) =>
      endedStream(
        openaiChat.decodeStream(SOURCE),
        { choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason }] },
      ),
  },
  {
    name: 'a whole text completion',
    read: (text, finish_reason) => {
      const answer = { choices: [{ index: 0, text, finish_reason }] };
      return ended(openaiCompletions.decodeAnswer(utf8.encode(JSON.stringify(answer)), SOURCE));
    },
  },
  {
    name: 'a stream of a text completion',
    read: (text, finish_reason) =>
      endedStream(openaiCompletions.decodeStream(SOURCE), { choices: [{ index: 0, text, finish_reason }] }),
  },
  {
    name: 'a relayed chat completion',
    read: (content, finish_reason) =>
      relayedWhole(openaiChat, { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }] }),
  },
  {
    name: 'a relayed stream of a chat completion',
    read: (content, finish_reason) =>
      relayedStream(
        openaiChat,
        { choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason }] },
      ),
  },
  {
    name: 'a relayed text completion',
    read: (text, finish_reason) => relayedWhole(openaiCompletions, { choices: [{ index: 0, text, finish_reason }] }),
  },
  {
    name: 'a relayed stream of a text completion',
    read: (text, finish_reason) => relayedStream(openaiCompletions, { choices: [{ index: 0, text, finish_reason }] }),
  },
];

describe.each(readers)('$name', ({ read }) => {
  test.each(['insufficient_system_resource', 'network_error', 'abort', 'error'])('%s is a failure', (reason) => {
    expect(read('', reason)).toMatch(/^(failed_generation|error_in_200), other-target$/);
    expect(read('Half', reason)).toMatch(/, other-target$/);
  });

  test('the end of the context is a length, and sensitive content is filtered', () => {
    expect(read('Half', 'model_context_window_exceeded')).toBe('length');
    expect(read('Half', 'sensitive')).toBe('content-filter');
  });

  test('an unknown reason is a failure without content', () => {
    expect(read('', 'tired')).toBe('failed_generation, other-target');
    expect(read('Whole', 'tired')).toBe('other');
  });
});

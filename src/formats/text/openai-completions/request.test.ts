import { expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { upstreamFormats } from '../../index.ts';
import { textOf } from '../../shared/json/json-writer.ts';
import type { UpstreamFormat } from '../format.ts';
import { openaiCompletions } from './index.ts';
import { decoded, parse } from './testing/support.ts';

/**
 * Returns the losses of encoding the request for an upstream, as `field: verdict`; the encoders use the client's own field names.
 */
function lossesOf(body: Readonly<Record<string, unknown>>, upstream: UpstreamFormat): readonly string[] {
  const { carries } = upstream;
  const to = { upstreamModel: 'up-1', stream: false, provider: 'p', channel: 'c', quirks: [], carries };
  const encoded = upstream.encodeRequest(decoded(body), to);
  if (encoded instanceof Failure) throw encoded;
  return encoded.losses.map(({ field, verdict }) => `${field}: ${verdict}`).toSorted();
}

const chat = upstreamFormats.get('openai-chat') ?? expect.unreachable();

test('a chat request has the prompt as user message, and every setting mapped', () => {
  const body = {
    ...{ prompt: ['Say hi'], max_tokens: 9, temperature: 0, top_p: 0.5, n: 2, best_of: 2, seed: 3, stop: ['a', 'b'] },
    ...{ presence_penalty: 1, frequency_penalty: -1, logit_bias: { 50256: -100 }, logprobs: 3, user: 'u' },
  };
  const to = { upstreamModel: 'up-1', stream: true, provider: 'p', channel: 'c', quirks: [], carries: chat.carries };
  const encoded = chat.encodeRequest(decoded(body), to);
  if (encoded instanceof Failure) throw encoded;
  expect(JSON.parse(textOf(encoded.body))).toEqual({
    ...{ model: 'up-1', messages: [{ role: 'user', content: 'Say hi' }], stream: true, n: 2, seed: 3, user: 'u' },
    ...{ stream_options: { include_usage: true }, max_tokens: 9, temperature: 0, top_p: 0.5, stop: ['a', 'b'] },
    ...{ presence_penalty: 1, frequency_penalty: -1, logit_bias: { 50256: -100 }, logprobs: true, top_logprobs: 3 },
  });
  expect(encoded.losses).toEqual([]);
});

test.each([
  [{}, null],
  [{ max_tokens: 0 }, 0],
  [{ max_tokens: 7 }, 7],
  [{ max_tokens: -1 }, null],
])('the limit of %j is %p: a chat ends by itself', (body, bound) => {
  expect(decoded(body).maxOutputTokens).toBe(bound);
});

test.each([
  [{ prompt: ['a', 'b'] }, 'prompt: refused'],
  [{ prompt: [1, 2] }, 'prompt: refused'],
  [{ prompt: [[1, 2]] }, 'prompt: refused'],
  [{ prompt: '' }, 'prompt: refused'],
  [{ prompt: [''] }, 'prompt: refused'],
  [{ prompt: null }, 'prompt: refused'],
  [{ suffix: 'end' }, 'suffix: refused'],
  [{ best_of: 3 }, 'best_of: refused'],
  [{ best_of: 1, n: 2 }, 'best_of: refused'],
  [{ max_tokens: 0 }, 'max_tokens: refused'],
  [{ echo: true, logprobs: 0 }, 'echo: refused'],
  [{ echo: true, prompt: 'x'.repeat(200_000), n: 128 }, 'echo: refused'],
  [{ response_format: { type: 'json_object' } }, 'response_format: refused'],
  [{ messages: [] }, 'messages: refused'],
  [{ min_p: 0.1 }, 'min_p: dropped'],
  [{ invented: 1 }, 'invented: dropped'],
  [{ stream_options: { include_obfuscation: true } }, 'stream_options.include_obfuscation: dropped'],
])('%.80j cannot be a chat request, and is reported', (body, loss) => expect(lossesOf(body, chat)).toEqual([loss]));

test.each([
  [{ suffix: '' }],
  [{ suffix: null }],
  [{ best_of: 1 }],
  [{ best_of: 2, n: 2 }],
  [{ echo: false, logprobs: 1 }],
  [{ echo: true }],
  [{ logprobs: false, echo: true }],
  [{ stream_options: { include_usage: true } }],
])('%j loses nothing', (body) => expect(lossesOf(body, chat)).toEqual([]));

test.each([
  [{ prompt: undefined }, 'prompt', 'missing_required_parameter'],
  [{ prompt: 7 }, 'prompt', 'invalid_type'],
  [{ prompt: [] }, 'prompt', 'invalid_type'],
  [{ prompt: ['a', 1] }, 'prompt', 'invalid_type'],
  [{ prompt: [1, 'a'] }, 'prompt', 'invalid_type'],
  [{ prompt: [[]] }, 'prompt', 'invalid_type'],
  [{ prompt: [1.5] }, 'prompt', 'invalid_type'],
  [{ prompt: [-1] }, 'prompt', 'invalid_type'],
  [{ prompt: { __proto__: 'a' } }, 'prompt', 'invalid_type'],
  [{ max_tokens: -2 }, 'max_tokens', 'invalid_value'],
  [{ n: 0 }, 'n', 'invalid_value'],
  [{ logprobs: 'yes' }, 'logprobs', 'invalid_type'],
  [{ echo: 'yes' }, 'echo', 'invalid_type'],
  [{ temperature: 3 }, 'temperature', 'invalid_value'],
  [{ stop: [1] }, 'stop[0]', 'invalid_type'],
  [{ Prompt: 'a' }, 'Prompt', 'invalid_value'],
])('%j is refused by name', (body, param, code) => {
  const failure = parse(body);
  expect(failure instanceof Failure && [failure.details.param, failure.code]).toEqual([param, code]);
});

test('the test of a channel is encoded as a prompt', () => {
  const { carries, encodeRequest } = openaiCompletions;
  const to = { upstreamModel: 'up-1', stream: true, provider: 'p', channel: 'c', quirks: [], carries };
  const encoded = encodeRequest(decoded({ prompt: 'Reply', max_tokens: 9 }), to);
  if (encoded instanceof Failure) throw encoded;
  expect(JSON.parse(textOf(encoded.body))).toEqual({
    ...{ model: 'up-1', prompt: 'Reply', max_tokens: 9, stream: true, stream_options: { include_usage: true } },
  });
});

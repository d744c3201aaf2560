import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { clientFormats } from '../index.ts';
import type { ParsedRequest } from './client-request.ts';

/* Every format must report the model and tier that an answer names: relayed and translated, whole, streamed, and cut off. */

const SERVED = { model: 'the-other', serviceTier: 'priority' };
const { model, serviceTier: service_tier } = SERVED;
const SOURCE = { provider: 'p', channel: 'c', quirks: [] };
const utf8 = new TextEncoder();
const patch = { publicModel: 'public', routing: { json: '{}' }, created: 1, newId: String };
const REQUEST: ParsedRequest = {
  call: { purpose: 'generate', model: null, stream: true, framing: 'sse' },
  ...{ model: 'public', stream: true, wantsStreamUsage: true, bytes: utf8.encode('{}'), body: {} },
};

interface Answers {
  readonly whole: object;
  readonly events: readonly object[];
  /** The tier is known only at the end of the stream. */
  readonly tierIsLate?: true;
}

const chatUsage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const responsesUsage = { input_tokens: 3, output_tokens: 2, total_tokens: 5 };
const geminiUsage = { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 };
const hi = { role: 'model', parts: [{ text: 'Hi' }] };

const ANSWERS: Readonly<Record<string, readonly Answers[]>> = {
  'openai-chat': [
    {
      whole: {
        ...{ id: 'c', model, service_tier, usage: chatUsage },
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
      },
      events: [
        { id: 'c', model, service_tier: 'auto', choices: [{ index: 0, delta: { content: 'Hi' } }] },
        { id: 'c', model, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
        { id: 'c', model, service_tier, choices: [], usage: chatUsage },
      ],
      tierIsLate: true,
    },
  ],
  'openai-responses': [
    {
      whole: {
        ...{ id: 'r', object: 'response', model, service_tier, status: 'completed', usage: responsesUsage },
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
      },
      events: [
        { type: 'response.created', response: { id: 'r', model, service_tier: 'auto', output: [] } },
        { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi' },
        {
          type: 'response.completed',
          response: { id: 'r', model, service_tier, status: 'completed', output: [], usage: responsesUsage },
        },
      ],
      tierIsLate: true,
    },
  ],
  'anthropic-messages': [
    {
      whole: {
        ...{ id: 'm', type: 'message', role: 'assistant', model, stop_reason: 'end_turn' },
        content: [{ type: 'text', text: 'Hi' }],
        usage: { input_tokens: 3, output_tokens: 2, service_tier },
      },
      events: [
        {
          type: 'message_start',
          message: { id: 'm', model, content: [], usage: { input_tokens: 3, output_tokens: 1, service_tier } },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
        { type: 'message_stop' },
      ],
    },
  ],
  gemini: [{ serviceTier: 'PRIORITY' }, { trafficType: 'ON_DEMAND_PRIORITY' }].map((tier) => {
    const chunk = { modelVersion: model, usageMetadata: { ...geminiUsage, ...tier } };
    return {
      whole: { ...chunk, candidates: [{ index: 0, finishReason: 'STOP', content: hi }] },
      events: [
        { ...chunk, candidates: [{ index: 0, content: hi }] },
        { ...chunk, candidates: [{ index: 0, finishReason: 'STOP', content: hi }] },
      ],
    };
  }),
};

const text = (events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');

describe.each(
  [...clientFormats.values()].flatMap((format) => (ANSWERS[format.name] ?? []).map((one) => [format, one])),
)('%p', (format, { whole, events, tierIsLate }) => {
  const bytes = utf8.encode(JSON.stringify(whole));

  test('the model and tier are read from a whole response', () => {
    const relayed = format.relayAnswer(bytes, patch);
    const decoded = format.decodeAnswer(bytes, SOURCE);
    if (relayed instanceof Failure || decoded instanceof Failure) throw new Error('it is an answer');
    expect(relayed.served).toEqual(SERVED);
    expect(decoded).toMatchObject(SERVED);
  });

  test('the model and tier are read from a stream', () => {
    const relay = format.relayStream(REQUEST, patch);
    relay.push(utf8.encode(text(events)));
    expect(relay.served).toEqual(SERVED);
    const decoder = format.decodeStream(SOURCE);
    const parts = [...decoder.push(utf8.encode(text(events))), ...decoder.end()];
    expect(parts[0]).toMatchObject({ type: 'start', model });
    expect(parts.findLast(({ type }) => type === 'usage')).toMatchObject({ serviceTier: service_tier });
  });

  test('the model is read from a stream that is cut off', () => {
    const relay = format.relayStream(REQUEST, patch);
    relay.push(utf8.encode(text(events.slice(0, 1))));
    expect(relay.served).toEqual({ model, serviceTier: tierIsLate === true ? 'auto' : service_tier });
  });
});

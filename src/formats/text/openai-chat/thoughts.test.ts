import { describe, expect, test } from 'bun:test';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Part } from '../../../domain/exchange/part.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import { openaiChat } from './index.ts';
import { answerContext, requestOf } from './testing/exchange.ts';

const stateOf = (family: OpaqueState['family'], data: string): OpaqueState => ({
  ...{ family, data, provider: 'somebody', channel: 'main' },
});

const plain: Part = { type: 'reasoning', text: 'Hm — “天気”', state: stateOf('openai-chat', '') };
const signed: Part = { type: 'reasoning', text: 'So.', state: stateOf('anthropic', 'sig') };
const unshown: Part = { type: 'reasoning', text: '', state: stateOf('anthropic', 'a signature alone') };
const withheld: Part = { type: 'reasoning', text: '', redacted: true, state: stateOf('anthropic', 'data') };
const words: Part = { type: 'text', text: 'I look.' };

/** Returns the message that a client assembles. */
function answered(parts: readonly Part[], body: Record<string, unknown>): Record<string, any> {
  const finish = { unified: 'stop', raw: null } as const;
  const response = { id: null, created: 1, candidates: [{ index: 0, parts, finish }], usage: null };
  const whole = JSON.parse(openaiChat.encodeAnswer(response, answerContext(body))).choices[0].message;
  const encoder = openaiChat.encodeStream(answerContext(body));
  const stream: any = { role: 'assistant', content: '', reasoning_content: '', reasoning_details: [] };
  for (const frame of partsOfResponse(response).flatMap((part) => encoder.encode(part).split('\n\n'))) {
    if (!frame.startsWith('data: {')) continue;
    const delta = JSON.parse(frame.slice(6)).choices[0]?.delta ?? {};
    for (const key of ['content', 'reasoning_content']) stream[key] += delta[key] ?? '';
    stream.reasoning_details.push(...(delta.reasoning_details ?? []));
  }
  return { whole, stream };
}

describe.each(['whole', 'stream'])('%s', (form) => {
  test.each([{}, { reasoning_effort: 'low' }])('reasoning is beside the content, requested or not: %j', (body) => {
    const message = answered([plain, words], body)[form];
    expect(message).toMatchObject({ content: 'I look.', reasoning_content: 'Hm — “天気”' });
  });

  test('signed reasoning without text is not taken for redacted reasoning', () => {
    const message = answered([unshown, withheld, words], {})[form];
    const { messages } = requestOf({ messages: [{ role: 'user', content: 'Hi' }, message] });
    expect(messages[1]?.parts.map(({ path: _, ...part }) => part)).toEqual([unshown, withheld, words]);
  });

  test.each([
    { reasoning: { exclude: true } },
    { include_reasoning: false },
    { google: { thinking_config: { include_thoughts: false } } },
  ])('excluded reasoning is hidden, and still restored: %j', (body) => {
    const parts = [plain, signed, unshown, withheld, words];
    const message = answered(parts, body)[form];
    expect(message.reasoning_content || undefined).toBeUndefined();
    expect(JSON.stringify(message)).not.toContain('So.');
    const { messages } = requestOf({ messages: [{ role: 'user', content: 'Hi' }, message] });
    expect(messages[1]?.parts.map(({ path: _, ...part }) => part)).toEqual(parts);
  });
});

import { expect, test } from 'bun:test';
import { emptyRequest } from '../../domain/exchange/request.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { textOf } from '../shared/json/json-writer.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { openaiResponses } from './openai-responses/index.ts';
import type { Quirk } from './quirk.ts';

/* Instructions in mid-conversation, sent to servers that speak a vendor's format but know fewer roles than the vendor. */

const LATE: Quirk = { kind: 'lacks', feature: 'system-prompt-midway', verdict: 'approximated', why: 'it is refused' };
const DEVELOPER: Quirk = { kind: 'role', from: 'developer', to: 'system', why: 'it is not known' };

test('a Messages server without the `system` role is never sent one, even from a client of the format', () => {
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'system', content: 'Be quick.' },
  ];
  expect(anthropicMessages.relayBreach?.([LATE])?.({ messages })).toBe(true);
  expect(anthropicMessages.relayBreach?.([LATE])?.({ messages: messages.slice(0, 1) })).toBe(false);
  const bytes = new TextEncoder().encode(JSON.stringify({ model: 'm', max_tokens: 5, messages }));
  const call = { purpose: 'generate', model: null, stream: null, framing: 'sse' } as const;
  const parsed = anthropicMessages.parseRequest(bytes, call);
  if (parsed instanceof Failure) throw new Error(parsed.message);
  const request = anthropicMessages.decodeRequest(parsed);
  if (request instanceof Failure) throw new Error(request.message);
  const carries = { ...anthropicMessages.carries };
  const target = {
    upstreamModel: 'up',
    ruleModel: 'up',
    stream: false,
    provider: 'p',
    channel: 'c',
    quirks: [LATE],
    carries,
  };
  const encoded = anthropicMessages.encodeRequest(request, target);
  if (encoded instanceof Failure) throw new Error(encoded.message);
  const body = JSON.parse(textOf(encoded.body));
  expect(body.messages.map(({ role }: { role: string }) => role)).not.toContain('system');
  expect(JSON.stringify(body.messages)).toContain('Be quick.');
  expect(encoded.losses.map(({ verdict }) => verdict)).toEqual(['approximated']);
});

test('a Responses server without the `developer` role gets `system`, or user text later on', () => {
  const input = [{ role: 'developer', content: 'Be kind.' }];
  expect(openaiResponses.relayBreach?.([DEVELOPER])?.({ input })).toBe(true);
  const text = (words: string) => [{ type: 'text', text: words }] as const;
  const request = {
    ...emptyRequest('gemini', {}),
    messages: [
      { role: 'developer', parts: text('Be kind.') },
      { role: 'user', parts: text('Hi') },
      { role: 'developer', parts: text('Be quick.') },
    ] as const,
  };
  const { verdict, why } = { verdict: 'approximated', why: 'it is refused' } as const;
  const carries = { ...openaiResponses.carries, 'system-prompt-midway': { verdict, why } };
  const target = {
    upstreamModel: 'up',
    ruleModel: 'up',
    stream: false,
    provider: 'p',
    channel: 'c',
    quirks: [DEVELOPER, LATE],
    carries,
  };
  const encoded = openaiResponses.encodeRequest(request, target);
  if (encoded instanceof Failure) throw new Error(encoded.message);
  const roles = JSON.parse(textOf(encoded.body)).input.map(({ role }: { role: string }) => role);
  expect(roles).toEqual(['system', 'user', 'user']);
});

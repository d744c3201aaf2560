import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { openaiCompletions } from './index.ts';

const utf8 = new TextEncoder();

describe('a whole response is relayed', () => {
  const patch = { publicModel: 'public', routing: { json: '{"cached":false}' }, created: 1, newId: String };
  const relay = (text: string) => openaiCompletions.relayAnswer(utf8.encode(text), patch);

  test('byte for byte except for the model and _routing, and its usage is read', () => {
    const text =
      '{"id":"cmpl-1", "object":"text_completion","created":5,"odd":1.50,"model":"up","choices":[{"text":"é\\u00e9","index":0,"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":4}}';
    const relayed = relay(text);
    if (relayed instanceof Failure) throw relayed;
    const expected = `${text.replace('"up"', '"public"').slice(0, -1)},"_routing":{"cached":false}}`;
    expect(new TextDecoder().decode(relayed.bytes)).toBe(expected);
    expect(relayed.usage).toMatchObject({ input: 3, output: 4 });
  });

  test.each([
    '{"error":{"message":"No","code":429}}',
    '{"choices":[{"message":{"content":"a chat"}}]}',
    '{"choices":[]}',
  ])('unless it is invalid: %s', (text) => expect(relay(text)).toBeInstanceOf(Failure));
});

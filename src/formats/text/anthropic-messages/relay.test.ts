import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { applyEdits } from '../../shared/json/json-patch.ts';
import { relayCount } from '../../shared/stream/relay-pieces.ts';
import { anthropicMessages } from './index.ts';
import { MESSAGE, patch } from './testing/samples.ts';

const bytes = (value: unknown) => new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

describe('a relayed exchange', () => {
  test('has only the model changed in the request', () => {
    const text = '{ "max_tokens" : 1,"model":"public" , "messages":[{"role":"user","content":"x"}], "x": 1.0}';
    const parsed = anthropicMessages.parseRequest(bytes(text), {
      purpose: 'generate',
      model: null,
      stream: null,
      framing: 'sse',
    });
    if (parsed instanceof Failure) throw new Error(parsed.message);
    const up = new TextDecoder().decode(applyEdits(parsed.bytes, anthropicMessages.relayEdits(parsed, 'claude-x')));
    expect(up).toBe(text.replace('"public"', '"claude-x"'));
  });

  test('has the model and _routing in the response, and a count has _routing', () => {
    const relayed = anthropicMessages.relayAnswer(bytes(MESSAGE), patch);
    if (relayed instanceof Failure) throw new Error(relayed.message);
    const expected = JSON.stringify(MESSAGE).replace('"claude-x"', '"public"').slice(0, -1);
    expect(new TextDecoder().decode(relayed.bytes)).toBe(`${expected},"_routing":${patch.routing.json}}`);
    expect(relayed.usage).toMatchObject({ input: 5, output: 7 });
    const counted = relayCount(bytes('{"input_tokens": 3}'), patch.routing);
    expect(new TextDecoder().decode(counted ?? undefined)).toBe(`{"input_tokens": 3,"_routing":${patch.routing.json}}`);
  });

  test('with an invalid body is a failure', () => {
    expect(anthropicMessages.relayAnswer(bytes('nope'), patch)).toMatchObject({ kind: 'garbage' });
    expect(anthropicMessages.relayAnswer(bytes({}), patch)).toMatchObject({ kind: 'garbage' });
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(anthropicMessages.relayAnswer(bytes(error), patch)).toMatchObject({ kind: 'http_529' });
  });
});

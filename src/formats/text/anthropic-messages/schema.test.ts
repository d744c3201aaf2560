import { describe, expect, test } from 'bun:test';
import { Failure } from '../../../domain/failure/failure.ts';
import { anthropicMessages } from './index.ts';
import { count, generate, parse } from './testing/samples.ts';

describe('a body', () => {
  const refusal = (body: unknown, call = generate) => {
    const parsed = anthropicMessages.parseRequest(new TextEncoder().encode(JSON.stringify(body)), call);
    return parsed instanceof Failure ? [parsed.code, parsed.details.param, parsed.message] : null;
  };
  const fine = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] };

  test('is refused by the name of the invalid field', () => {
    expect(refusal({ ...fine, max_tokens: undefined })?.slice(0, 2)).toEqual([
      'missing_required_parameter',
      'max_tokens',
    ]);
    expect(refusal({ ...fine, messages: [] })?.[1]).toBe('messages');
    expect(refusal({ ...fine, messages: [{ role: 'tool', content: 'x' }] })).toEqual([
      'invalid_value',
      'messages[0].role',
      'messages[0].role must be one of "user", "assistant", "system"; got "tool"',
    ]);
    expect(refusal({ ...fine, messages: [{ role: 'user', content: [{ type: 'text' }] }] })?.[1]).toBe(
      'messages[0].content[0].text',
    );
    expect(
      refusal({ ...fine, messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url' } }] }] })?.[1],
    ).toBe('messages[0].content[0].source.url');
    expect(refusal({ ...fine, tools: [{ name: 'x' }] })?.[1]).toBe('tools[0].input_schema');
    expect(refusal({ ...fine, tool_choice: { type: 'required' } })?.[1]).toBe('tool_choice.type');
    expect(refusal({ ...fine, temperature: 1.5 })?.[1]).toBe('temperature');
  });

  test('with future members passes', () => {
    expect(
      refusal({ ...fine, x: 1, thinking: { type: 'dreaming' }, tools: [{ type: 'tool_2030', any: 1 }] }),
    ).toBeNull();
    expect(refusal({ ...fine, max_tokens: undefined }, count)).toBeNull();
    expect(parse({ ...fine, stream: true }).stream).toBe(true);
  });
});

test('the key is read from its own header or a Bearer token', () => {
  const secret = (headers: Record<string, string>) => anthropicMessages.secret(new Headers(headers), '/v1/messages');
  expect(secret({ 'x-api-key': 'sk-1' })).toBe('sk-1');
  expect(secret({ authorization: 'Bearer sk-2' })).toBe('sk-2');
  expect(secret({ authorization: 'Basic x' })).toBeNull();
  expect(secret({})).toBeNull();
});

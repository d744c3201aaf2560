import { describe, expect, test } from 'bun:test';
import { anthropicMessages } from '../../formats/anthropic-messages/index.ts';
import { clientFormats } from '../../formats/index.ts';
import { openaiResponses } from '../../formats/openai-responses/index.ts';
import { headerProblem } from './relay-lane.ts';

const problem = (format: typeof anthropicMessages, headers: Record<string, string>) =>
  headerProblem(format, { header: (name) => headers[name] ?? null });

describe('a header that goes up is checked', () => {
  test.each([
    ['anthropic-beta', 'claude-code-20250219,interleaved-thinking-2025-05-14, fine-grained-tool-streaming-2025-05-14'],
    ['anthropic-beta', ''],
    ['anthropic-beta', 'one'],
    ['anthropic-version', '2023-06-01'],
    ['anthropic-version', 'bedrock-2023-05-31'],
  ])('%s: %s passes', (name, value) => {
    expect(problem(anthropicMessages, { [name]: value })).toBeNull();
  });

  test('openai-beta: assistants=v2, responses=v1 passes', () => {
    expect(problem(openaiResponses, { 'openai-beta': 'assistants=v2, responses=v1' })).toBeNull();
  });

  const WRONG = ['a\nb', 'a\u0000b', 'é', '\u{1f600}', 'a b', 'a;b', 'a,,b', '{"a":1}', '<a>', 'x'.repeat(129)];
  const TOO_MANY = [
    Array.from({ length: 65 }, (_, at) => `b${at}`).join(','),
    'abcdefghij,'.repeat(300),
    ','.repeat(9),
  ];
  for (const format of clientFormats.values()) {
    for (const { name } of format.relayedHeaders) {
      test.each([...WRONG, ...TOO_MANY])(`${format.name}: ${name}: %j is refused and named`, (value) => {
        const failure = problem(format, { [name]: value });
        expect(failure).toMatchObject({ code: 'invalid_value', status: 400, details: { param: name } });
        expect(failure?.message).toStartWith(`The header \`${name}\` must be `);
      });
    }
  }

  test('a long one takes no time', () => {
    const { user } = process.cpuUsage();
    problem(anthropicMessages, { 'anthropic-beta': `${'a ,'.repeat(50_000)}!` });
    problem(anthropicMessages, { 'anthropic-beta': `${'a'.repeat(50_000)}!` });
    expect(process.cpuUsage().user - user).toBeLessThan(50_000);
  });
});

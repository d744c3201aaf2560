import { STATE_MARKER, wrapState } from '../../src/formats/text/shared/state-token.ts';
import type { Random } from './random.ts';

/** Names with a meaning in JavaScript or in a format, used in other places. */
export const ODD_NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'toJSON',
  'valueOf',
  'then',
  'length',
  '',
  '0',
  'a.b[0]',
  'ключ "\u2028"',
  'type',
  'id',
  'index',
  'error',
  'text',
  'content',
  'signature',
  'thoughtSignature',
  'encrypted_content',
  'reasoning_content',
  'reasoning_details',
  'extra_content',
  'tool_calls',
  'functionCall',
  'partialArgs',
  'willContinue',
  'thought',
  'usage',
  'annotations',
  'citations',
  'logprobs',
  'cache_control',
  '_routing',
];

/** Placeholders for numbers that JSON allows and `JSON.stringify` cannot write; `jsonText` writes them. */
const NUMBERS: readonly string[] = [
  '1e400',
  '-1e400',
  '-0',
  '9007199254740993',
  '1e-400',
  '123456789012345678901234567890',
];
const NUMBER_MARK = 'the number ';

const WORDS: readonly string[] = [
  '',
  ' ',
  'null',
  'NaN',
  'Infinity',
  '-1',
  'true',
  '[DONE]',
  '{"a":',
  '{"a":1}',
  '[]',
  '"',
  '\\',
  '\ud800',
  '\udc00 \ud83d',
  '\ufeff{}',
  '\u0000',
  'a\r\ndata: {}\n\n',
  '\u2028',
  'data:image/png;base64,iVBORw0KGgo=',
  'data:;base64,',
  'data:text/plain,a%zz',
  'data:application/pdf;base64,@@@',
  'https://example.com/a.png',
  'https://[',
  'gs://bucket/a',
  'unknown_type',
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'function_call',
  'message',
  'reasoning',
  'image',
  'image_url',
  'stop',
  'tool_calls',
  'constructor',
  '__proto__',
];

/** Returns a value that is unexpected where it is placed, or that would be valid elsewhere. */
export function oddValue(random: Random): unknown {
  switch (random.below(12)) {
    case 0:
      return null;
    case 1:
      return random.pick([0, -1, 1, 1.5, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, -1e300, 4_294_967_295, 1e9]);
    case 2:
      return NUMBER_MARK + random.pick(NUMBERS);
    case 3:
      return random.chance(0.5);
    case 4:
      return random.pick([[], {}, [[]], [{}], [null], { '': null }]);
    case 5:
      return Object.fromEntries(ODD_NAMES.slice(0, 8).map((name) => [name, random.pick(WORDS)]));
    case 6:
      return nested(random.pick([3, 40, 300]), random.chance(0.5));
    case 7:
      return stateToken(random);
    case 8:
      return { type: random.pick(WORDS), text: random.pick(WORDS), id: random.pick(WORDS), name: random.pick(WORDS) };
    case 9:
      return random.pick(WORDS).repeat(random.pick([1, 2, 2_000]));
    default:
      return random.pick(WORDS);
  }
}

/** Returns a text that is unexpected as a value. */
export function oddText(random: Random): string {
  return random.chance(0.1) ? stateToken(random) : random.pick(WORDS);
}

export function nested(levels: number, inArrays: boolean): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level++) value = inArrays ? [value] : { a: value };
  return value;
}

const FAMILIES = ['anthropic', 'google', 'openai-responses', 'openai-chat', 'cohere'] as const;

/** Returns a state token of the gateway, well-formed or damaged. */
export function stateToken(random: Random): string {
  const data = random.pick([
    '',
    'AAAA',
    '{}',
    '[]',
    '{"type":"reasoning"}',
    '[{"type":"reasoning.text"}]',
    'x'.repeat(5_000),
  ]);
  const token = wrapState({
    family: random.pick(FAMILIES),
    data: random.chance(0.2) ? stateToken(random) : data,
    provider: random.pick(['openai', 'anthropic', null]),
    channel: random.pick(['fuzz', 'other', null]),
  });
  switch (random.below(6)) {
    case 0:
      return token.slice(0, random.below(token.length));
    case 1:
      return STATE_MARKER + random.pick(WORDS);
    case 2:
      return (
        STATE_MARKER + btoa(random.pick(['null', '[]', '{}', '["anthropic"]', '["other","a","b","c"]', '[1,2,3,4]']))
      );
    default:
      return token;
  }
}

/** Returns JSON text with the placeholders replaced by their numbers. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.includes(NUMBER_MARK) ? text.replace(/"the number (-?[0-9e-]+)"/g, '$1') : text;
}

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { applyEdits } from '../../../formats/shared/json/json-patch.ts';
import { bodyEdits } from './body-patch.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const patched = (text: string, betas?: string) =>
  new TextDecoder().decode(
    applyEdits(
      bytes(text),
      bodyEdits(
        bytes(text),
        { remove: ['model', 'stream'], add: { anthropic_version: '"v"' }, betaMember: 'anthropic_beta' },
        betas,
      ),
    ),
  );

describe('a body for Bedrock', () => {
  const rows: [string, string][] = [
    ['{"model":"m","max_tokens":1}', '{"anthropic_version":"v","max_tokens":1}'],
    ['{"max_tokens":1,"model":"m"}', '{"anthropic_version":"v","max_tokens":1}'],
    ['{"model":"m","stream":true}', '{"anthropic_version":"v"}'],
    ['{ "stream" : true , "model":"m", "a": [1, 2] }', '{"anthropic_version":"v"  , "a": [1, 2] }'],
    ['{}', '{"anthropic_version":"v"}'],
    ['{"anthropic_version":"old","a":1}', '{"anthropic_version":"v","a":1}'],
  ];
  for (const [before, after] of rows) {
    test(before, () => expect(JSON.parse(patched(before))).toEqual(JSON.parse(after)));
  }

  test('contains the beta header', () => {
    expect(JSON.parse(patched('{"model":"m","a":1}', 'one, two'))).toEqual({
      anthropic_version: 'v',
      anthropic_beta: ['one', 'two'],
      a: 1,
    });
  });
});

test('named members are removed, and the others stay byte for byte, in any order', () => {
  const members = fc.uniqueArray(
    fc.tuple(fc.constantFrom('model', 'stream', 'a', 'b', 'ü "x', 'messages'), fc.json({ maxDepth: 2 })),
    { selector: ([name]) => name },
  );
  fc.assert(
    fc.property(members, fc.constantFrom('', ' ', '\n  '), (list, space) => {
      const text = `{${space}${list.map(([name, json]) => `${JSON.stringify(name)}${space}:${space}${json}`).join(`${space},${space}`)}${space}}`;
      const out = patched(text);
      const kept = list.filter(([name]) => name !== 'model' && name !== 'stream');
      expect(JSON.parse(out)).toEqual({
        anthropic_version: 'v',
        ...Object.fromEntries(kept.map(([name, json]) => [name, JSON.parse(json)])),
      });
      for (const [, json] of kept) expect(out).toContain(json);
    }),
  );
});

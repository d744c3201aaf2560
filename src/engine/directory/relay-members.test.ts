import { expect, test } from 'bun:test';
import fc from 'fast-check';
import type { ParsedRequest } from '../../formats/format.ts';
import { applyEdits } from '../../formats/shared/json-patch.ts';
import { geminiQuirks } from '../../providers/vertex/quirks.ts';
import { losesMembers, memberEdits, relayMembers } from './relay-members.ts';

const members = relayMembers([
  { kind: 'rename', from: 'seed', to: 'random_seed', isRefused: true, why: 'it is called so' },
  { kind: 'omit', field: 'stream_options', isServed: true, why: 'it is refused' },
  { kind: 'omit', field: 'a', isServed: true, why: 'it is refused, too' },
  { kind: 'omit', field: 'wrapper', why: 'it is not there' },
])!;

function patched(text: string): string {
  const request = { body: JSON.parse(text) } as ParsedRequest;
  return new TextDecoder().decode(
    applyEdits(new TextEncoder().encode(text), memberEdits(new TextEncoder().encode(text), request, members)),
  );
}

test('a member under its other name, and one that is left out', () => {
  expect(patched('{ "model":"m", "seed" : 7, "stream_options":{} , "b":1.0}')).toBe(
    '{ "model":"m", "random_seed" : 7 , "b":1.0}',
  );
  expect(patched('{"model":"m","stream_options":{}}')).toBe('{"model":"m"}');
  expect(patched('{"model":"m","random_seed":1,"seed":2}')).toBe('{"model":"m","random_seed":1}');
});

test('whatever stands around them, the rest stays', () => {
  const rest = fc.uniqueArray(
    fc.tuple(fc.constantFrom('seed', 'stream_options', 'a', 'b', 'messages'), fc.json({ maxDepth: 1 })),
    { selector: ([name]) => name },
  );
  fc.assert(
    fc.property(rest, fc.nat({ max: 5 }), fc.constantFrom('', ' ', '\n'), (list, at, space) => {
      const all: [string, string][] = [...list];
      all.splice(at, 0, ['model', '"m"']);
      const text = `{${all.map(([name, json]) => `${space}"${name}":${json}${space}`).join(',')}}`;
      const expected: Record<string, unknown> = {};
      for (const [name, json] of all) {
        if (name !== 'stream_options' && name !== 'a')
          expected[name === 'seed' ? 'random_seed' : name] = JSON.parse(json);
      }
      expect(JSON.parse(patched(text))).toEqual(expected);
    }),
  );
});

test('a name that is merely older stays', () => {
  expect(relayMembers([{ kind: 'rename', from: 'a', to: 'b', why: 'x' }])).toBeNull();
});

test('a provider without such differences costs nothing', () => {
  expect(relayMembers([{ kind: 'lacks', feature: 'top-k', verdict: 'dropped', why: 'x' }])).toBeNull();
});

test.each<[body: Record<string, unknown>, loses: boolean]>([
  [{ stream_options: { include_usage: true }, seed: 1 }, false],
  [{ wrapper: {} }, true],
  [{ seed: 1, random_seed: 1 }, false],
  [{ seed: 1, random_seed: 2 }, true],
  [{}, false],
])('what would be lost in silence where it is relayed is known: %j', (body, loses) => {
  expect(losesMembers(body, members)).toBe(loses);
  expect(losesMembers(body, null)).toBe(false);
});

test('a count that wraps its request is not relayed to Vertex AI, which would get an empty body', () => {
  const vertex = relayMembers(geminiQuirks);
  for (const wrapper of ['generateContentRequest', 'generate_content_request']) {
    expect(losesMembers({ [wrapper]: { contents: [] } }, vertex)).toBe(true);
  }
  expect(losesMembers({ contents: [] }, vertex)).toBe(false);
});

test('a member that the provider must have is added where the body has neither it nor the one that excludes it', () => {
  const setting = relayMembers([
    { kind: 'set', field: 'reasoning_format', value: 'parsed', unless: 'include_reasoning', why: 'it must be there' },
    { kind: 'omit', field: 'b', isServed: true, why: 'it is refused' },
  ])!;
  const sent = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    const edits = memberEdits(bytes, { body: JSON.parse(text) } as ParsedRequest, setting);
    return new TextDecoder().decode(applyEdits(bytes, edits));
  };
  expect(sent('{"model":"m","b":1}')).toBe('{"model":"m","reasoning_format":"parsed"}');
  expect(sent('{"model":"m","reasoning_format":"raw"}')).toBe('{"model":"m","reasoning_format":"raw"}');
  expect(sent('{"include_reasoning":true}')).toBe('{"include_reasoning":true}');
});

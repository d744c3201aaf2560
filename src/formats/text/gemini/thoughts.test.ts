import { describe, expect, test } from 'bun:test';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Part } from '../../../domain/exchange/part.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import { unwrapFoundation } from '../shared/state-token.ts';
import { gemini } from './index.ts';
import { context, decoded, eventsOf, type Json } from './testing/support.ts';

const stateOf = (family: OpaqueState['family'], data: string): OpaqueState => ({
  ...{ family, data, provider: 'somebody', channel: 'main' },
});
const SHOWN = { thinkingConfig: { includeThoughts: true } };

const plain: Part = { type: 'reasoning', text: 'Hm — “天気”', state: stateOf('openai-chat', '') };
const signed: Part = { type: 'reasoning', text: 'So.', state: stateOf('anthropic', 'sig') };
const summed: Part = { type: 'reasoning', text: 'In short.', summary: true };
const unshown: Part = { type: 'reasoning', text: '', state: stateOf('anthropic', 'a signature alone') };
const withheld: Part = { type: 'reasoning', text: '', redacted: true, state: stateOf('anthropic', 'data') };
const words: Part = { type: 'text', text: 'I look.' };
const call: Part = { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{}' };
const google = stateOf('google', 'c2lnbmF0dXJl');

function answer(parts: readonly Part[]) {
  const finish = { unified: 'stop', raw: null } as const;
  return { id: 'r', created: 1, candidates: [{ index: 0, parts, finish }], usage: null };
}

const FORMS: Readonly<Record<string, (parts: readonly Part[], config: object) => Json[]>> = {
  whole: (parts, config) =>
    JSON.parse(gemini.encodeAnswer(answer(parts), context('sse', config))).candidates[0].content.parts,
  stream: (parts, config) => {
    const encoder = gemini.encodeStream(context('sse', config));
    const text = partsOfResponse(answer(parts)).map((part) => encoder.encode(part));
    return eventsOf(text.join('')).flatMap((event) => event.candidates[0].content.parts);
  },
};

/** Returns how the parts are read back, without the empty text that ends a stream. */
function readBack(parts: readonly Json[]): unknown {
  const { messages } = decoded({
    contents: [
      { role: 'model', parts },
      { role: 'user', parts: [{ text: 'Go on.' }] },
    ],
  });
  return messages[0]?.parts
    .map(({ path: _, ...part }) => part)
    .filter((part) => part.type !== 'text' || part.text !== '' || part.state !== undefined);
}

describe.each(Object.entries(FORMS))('%s', (_form, partsFor) => {
  test('reasoning is shown only if requested', () => {
    const thoughts = (config: object) =>
      partsFor([plain, summed, words], config).flatMap(({ text, thought }) => (thought === true ? [text] : []));
    expect(thoughts(SHOWN)).toEqual(['Hm — “天気”', 'In short.']);
    for (const config of [
      {},
      { thinkingConfig: { includeThoughts: false } },
      { thinkingConfig: { thinkingBudget: 9 } },
    ]) {
      expect(thoughts(config)).toEqual([]);
      expect(partsFor([summed, words], config)[0]).toEqual({ text: 'I look.' });
    }
  });

  test('the state behind a call is beside the call, where old SDKs keep it', () => {
    for (const config of [SHOWN, {}]) {
      const parts = partsFor([plain, withheld, words, signed, { ...call, state: google }], config);
      const carriers = parts.filter(({ thoughtSignature }) => thoughtSignature !== undefined);
      expect(carriers).toMatchObject([{ functionCall: { name: 'f' } }]);
      expect(unwrapFoundation(carriers[0]?.thoughtSignature)).toMatchObject({
        beforeText: [{ text: 'Hm — “天気”' }, { redacted: true }],
        beforeCall: [{ text: 'So.' }],
        state: google,
      });
    }
  });

  test("Google's own signature is unchanged", () => {
    const parts = partsFor([summed, { ...words, state: google }, { ...call, state: google }], SHOWN);
    const signatures = parts.flatMap(({ thoughtSignature }) => thoughtSignature ?? []);
    expect(signatures).toEqual([google.data, google.data]);
  });

  test('shown reasoning of Google has its signature', () => {
    const own: Part = { ...summed, state: google };
    const parts = partsFor([own, call], SHOWN).filter(({ thoughtSignature }) => thoughtSignature !== undefined);
    expect(parts).toMatchObject([{ thought: true, thoughtSignature: google.data }]);
    expect(unwrapFoundation(partsFor([own, call], {})[0]?.thoughtSignature)).toMatchObject({ beforeText: [own] });
  });

  test.each([
    ['shown', SHOWN],
    ['not shown', {}],
  ])('text, state and place are restored, %s', (_what, config) => {
    const second: Part = { ...call, id: 'call_2' };
    const parts: Part[] = [plain, unshown, withheld, words, signed, call, plain, second];
    expect(readBack(partsFor(parts, config))).toEqual(parts);
    expect(readBack(partsFor([plain, withheld, words], config))).toEqual([plain, withheld, words]);
  });

  test('reasoning that a client drops, or unmarks, is not lost', () => {
    const parts = partsFor([plain, words, call], SHOWN);
    const kept = parts.filter(({ thought }) => thought !== true);
    expect(readBack(kept)).toEqual([plain, words, call]);
  });

  test('reasoning after the final text is kept with the text', () => {
    expect(partsFor([words, withheld], {}).every(({ thought }) => thought === undefined)).toBe(true);
    const back = readBack(partsFor([plain, words, withheld], SHOWN));
    expect(back).toEqual(expect.arrayContaining([plain, words, withheld] as Json[]));
  });
});

test('reasoning without a signature stays reasoning', () => {
  const back = readBack([{ text: 'Hm.', thought: true }, { text: 'I look.' }]);
  expect(back).toEqual([{ type: 'reasoning', text: 'Hm.', summary: true }, words]);
});

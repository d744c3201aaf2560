import { describe, expect, test } from 'bun:test';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Part } from '../../../domain/exchange/part.ts';
import type { ReasoningOptions } from '../../../domain/exchange/request.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import { anthropicMessages } from './index.ts';
import { context, decode, streamed } from './testing/samples.ts';

const stateOf = (family: OpaqueState['family'], data: string): OpaqueState => ({
  ...{ family, data, provider: 'somebody', channel: 'main' },
});
const THINKING: ReasoningOptions = { enabled: true, effort: null, budgetTokens: null, adaptive: false, summary: null };
const ASKED: Readonly<Record<'shown' | 'omitted' | 'hidden', ReasoningOptions | null>> = {
  shown: THINKING,
  omitted: { ...THINKING, adaptive: true, summary: 'none' },
  hidden: null,
};

const thought: Part = { type: 'reasoning', text: 'Hm — “天気”', state: stateOf('openai-chat', '') };
const signed: Part = { type: 'reasoning', text: 'So.', state: stateOf('anthropic', 'sig') };
const withheld: Part = { type: 'reasoning', text: '', redacted: true, state: stateOf('anthropic', 'data') };
const words: Part = { type: 'text', text: 'I look.' };
const call: Part = { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{}' };
const second: Part = { ...call, id: 'call_2' };
const google = stateOf('google', 'signature');

/** Returns the client's answer, whole and streamed, with the same ids in both. */
function answered(parts: readonly Part[], asked: keyof typeof ASKED): { readonly [form: string]: any[] } {
  const finish = { unified: 'stop', raw: null } as const;
  const response = { id: 'msg_1', created: 1, candidates: [{ index: 0, parts, finish }], usage: null };
  const whole = JSON.parse(anthropicMessages.encodeAnswer(response, context(ASKED[asked]))).content;
  const blocks: any[] = [];
  for (const frame of streamed(partsOfResponse(response), context(ASKED[asked])).split('\n\n')) {
    const event = JSON.parse(frame.slice(frame.indexOf('data: ') + 6) || '{}');
    if (event.type === 'content_block_start') blocks.push({ ...event.content_block });
    const block = blocks[event.index];
    for (const key of ['text', 'thinking', 'signature']) if (event.delta?.[key]) block[key] += event.delta[key];
  }
  return { whole, stream: blocks };
}

const decodeBack = (content: unknown) =>
  decode({ model: 'm', max_tokens: 1, messages: [{ role: 'assistant', content }] }).messages[0]?.parts.map(
    ({ path: _, ...part }) => part,
  );

describe.each(['whole', 'stream'])('%s', (form) => {
  const get = (parts: readonly Part[], asked: keyof typeof ASKED) => answered(parts, asked)[form] ?? [];
  const typesOf = (parts: readonly Part[], asked: keyof typeof ASKED) => get(parts, asked).map(({ type }) => type);

  test('no reasoning follows the final text, whoever reasoned and whatever was requested', () => {
    const endings: Part[][] = [
      [words, withheld],
      [{ ...words, state: google }],
      [words, { type: 'reasoning', text: '', state: google }],
      [thought, words, { type: 'text', text: '', state: google }],
      [call, { ...words, state: google }],
    ];
    for (const ending of endings) {
      for (const asked of ['shown', 'omitted', 'hidden'] as const) expect(typesOf(ending, asked).at(-1)).toBe('text');
    }
  });

  test('reasoning is shown only to clients that requested it', () => {
    const parts = [thought, signed, withheld, words];
    expect(typesOf(parts, 'shown')).toEqual(['thinking', 'thinking', 'redacted_thinking', 'text']);
    expect(get(parts, 'omitted').map(({ thinking }) => thinking)).toEqual(['', '', undefined, undefined]);
    expect(get(parts, 'hidden')).toEqual([{ type: 'text', text: 'I look.', citations: null }]);
    expect(typesOf([signed, words, call], 'hidden')).toEqual(['text', 'redacted_thinking', 'tool_use']);
  });

  test.each(['shown', 'omitted', 'hidden'] as const)(
    'the state behind a call is restored in place with its texts, reasoning %s',
    (asked) => {
      const parts: Part[] = [
        ...[
          thought,
          withheld,
          { ...words, state: google },
          signed,
          { ...call, state: stateOf('google', 'of the call') },
        ],
        ...[signed, second],
      ];
      const back = decodeBack(get(parts, asked));
      const origin = { provider: null, channel: null };
      const isNative = (part: Part) => asked !== 'hidden' && 'state' in part && part.state?.family === 'anthropic';
      // A native state does not reveal its origin, but a hidden text is in a token that does.
      const wanted = parts.map((part) =>
        isNative(part) && !(asked === 'omitted' && part === signed)
          ? { ...part, state: { ...('state' in part ? part.state : undefined), ...origin } }
          : part,
      );
      expect(back).toEqual(wanted as never);
    },
  );

  test('reasoning too long to be carried invisibly leaves only the state of the call', () => {
    const long: Part = { ...thought, text: 'x'.repeat(300_000) };
    const [carrier, ...others] = get([long, { ...call, state: google }], 'hidden');
    expect(carrier.data.length).toBeLessThan(500);
    expect(decodeBack([carrier, ...others])).toEqual([{ ...call, state: google }]);
  });

  test('a response of reasoning alone has no content for a client that did not request it', () => {
    expect(get([thought], 'hidden')).toEqual([]);
    expect(typesOf([thought], 'shown')).toEqual(['thinking']);
  });
});

test('the state of the final text precedes it if reasoning was requested and the response is whole', () => {
  const parts: Part[] = [thought, { ...words, state: google }];
  const content = answered(parts, 'shown').whole ?? [];
  expect(content.map(({ type }) => type)).toEqual(['thinking', 'redacted_thinking', 'text']);
  expect(decodeBack(content)).toEqual(parts);
});

test('a stream of hidden reasoning has no empty blocks', () => {
  const { stream = [] } = answered([{ type: 'reasoning', text: 'Hm.' }, words], 'omitted');
  expect(stream.map(({ type }) => type)).toEqual(['text']);
});

import { expect, spyOn, test } from 'bun:test';
import { Turns } from '../src/formats/shared/json/large-json.ts';
import type { Format } from './judges/index.ts';
import { parse, translate } from './leaves/in-process.ts';
import { TARGET_FORMATS, type TargetFormat } from './requests/targets.ts';

/** Returns a long text with characters that JSON escapes and characters of several UTF-8 bytes. */
function text(length: number): string {
  return 'He said "no\\yes",\n\tthen 字 and 😀; \u2028 \u0007. '.repeat(Math.ceil(length / 44));
}

const PNG = `iVBORw0KGgo${'AAAA'.repeat(200_000)}`;
const toolArguments = (length: number) => ({ n: 1.5, path: text(length), list: ['a', { b: null }] });

const BODIES: Readonly<Record<string, (length: number, seesImages: boolean) => unknown>> = {
  'openai-chat': (length, seesImages) => ({
    model: 'public',
    tools: [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }],
    messages: [
      { role: 'system', content: text(length) },
      {
        role: 'user',
        content: [
          { type: 'text', text: text(length) },
          ...(seesImages ? [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] : []),
        ],
      },
      {
        role: 'assistant',
        content: text(100),
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'read', arguments: JSON.stringify(toolArguments(length)) } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: text(length) },
      { role: 'user', content: 'go on' },
    ],
  }),
  'anthropic-messages': (length, seesImages) => ({
    model: 'public',
    max_tokens: 100,
    system: text(length),
    tools: [{ name: 'read', input_schema: { type: 'object' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: text(length) },
          ...(seesImages ? [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }] : []),
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'read', input: toolArguments(length) }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: text(length) }] },
    ],
  }),
  gemini: (length, seesImages) => ({
    tools: [{ functionDeclarations: [{ name: 'read', parameters: { type: 'OBJECT' } }] }],
    contents: [
      {
        role: 'user',
        parts: [{ text: text(length) }, ...(seesImages ? [{ inlineData: { mimeType: 'image/png', data: PNG } }] : [])],
      },
      { role: 'model', parts: [{ functionCall: { name: 'read', args: toolArguments(length) } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'read', response: { result: text(length) } } }] },
    ],
  }),
};

async function bytesOf(format: Format, body: unknown, target: TargetFormat, bodyBytes?: number): Promise<Uint8Array> {
  const parsed = parse(format, body);
  if ('kind' in parsed) throw new Error(JSON.stringify(parsed));
  const translated = await translate(format, parsed, target, 'plain', bodyBytes);
  if (translated.kind !== 'sent') throw new Error(JSON.stringify(translated).slice(0, 500));
  return translated.body;
}

/** A long body is written in slices, and every target must get the same bytes as without slicing. */
test.each(Object.keys(BODIES).flatMap((format) => TARGET_FORMATS.map((target) => [format as Format, target] as const)))(
  'a large body of %s is the same for %s if written in slices',
  async (format, target) => {
    const body = BODIES[format]?.(300_000, target !== 'cohere-chat');
    const inSlices = await bytesOf(format, body, target);
    const atOnce = await bytesOf(format, body, target, 0);
    expect(inSlices.length).toBeGreaterThan(1_048_576);
    expect(Buffer.from(inSlices).equals(Buffer.from(atOnce))).toBe(true);
  },
);

test('a body of ten megabytes yields to other work while it is written', async () => {
  const turns = spyOn(Turns.prototype, 'next');
  try {
    const body = BODIES['openai-chat']?.(2_500_000, true);
    expect((await bytesOf('openai-chat', body, 'anthropic-messages')).length).toBeGreaterThan(10_000_000);
    expect(turns.mock.calls.length).toBeGreaterThan(2);
    turns.mockClear();
    await bytesOf('openai-chat', BODIES['openai-chat']?.(10, false), 'anthropic-messages', 1_000);
    expect(turns).not.toHaveBeenCalled();
  } finally {
    turns.mockRestore();
  }
});

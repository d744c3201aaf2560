import { describe, expect, test } from 'bun:test';
import type { Capabilities } from '../../../domain/catalog/capabilities.ts';
import { NOTHING_KNOWN } from '../../../domain/catalog/capabilities.ts';
import type { Model } from '../../../domain/catalog/model.ts';
import { sampleBillable } from '../../../domain/exchange/testing/sample-usage.ts';
import { clientFormats } from '../../../formats/index.ts';
import { BoundsOfRequest } from './request-bounds.ts';

const KNOWN: Partial<Capabilities> = { contextTokens: 200_000, maxOutputTokens: 8_000 };
const ASSUMED = 4_096;

function boundsOf(body: Record<string, unknown>, known: Partial<Capabilities> | null = KNOWN): BoundsOfRequest {
  const format = clientFormats.get('openai-chat');
  if (!format) throw new Error('there is no such format');
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  const call = { purpose: 'generate', model: null, stream: null, framing: 'sse' } as const;
  const request = { call, model: 'm', stream: false, wantsStreamUsage: false, bytes, body };
  const capabilities = known === null ? null : { ...NOTHING_KNOWN, ...known };
  const model = { id: 'm', capabilities } as Model;
  return new BoundsOfRequest({ accountId: 'acme', format, request, bodyBytes: bytes.length, model });
}

const asking = (content: unknown, more: object = {}) => ({ messages: [{ role: 'user', content }], ...more });

describe('the certain bound', () => {
  test('of text is one token per byte', () => {
    const body = asking('é'.repeat(1_000), { max_tokens: 7, n: 3 });
    const bytes = Buffer.byteLength(JSON.stringify(body));
    expect(boundsOf(body).certain()).toEqual({
      inputTokens: bytes,
      isTextOnly: true,
      outputTokens: 21,
    });
  });

  test('of a request without a limit is the model’s', () => {
    expect(boundsOf(asking('Hi', { n: 2 })).certain()).toMatchObject({ outputTokens: 16_000 });
    expect(boundsOf(asking('Hi'), null).certain().outputTokens).toBeGreaterThan(100_000);
  });

  test('of content of unknown size is the model’s window', () => {
    const file = { type: 'file', file: { file_id: 'file-1' } };
    expect(boundsOf(asking([file, file])).certain().inputTokens).toBeWithin(200_000, 200_500);
    expect(boundsOf(asking([file]), null).certain().inputTokens).toBeGreaterThan(1_000_000);
  });

  test('of images is that of the dearest kind, and at most the window', () => {
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } };
    expect(boundsOf(asking([image])).certain()).toMatchObject({ isTextOnly: false });
    expect(boundsOf(asking([image])).certain().inputTokens).toBeWithin(50_000, 50_500);
    expect(boundsOf(asking(Array.from({ length: 9 }, () => image))).certain().inputTokens).toBeLessThan(201_000);
  });

  test('can be multiplied by a price for any request', () => {
    const { outputTokens } = boundsOf(asking('Hi', { max_tokens: Number.MAX_VALUE, n: Number.MAX_VALUE })).certain();
    expect(outputTokens).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe('the counted bound', () => {
  test("is close to the tokenizer's count", async () => {
    const counted = await boundsOf(asking(' The cat sat on the mat.'.repeat(2_000))).counted(ASSUMED);
    expect(counted?.inputTokens).toBeWithin(14_000, 21_000);
    expect(counted).toMatchObject({ outputTokens: ASSUMED, isTextOnly: true });
  });

  test('is never above the certain one', async () => {
    const bounds = boundsOf(asking('🜁'.repeat(3_000)));
    expect((await bounds.counted(ASSUMED))?.inputTokens).toBeLessThanOrEqual(bounds.certain().inputTokens);
  });

  test('does not read an image as text', async () => {
    const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(50_000)}`;
    const counted = await boundsOf(asking([{ type: 'image_url', image_url: { url } }])).counted(ASSUMED);
    expect(counted?.inputTokens).toBeWithin(1_600, 2_000);
  });

  test("assumes at most the model's output limit", async () => {
    expect(await boundsOf(asking('Hi'), { maxOutputTokens: 100 }).counted(ASSUMED)).toMatchObject({
      outputTokens: 100,
    });
  });
});

describe('plausible usage', () => {
  const bounds = boundsOf(asking('Hi', { max_tokens: 10 }));
  test.each([
    [true, { input: 9, output: 10 }],
    [true, { input: 400, output: 5, reasoning: 3_000 }],
    [true, { input: 20_000 }],
    [false, { input: 10 ** 15 }],
    [false, { output: 10 ** 15 }],
    [false, { cacheWrite1h: 10 ** 9 }],
    [false, { output: 60_000 }],
    [true, { webSearches: 20 }],
    [false, { webSearches: 10 ** 9 }],
  ] as const)('%p: %j', (expected, said) => expect(bounds.isPlausible(sampleBillable(said), 0)).toBe(expected));

  test('is wide if tools of the provider add unseen content', () => {
    const searching = boundsOf(asking('Hi', { tools: [{ type: 'web_search' }] }));
    expect(searching.isPlausible(sampleBillable({ input: 300_000 }), 0)).toBe(true);
    expect(searching.isPlausible(sampleBillable({ input: 3_000_000 }), 0)).toBe(false);
  });

  test('is wide if the target lets its provider call tools', () => {
    expect(bounds.isPlausible(sampleBillable({ input: 300_000 }), 1)).toBe(true);
    expect(bounds.isPlausible(sampleBillable({ input: 3_000_000 }), 1)).toBe(false);
  });

  test('can be multiplied by a price', () => {
    expect(Object.values(bounds.plausible(0)).every(Number.isInteger)).toBe(true);
  });
});

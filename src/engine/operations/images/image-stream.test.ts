import { expect, test } from 'bun:test';
import { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { amountOf } from '../../../domain/money/quantity.ts';
import { openaiImages } from '../../../formats/images/openai-images/index.ts';
import { PLAIN_IMAGE } from '../../../formats/shared/testing/image-samples.ts';
import { billableOf } from './image-billable.ts';
import { RelayedImages } from './image-stream.ts';

const utf8 = new TextEncoder();
const routing = RoutingFacts.of({ id: 'c', name: 'C', provider: 'openai', channelType: 'PLATFORM' });
const event = (type: string, more: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: 'aGVsbG8=', ...more })}\n\n`;
const usage = { input_tokens: 5, output_tokens: 50, total_tokens: 55 };
const partial = event('image_generation.partial_image', { partial_image_index: 0 });
const completed = event('image_generation.completed', { usage });

function relayOf(count: number) {
  const request = { ...PLAIN_IMAGE, stream: true, count };
  const reader = openaiImages.openStream?.(request, { upstreamModel: 'gpt-image-1' });
  if (!reader) throw new Error('the wire has no stream');
  const priced = { expected: { size: null, quality: null }, requests: 1, byTokens: true };
  return new RelayedImages({
    reader,
    count,
    routing,
    billableOf: (made, n) => billableOf(request, made, { ...priced, count: n }),
  });
}

function relayed(text: string, count: number, size: number) {
  const relay = relayOf(count);
  const bytes = utf8.encode(text);
  const out: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) out.push(relay.push(bytes.slice(at, at + size)));
  out.push(relay.end());
  return { relay, text: Buffer.concat(out).toString() };
}

test('events are passed on however they are split, with `_routing` in the last one only', () => {
  const whole = `${partial}${completed}`;
  const expected = `${partial}${completed.replace(/}\n\n$/, `,"_routing":${routing.json}}\n\n`)}`;
  for (let size = 1; size <= whole.length; size++) {
    const { relay, text } = relayed(whole, 1, size);
    expect(text).toBe(expected);
    expect([relay.finished, relay.started, relay.failure, relay.isReported]).toEqual([true, true, null, true]);
  }
});

test('two images end with the second', () => {
  const { text } = relayed(`${completed}${partial}${completed}`, 2, 7);
  expect(text.match(/_routing/g)).toHaveLength(1);
  expect(text.indexOf('_routing')).toBeGreaterThan(text.lastIndexOf('event:'));
});

test('fewer images than requested end with the upstream', () => {
  const { relay, text } = relayed(completed, 2, 1_000);
  expect([relay.finished, text.match(/_routing/g)?.length]).toEqual([true, 1]);
});

test('events after the last image are dropped', () => {
  const { text } = relayed(`${completed}${completed}${completed}`, 1, 1_000);
  expect(text.match(/completed","b64/g)).toHaveLength(1);
});

test('a stream without a finished image has failed', () => {
  const { relay } = relayed(partial, 1, 1_000);
  expect(relay.failure).not.toBeNull();
  expect(relay.finished).toBe(false);
});

test('a started image is charged if the client disconnects, but not if the upstream fails', () => {
  const images = (...events: readonly string[]) => {
    const relay = relayOf(2);
    for (const text of events) relay.push(utf8.encode(text));
    return [amountOf(relay.billable, 'image'), amountOf(relay.billable, 'image_output_token')];
  };
  expect(images('event: ping\ndata: {"type":"ping"}\n\n')).toEqual([0, 0]);
  expect(images(partial, partial)).toEqual([1, 4_160]);
  expect(images(partial, completed)).toEqual([1, 50]);
  expect(images(partial, completed, partial)[0]).toBe(2);
  expect(images(partial, 'data: {"type":"error","error":{"message":"no"}}\n\n')[0]).toBe(0);
});

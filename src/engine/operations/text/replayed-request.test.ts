import { expect, test } from 'bun:test';
import { anthropicMessages } from '../../../formats/text/anthropic-messages/index.ts';
import { gemini } from '../../../formats/text/gemini/index.ts';
import { openaiChat } from '../../../formats/text/openai-chat/index.ts';
import { CACHE_HEADER } from '../../cache/read-control.ts';
import type { TextInbound } from './inbound.ts';
import { fingerprint } from './replayed-request.ts';
import type { TextServices } from './text-services.ts';

const services = { replays: { watches: (accountId: string) => accountId !== 'new' } } as unknown as TextServices;

interface Sent {
  readonly accountId?: string;
  readonly format?: TextInbound['format'];
  readonly call?: Partial<TextInbound['call']>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

function printOf({ accountId = 'acme', format = openaiChat, call, headers = {}, body = bytes('{}') }: Sent) {
  const all = { purpose: 'generate', model: null, stream: null, framing: 'sse', ...call };
  const inbound = { format, call: all, header: (name: string) => headers[name] ?? null };
  const print = fingerprint(services, inbound as unknown as TextInbound, accountId, body);
  return print && [print.accountId, print.said, Buffer.from(print.body).toString('latin1')].join('\n');
}

const bytes = (text: string) => new TextEncoder().encode(text);

test('requests that differ in any relevant part have different fingerprints', () => {
  const long = (last: number) => new Uint8Array(20_000).fill(65).with(19_999, last);
  const sent: Sent[] = [
    {},
    { accountId: 'acme2' },
    { accountId: '' },
    { format: gemini },
    { format: anthropicMessages },
    { format: anthropicMessages, headers: { 'anthropic-beta': 'a' } },
    { format: anthropicMessages, headers: { 'anthropic-version': 'a' } },
    { format: anthropicMessages, headers: { 'anthropic-version': '1:a', 'anthropic-beta': '' } },
    { call: { stream: true } },
    { call: { stream: false } },
    { call: { purpose: 'compact' } },
    { call: { framing: 'json-array' as never } },
    { call: { model: 'm' } },
    { call: { model: '' } },
    { call: { model: 'null' } },
    { call: { model: '- text {}' } },
    { headers: { [CACHE_HEADER]: '' } },
    { headers: { [CACHE_HEADER]: 'no_cache' } },
    { call: { model: 'm' }, headers: { [CACHE_HEADER]: 'm' } },
    { call: { model: 'm1:m' } },
    { body: bytes('') },
    { body: bytes('{} ') },
    { body: bytes('é') },
    { body: Uint8Array.of(0xe9) },
    { body: Uint8Array.of(0) },
    { body: Uint8Array.of(0xff) },
    { body: Uint8Array.of(0xff, 0xff) },
    { body: long(1) },
    { body: long(2) },
    { body: long(2).subarray(1) },
  ];
  const prints = sent.map(printOf);
  expect(prints).not.toContain(null);
  expect(new Set(prints).size).toBe(sent.length);
});

test('every byte of a short body counts', () => {
  const body = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const prints = Array.from(body, (byte, index) => printOf({ body: body.with(index, byte ^ 1) }));
  expect(new Set([...prints, printOf({ body })]).size).toBe(257);
});

test('the same bytes have the same fingerprint, wherever they lie in memory', () => {
  for (const length of [1_000, 100_000]) {
    const body = new Uint8Array(length).fill(200);
    const elsewhere = new Uint8Array(length + 7).fill(200).subarray(7);
    expect(printOf({ body })).toBe(printOf({ body: elsewhere }));
  }
});

test('a long body is not copied, and a huge one, or one of an account without hits, is skipped', () => {
  expect(printOf({ body: new Uint8Array(200_000) })?.length).toBeLessThan(200);
  expect(printOf({ body: new Uint8Array(300_000) })).toBeNull();
  expect(printOf({ accountId: 'new' })).toBeNull();
});

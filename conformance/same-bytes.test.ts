import { describe, expect, test } from 'bun:test';
import { FORMATS } from './judges/index.ts';
import { oddJson, randomFrom } from './requests/odd-json.ts';
import { recordedRequests } from './requests/recorded-requests.ts';
import { relayedModel, testSameBytes, withTrueLabels } from './requests/same-bytes.ts';
import { bodyFor } from './requests/send.ts';
import { SMALL_REQUESTS } from './requests/small-requests.ts';
import { ownExchanges } from './shared/recordings.ts';

const ODD_BODIES = 100;

describe('a request to an upstream of its own format', () => {
  const relay = testSameBytes(recordedRequests(ownExchanges()));

  test.each(FORMATS)(
    'keeps its bytes in %s, however unusual the JSON',
    async (format) => {
      const problems: string[] = [];
      for (let seed = 0; seed < ODD_BODIES; seed++) {
        const body = { ...SMALL_REQUESTS[format], ...(format === 'gemini' ? {} : { model: relayedModel(format) }) };
        const request = { name: `seed ${seed}`, format, stream: false, headers: {} };
        problems.push(...(await relay.differenceOf(request, oddJson(body, randomFrom(seed)))));
      }
      expect(problems).toEqual([]);
    },
    600_000,
  );

  const claude = { name: 'headers', format: 'anthropic-messages', stream: false } as const;
  const claudeBody = bodyFor(claude.format, JSON.stringify(SMALL_REQUESTS[claude.format]), relayedModel(claude.format));

  test('keeps its Anthropic version and betas, and loses the client’s key', async () => {
    const versions = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'context-1m-2025-08-07,x-invented' };
    const { headers } = await relay.relay({ ...claude, headers: versions }, claudeBody);
    expect(Object.fromEntries(Object.keys(versions).map((name) => [name, headers.get(name)]))).toEqual(versions);
    expect(headers.get('x-api-key')).toBe('upstream-key');
    expect([...headers.values()].filter((value) => value.includes(relay.bed.gateway.apiKey))).toEqual([]);
  });

  test('gets an Anthropic version if the client names none', async () => {
    const { headers } = await relay.relay({ ...claude, headers: {} }, claudeBody);
    expect(headers.get('anthropic-version')).toBe('2023-06-01');
    expect(headers.get('anthropic-beta')).toBeNull();
  });
});

test('a changed media type counts as equal only if the bytes contradict the old one and match the new one', () => {
  const jpeg = btoa('\xff\xd8\xff and so on');
  const image = (label: string, data = jpeg) => `{"a": [ 1, {"media_type" :"${label}","data":"${data}"}]}`;
  expect(withTrueLabels(image('image/png'), image('image/jpeg'))).toBe(image('image/jpeg'));
  expect(withTrueLabels(image('image/png'), image('image/gif'))).toBe(image('image/png'));
  expect(withTrueLabels(image('image/jpeg'), image('image/png'))).toBe(image('image/jpeg'));
  expect(withTrueLabels(image('image/png'), image('image/jpeg', `${jpeg}AAAA`))).toBe(image('image/png'));
  expect(withTrueLabels(image('image/png', 'AAAA'), image('image/jpeg', 'AAAA'))).toBe(image('image/png', 'AAAA'));
});

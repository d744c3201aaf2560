import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import Anthropic, { toFile as anthropicFile } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI, { toFile } from 'openai';
import { ACME, BETA, NOBODY, type RelayedBed, startRelayedBed } from './bed.ts';

/*
 * The published SDKs with stored objects: their requests go to the account's own channel, and they can read
 * the responses.
 */

let bed: RelayedBed;

beforeAll(async () => {
  bed = await startRelayedBed();
});
afterAll(() => bed?.stop());
beforeEach(() => bed.upstream.seen.splice(0));

const openai = (apiKey = ACME) => new OpenAI({ apiKey, baseURL: bed.serving.baseUrl, maxRetries: 0 });
const anthropic = (apiKey = ACME) => new Anthropic({ apiKey, baseURL: bed.serving.origin, maxRetries: 0 });
const google = (apiKey = ACME) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: bed.serving.origin } });

async function fails(call: Promise<unknown>): Promise<{ status?: number; message: string }> {
  try {
    await call;
  } catch (error) {
    return error as { status?: number; message: string };
  }
  throw new Error('the call did not fail');
}

test('openai stores files and batches at the private channel', async () => {
  const client = openai();
  const line = Buffer.from('{"custom_id":"1"}\n');
  const file = await client.files.create({ purpose: 'batch', file: await toFile(line, 'lines.jsonl') });
  expect(file.id).toStartWith('file-');
  expect((await client.files.retrieve(file.id)).id).toBe(file.id);
  expect((await client.files.list()).data.map(({ id }) => id)).toContain(file.id);
  expect(await (await client.files.content(file.id)).text()).toContain('custom_id');
  const batch = await client.batches.create({
    ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  expect((await client.batches.retrieve(batch.id)).status).toBe('completed');
  expect((await client.files.delete(file.id)).deleted).toBe(true);
  expect(await fails(client.files.retrieve(file.id))).toMatchObject({ status: 404 });
  expect(new Set(bed.upstream.seen.map(({ key }) => key))).toEqual(new Set(['key-of-acme-openai']));
});

test('an object id selects its issuing channel, and the header selects another', async () => {
  const second = { headers: { 'x-switchyard-channel': 'acme-second' } };
  const file = await openai().files.create({ purpose: 'batch', file: await toFile(Buffer.from('a'), 'a') }, second);
  expect((await openai().files.retrieve(file.id)).id).toBe(file.id);
  const batch = await openai().batches.create({
    ...{ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
  });
  expect(batch.input_file_id).toBe(file.id);
  expect(new Set(bed.upstream.seen.map(({ key }) => key))).toEqual(new Set(['key-of-acme-second']));
});

test('anthropic keeps files and batches, and follows the address of results to the gateway', async () => {
  const client = anthropic();
  const file = await client.beta.files.upload({ file: await anthropicFile(Buffer.from('hello'), 'a.txt') });
  expect((await client.beta.files.retrieveMetadata(file.id)).id).toBe(file.id);
  expect(await (await client.beta.files.download(file.id)).text()).toContain('hello');
  const params = { model: 'claude-haiku-4-5', max_tokens: 5, messages: [{ role: 'user' as const, content: 'Hi' }] };
  const batch = await client.messages.batches.create({ requests: [{ custom_id: 'one', params }] });
  expect(batch.results_url).toStartWith(bed.serving.origin);
  const results = [];
  for await (const result of await client.messages.batches.results(batch.id)) results.push(result.custom_id);
  expect(results).toEqual(['one']);
  expect(new Set(bed.upstream.seen.map(({ key }) => key))).toEqual(new Set(['key-of-acme-anthropic']));
});

test('google keeps files, caches and batches', async () => {
  const client = google();
  const file = await client.files.upload({
    file: new Blob(['hello'], { type: 'text/plain' }),
    config: { mimeType: 'text/plain' },
  });
  expect(file.name).toStartWith('files/');
  expect((await client.files.get({ name: file.name ?? '' })).name).toBe(file.name);
  const cache = await client.caches.create({ model: 'my-gemini', config: { contents: 'long' } });
  expect(cache.model).toBe('models/my-gemini');
  expect(await client.batches.get({ name: 'batches/b1' })).toMatchObject({ name: 'batches/b1' });
  await client.files.delete({ name: file.name ?? '' });
  expect(new Set(bed.upstream.seen.map(({ key }) => key))).toEqual(new Set(['key-of-acme-google']));
});

test('interactions stream with the public model id, and are found again', async () => {
  const answer = await fetch(`${bed.serving.origin}/v1beta/interactions`, {
    method: 'POST',
    headers: { 'x-goog-api-key': ACME, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'my-gemini', input: 'Hi', stream: true }),
  });
  const text = await answer.text();
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  expect(text).toContain('"model":"my-gemini"');
  expect(text).not.toContain('gemini-2.5-flash');
  expect(text).toContain('a \\"model\\": \\"x\\"');
});

test('an account cannot reach another’s objects, and the error names a missing channel', async () => {
  const file = await openai().files.create({ purpose: 'batch', file: await toFile(Buffer.from('a'), 'a') });
  expect(await fails(openai(BETA).files.retrieve(file.id))).toMatchObject({ status: 404 });
  const other = await fails(
    openai(BETA).files.retrieve(file.id, { headers: { 'x-switchyard-channel': 'acme-openai' } }),
  );
  expect(other).toMatchObject({ status: 400 });
  expect(other.message).toContain('beta-openai');
  expect(other.message).not.toContain('acme');
  bed.upstream.seen.splice(0);
  const none = await fails(openai(NOBODY).vectorStores.list());
  expect(none).toMatchObject({ status: 404 });
  expect(none.message).toContain(
    "/v1/vector_stores is relayed only to an account's own channel, and this account has none",
  );
  const inAnthropic = await fails(anthropic(NOBODY).beta.files.list() as unknown as Promise<unknown>);
  expect(inAnthropic).toMatchObject({ status: 404, error: { type: 'error' } });
  expect(bed.upstream.seen).toEqual([]);
});

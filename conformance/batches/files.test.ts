import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import OpenAI, { type APIError, toFile } from 'openai';
import { accountWith, clientKey, keyNamed } from '../first-light/upstream.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';

/* `/v1/files` with OpenAI's SDK, unchanged, of accounts without a channel of their own that has files. */

setDefaultTimeout(600_000);

let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  const accounts = ['one', 'two'].map((id) => accountWith(id, [keyNamed(id)], { requests_per_minute: 100_000 }));
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', { accounts });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});

afterAll(async () => {
  await space?.remove();
});

const client = (key = 'one') => new OpenAI({ apiKey: clientKey(key), baseURL: serving.baseUrl, maxRetries: 0 });

async function refusal(work: Promise<unknown>): Promise<APIError> {
  return await work.then(
    () => Promise.reject(new Error('the request succeeded')),
    (error: APIError) => error,
  );
}

/** More than two chunks, with characters of several bytes at their borders. */
const TEXT = '{"custom_id":"ä🚦"}\n'.repeat(30_000);

test('a file is uploaded, read, listed and deleted', async () => {
  const { files } = client();
  const made = await files.create({ purpose: 'batch', file: await toFile(Buffer.from(TEXT), 'Anfragen ü.jsonl') });
  expect(made).toMatchObject({
    object: 'file',
    purpose: 'batch',
    filename: 'Anfragen ü.jsonl',
    bytes: Buffer.byteLength(TEXT),
    status: 'processed',
  });
  expect(made.id).toMatch(/^file-[A-Za-z0-9]{32}$/);
  expect(made.expires_at).toBe(made.created_at + 30 * 86_400);
  expect(await files.retrieve(made.id)).toEqual(made);
  const content = await files.content(made.id);
  expect(await content.text()).toBe(TEXT);
  const second = await files.create({
    purpose: 'batch',
    file: await toFile(Buffer.from('x'), 'b.jsonl'),
    expires_after: { anchor: 'created_at', seconds: 3_600 },
  });
  expect(second.expires_at).toBe(second.created_at + 3_600);
  const ids: string[] = [];
  for await (const { id } of files.list({ limit: 1, order: 'asc' })) ids.push(id);
  expect(ids).toEqual([made.id, second.id]);
  expect((await files.list({ purpose: 'assistants' })).data).toEqual([]);
  expect(await files.delete(made.id)).toEqual({ id: made.id, object: 'file', deleted: true });
  expect(await refusal(files.retrieve(made.id))).toMatchObject({ status: 404 });
  expect((await files.list()).data.map(({ id }) => id)).toEqual([second.id]);
});

test('another account finds no file', async () => {
  const file = await client().files.create({ purpose: 'batch', file: await toFile(Buffer.from('x'), 'a.jsonl') });
  const { files } = client('two');
  expect((await files.list()).data).toEqual([]);
  for (const work of [files.retrieve(file.id), files.content(file.id), files.delete(file.id)]) {
    expect(await refusal(work)).toMatchObject({ status: 404, message: expect.stringContaining('No such file') });
  }
  expect(await refusal(files.list({ after: file.id }).then((page) => page.data))).toMatchObject({
    status: 400,
    param: 'after',
  });
  expect(await client().files.retrieve(file.id)).toEqual(file);
});

test('a wrong upload names the field', async () => {
  const post = async (fields: Readonly<Record<string, string | Blob>>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const headers = { authorization: `Bearer ${clientKey('one')}` };
    const answer = await fetch(`${serving.baseUrl}/files`, { method: 'POST', headers, body: form });
    const { error } = (await answer.json()) as { error: { param: string | null } };
    return { status: answer.status, param: error.param };
  };
  const file = new Blob(['x']);
  expect(await post({ purpose: 'fine-tune', file })).toEqual({ status: 400, param: 'purpose' });
  expect(await post({ file })).toEqual({ status: 400, param: 'purpose' });
  expect(await post({ purpose: 'batch' })).toEqual({ status: 400, param: 'file' });
  expect(await post({ purpose: 'batch', file: new Blob([]) })).toEqual({ status: 400, param: 'file' });
  const seconds = { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '5' };
  expect(await post({ purpose: 'batch', file, ...seconds })).toEqual({ status: 400, param: 'expires_after[seconds]' });
});

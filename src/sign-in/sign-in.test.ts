import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_SIGN_IN } from '../engine/settings/settings.ts';
import { openSqliteStore } from '../stores/sqlite/sqlite-store.ts';
import { copyEmptyDatabase } from '../stores/sqlite/testing/empty-database.ts';
import { ArgonPasswords } from './passwords.ts';
import { SIGN_IN_PATH } from './shape.ts';
import { createSignIn } from './sign-in.ts';
import { describeSignIn } from './testing/sign-in-contract.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchyard-sign-in-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describeSignIn('SQLite', async (options) => {
  const path = join(folder, `${crypto.randomUUID()}.sqlite`);
  await copyEmptyDatabase(path);
  return openSqliteStore({ path, ...options });
});

test('passwords are hashed with Argon2id and normalized for different keyboards', async () => {
  const argon = new ArgonPasswords();
  const [one, other] = await Promise.all(['Passwörter', 'Passwo\u0308rter'].map((password) => argon.hash(password)));
  expect(one).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$');
  expect(one).not.toBe(other);
  expect(await argon.verify(one ?? '', 'Passwo\u0308rter')).toBe(true);
  expect(await Promise.all(['passwörter', '', 'x'].map((wrong) => argon.verify(one ?? '', wrong)))).not.toContain(true);
});

test('bodies that are large, slow, deep or not JSON are refused before they are processed', async () => {
  const origin = 'https://ai.example.com';
  const nothing = new Proxy(
    {},
    {
      get: (_of, name) => {
        throw new Error(`${String(name)} was asked for`);
      },
    },
  ) as never;
  const silent = () => {};
  const signIn = createSignIn({
    serviceName: 'Acme AI',
    ...{ people: nothing, database: nothing, audit: nothing, passwords: nothing, attempts: nothing },
    clock: { nowMs: Date.now },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    key: new Uint8Array(32).fill(7),
    settings: DEFAULT_SIGN_IN,
  });
  const refusal = async (body: string | ReadableStream<Uint8Array>, type = 'application/json') => {
    const headers = { origin, 'content-type': type };
    const request = new Request(`http://internal${SIGN_IN_PATH}/sign-in/email`, { method: 'POST', headers, body });
    const answer = await signIn.handle(request, { address: '203.0.113.7', requestId: 'req_1', publicOrigin: origin });
    return [answer.status, ((await answer.json()) as { error: { code: string } }).error.code];
  };
  const large = `{"email": "${'a'.repeat(8 * 1024)}"}`;
  expect(await refusal(large)).toEqual([413, 'payload_too_large']);
  expect(await refusal(new Blob([large]).stream())).toEqual([413, 'payload_too_large']);
  expect(await refusal(`{"email": [${'1,'.repeat(100)}1]}`)).toEqual([413, 'payload_too_large']);
  expect(await refusal(`{"email": ${'['.repeat(200)}${']'.repeat(200)}}`)).toEqual([413, 'payload_too_large']);
  expect(await refusal('{"email": "a\\u0000b"}')).toEqual([400, 'invalid_value']);
  expect(await refusal('[]')).toEqual([400, 'invalid_type']);
  expect(await refusal('{}', 'text/plain')).toEqual([400, 'unsupported_content_type']);
  let waited = 0;
  const later = globalThis.setTimeout;
  const timers = spyOn(globalThis, 'setTimeout').mockImplementationOnce(((run: () => void, ms = 0) => {
    waited = ms;
    return later(run, ms / 1_000);
  }) as typeof setTimeout);
  let isCancelled = false;
  const slow = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{')),
    cancel() {
      isCancelled = true;
    },
  });
  expect(await refusal(slow)).toEqual([408, 'request_timeout']);
  timers.mockRestore();
  expect([isCancelled, waited]).toEqual([true, 30_000]);
});

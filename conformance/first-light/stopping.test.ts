import { Database } from 'bun:sqlite';
import { afterAll, afterEach, expect, test } from 'bun:test';
import { chatBody } from '../shared/answer.ts';
import { asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import {
  type Answering,
  accountWith,
  channelTo,
  chatAnswer,
  clientKey,
  keyNamed,
  startUpstream,
  streamedAnswer,
} from './upstream.ts';

/* A gateway that is told to stop; acceptance/process tests the signals. */

const KEY = clientKey('main');
/** Longer than a test takes, so that no test ends by it. */
const LONG_MS = 300_000;

/** The rest of a stream after its first chunk is sent when a test says so. */
let goOn = Promise.withResolvers<void>();
const answering: Answering = async (request) => {
  if (request.model === 'paced') return streamedAnswer(request, { pieces: 5, rest: goOn.promise });
  if (request.model === 'silent') await new Promise((gone) => request.signal.addEventListener('abort', gone));
  return chatAnswer(request);
};
const upstream = startUpstream(answering);
const spaces: Workspace[] = [];

afterEach(() => {
  goOn.resolve();
  goOn = Promise.withResolvers();
});
afterAll(async () => {
  await Promise.all(spaces.map((space) => space.remove()));
  await upstream.stop();
});

async function start(graceMs: number) {
  const space = await Workspace.create();
  spaces.push(space);
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [channelTo(upstream, { models: ['quick', 'paced', 'silent'] })],
    accounts: [accountWith('acme', [keyNamed('main')])],
    server: { shutdown_grace_ms: graceMs },
  });
  return { space, serving: await space.serve({ env: { SWITCHYARD_CONFIG } }) };
}

/** Resolves to a stream whose first chunk has arrived, with its text once it has ended or was cut. */
async function openStream(serving: Serving) {
  const response = await serving.openChat(KEY, chatBody('paced', { stream: true }));
  const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await pieces?.read())?.value ?? '';
  const readOn = async () => {
    for (let piece = await pieces?.read(); piece?.value !== undefined; piece = await pieces?.read())
      text += piece.value;
  };
  const rest = readOn().then(
    () => text,
    () => text,
  );
  return { id: response.headers.get('x-request-id') ?? '-', rest };
}

function logged(space: Workspace, id: string) {
  const database = new Database(space.database, { readonly: true });
  const row = database.query<{ status: number; error_code: string | null }, [string]>(
    'SELECT status, error_code FROM request_log WHERE request_id = ?',
  );
  const found = row.get(id);
  database.close();
  return found;
}

test('a gateway without requests stops before the grace period is over', async () => {
  const { serving } = await start(LONG_MS);
  await serving.chat(KEY, chatBody('quick'));
  expect(await serving.stop()).toBe(0);
});

test('a running stream is finished, new requests are refused, and no log row is lost', async () => {
  const { space, serving } = await start(LONG_MS);
  const { id, rest } = await openStream(serving);
  const stopping = serving.stop();
  const ready = () =>
    fetch(`${serving.origin}/readyz`, { headers: { connection: 'close' } }).then(
      async (response) => {
        await response.text();
        return response.status;
      },
      () => 'refused',
    );
  await until('the gateway is no longer ready', async () => [503, 'refused'].includes(await ready()));
  goOn.resolve();
  expect(await rest).toContain('data: [DONE]');
  expect(await stopping).toBe(0);
  expect(serving.stdout).toContain('1 request(s) in flight');
  expect(logged(space, id)).toEqual({ status: 200, error_code: null });
});

test('a stream that outlasts the grace period ends with an error frame', async () => {
  const { space, serving } = await start(100);
  const { id, rest } = await openStream(serving);
  const stopping = serving.stop();
  const last = (await rest).trimEnd().split('\n\n').at(-1) ?? '';
  const error = asObject(asObject(parseJson(last.replace('data: ', ''))).error);
  expect(error).toMatchObject({ code: 'shutting_down', message: expect.stringContaining('shutting down') });
  expect(await stopping).toBe(0);
  expect(logged(space, id)).toEqual({ status: 200, error_code: 'shutting_down' });
});

test('a response that outlasts the grace period becomes an error in the envelope', async () => {
  const { space, serving } = await start(100);
  const asked = serving.chat(KEY, chatBody('silent'));
  await until('the upstream has the request', () => upstream.requests.at(-1)?.model === 'silent');
  const stopping = serving.stop();
  const { status, error, headers } = await asked;
  expect([status, error.code]).toEqual([503, 'shutting_down']);
  expect(await stopping).toBe(0);
  expect(logged(space, headers.get('x-request-id') ?? '-')).toEqual({ status: 503, error_code: 'shutting_down' });
});

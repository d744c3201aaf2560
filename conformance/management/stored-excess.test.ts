import { Database, type SQLQueryBindings } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { MOST_CHANNEL_MODELS, MOST_SERVED_MODELS } from '../../src/domain/catalog/channel-bounds.ts';
import type { Serving } from '../shared/serving.ts';
import { Workspace } from '../shared/workspace.ts';

/*
 * Excess data that an account stored before limits existed must not keep the gateway from starting, nor affect other accounts: here six
 * channels of 60,000 models each, written into the database.
 */

const TOKEN = 'mt-operator-of-this-scene-00000001';
const KEYS = { acme: 'sk-acme-of-this-scene-0000000001', globex: 'sk-globex-of-this-scene-000000001' };
const CHANNELS = ['a', 'b', 'c', 'd', 'e', 'f'];
const STORED_MODELS = 60_000;

let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  const env = {
    SWITCHYARD_CONFIG: await space.write('config.yaml', {
      sandbox: true,
      accounts: [
        { id: 'house', admin: true, keys: [], management_tokens: [{ id: 'ops', name: 'Ops', secret: TOKEN }] },
        ...Object.entries(KEYS).map(([id, secret]) => ({ id, keys: [{ id: 'ci', name: 'CI', secret }] })),
      ],
    }),
  };
  await (await space.serve({ env })).stop();
  storeChannels();
  serving = await space.serve({ env });
});
afterAll(() => space.remove());

/** Copies the sandbox channel, with an owner and many models. */
function storeChannels(): void {
  const database = new Database(space.database);
  const [row] = database.query<Record<string, SQLQueryBindings>, []>('SELECT * FROM channels').all();
  for (const id of CHANNELS) {
    const models = Array.from({ length: STORED_MODELS }, (_, index) => [`model-${id}-${index}`, `upstream-${index}`]);
    const columns = { ...row, id, owner: 'acme', provider: 'openai', origin: 'operator', costs: '{}' };
    const channel = { ...columns, models: JSON.stringify(Object.fromEntries(models)) };
    const marks = Object.keys(channel).map(() => '?');
    database
      .query(`INSERT INTO channels (${Object.keys(channel).join(', ')}) VALUES (${marks.join(', ')})`)
      .run(...Object.values(channel));
  }
  database.close();
}

// Tests know the shape of the body.
async function ask(path: string, secret: string, body?: object): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${serving.origin}${path}`, {
    method: body === undefined ? 'GET' : 'PATCH',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

const modelsOf = async (key: string) => (await ask('/v1/models', key)).body.data.map(({ id }: { id: string }) => id);

test('the account’s models are served up to the limit, and other accounts see none', async () => {
  const [own, others] = [await modelsOf(KEYS.acme), await modelsOf(KEYS.globex)];
  expect(own.length).toBe(others.length + MOST_SERVED_MODELS);
  expect([own.includes('model-a-0'), others.includes('model-a-0')]).toEqual([true, false]);
});

test('the log names the account and its channels', () => {
  const line = `${serving.stdout}\n${serving.stderr}`.split('\n').find((one) => one.includes('not served'));
  expect(JSON.parse(line ?? 'null')).toMatchObject({
    account_id: 'acme',
    channel_ids: CHANNELS,
    count: CHANNELS.length,
  });
});

test('channels report left-out models until their owner names fewer', async () => {
  for (const id of CHANNELS) {
    const { body } = await ask(`/v1/management/channels/${id}?account_id=acme`, TOKEN);
    expect([body.id, body.models_left_out]).toEqual([id, true]);
  }
  const change = (fields: object) => ask('/v1/management/channels/a?account_id=acme', TOKEN, fields);
  const refused = await change({ name: 'Renamed' });
  expect([refused.status, refused.body.error.message]).toEqual([
    400,
    expect.stringContaining(`at most ${MOST_CHANNEL_MODELS}`),
  ]);
  expect(await change({ api_key: 'upstream-key-of-thirty-characters', models: ['model-a-0'] })).toMatchObject({
    status: 200,
    body: { models_left_out: false },
  });
});

test('the metrics have no series for what accounts have stored', async () => {
  const metrics = await (await fetch(`${serving.origin}/metrics`)).text();
  expect(metrics.split('\n').filter((line) => /channel="[a-f]"/.test(line))).toEqual([]);
});

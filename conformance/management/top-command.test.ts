import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';

/* `switchyard top` and the list of running requests against a running gateway. */

const OPERATOR = 'mt-operator-of-the-top-0000000000001';
const TENANT = 'mt-tenant-of-the-top-000000000000001';
const KEY = 'sk-acme-of-the-top-00000000000000001';

/** Answers when the test says so. */
let release = Promise.withResolvers<void>();
const provider = Bun.serve({
  port: 0,
  idleTimeout: 0,
  fetch: async () => {
    await release.promise;
    return Response.json({
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'slow-model' },
      choices: [{ index: 0, message: { role: 'assistant', content: 'done' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
  },
});

let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  const token = (id: string, secret: string) => ({ id, name: id, secret });
  const file = await space.write('switchyard.yaml', {
    server: { metrics_token: 'metrics-token-of-the-top-000000001' },
    accounts: [
      { id: 'house', name: 'House', admin: true, keys: [], management_tokens: [token('ops', OPERATOR)] },
      {
        ...{
          id: 'acme',
          name: 'Acme',
          billing: 'unlimited',
          requests_per_minute: 1_000_000,
          keys: [{ id: 'laptop', name: 'Laptop', secret: KEY }],
        },
        management_tokens: [token('own', TENANT)],
      },
      {
        id: 'other',
        name: 'Other',
        billing: 'unlimited',
        keys: [],
        management_tokens: [token('foreign', `${TENANT}2`)],
      },
    ],
    channels: [
      {
        ...{ id: 'slow', name: 'Slow', provider: 'openai-compatible', base_url: `${provider.url.origin}/v1` },
        ...{ api_key: 'upstream-key', models: { 'slow-model': 'slow-model' } },
      },
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG: file } });
});

afterAll(async () => {
  release.resolve();
  await space.remove();
  await provider.stop(true);
});

function send(): Promise<string> {
  return fetch(`${serving.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'slow-model', messages: [{ role: 'user', content: 'hello' }] }),
  }).then((answer) => answer.text());
}

async function running(token: string): Promise<{ readonly model: string; readonly channel: string | null }[]> {
  const answer = await fetch(`${serving.origin}/v1/management/requests/running`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const list = (await answer.json()) as { readonly data: Awaited<ReturnType<typeof running>> };
  return list.data;
}

function top(args: readonly string[], token = OPERATOR): Serving {
  return space.begun(['top', '--url', serving.origin, '--interval', '1', ...args], {
    env: { SWITCHYARD_TOKEN: token },
  });
}

test('running requests are listed for operators and their account, and for nobody else', async () => {
  release = Promise.withResolvers();
  const sent = send();
  await until('the request is at the channel', async () => (await running(OPERATOR))[0]?.channel === 'slow');
  expect(await running(TENANT)).toMatchObject([
    { account: 'acme', key: 'laptop', model: 'slow-model', channel: 'slow' },
  ]);
  expect(await running(`${TENANT}2`)).toEqual([]);
  const [{ stdout }] = [
    await space.run(['top', '--url', serving.origin, '--once', '--slow', '0', '--interval', '1'], {
      env: { SWITCHYARD_TOKEN: OPERATOR },
    }),
  ];
  expect(stdout).toMatch(/^ok {2}\d\d:\d\d:\d\d/);
  expect(stdout).toMatch(/^slow +ready +1 /m);
  expect(stdout).toMatch(/^req_\S+ +running +\S+ slow-model +slow +acme/m);
  expect(stdout).not.toContain('\u001b');
  release.resolve();
  await sent;
  await until('it has ended', async () => (await running(OPERATOR)).length === 0);
});

test('a snapshot counts the requests that finish while it is made', async () => {
  release.resolve();
  // More are sent until one has finished while the command watches.
  let isOver = false;
  const sending = (async () => {
    while (!isOver) await send();
  })();
  const watching = top(['--json', '--account', 'acme', '--interval', '3']);
  expect(await watching.exited).toBe(0);
  isOver = true;
  await sending;
  const snapshot = JSON.parse(watching.stdout);
  expect(snapshot).toMatchObject({ object: 'top', status: 'ok', failed: 0, channels: [{ channel: 'slow' }] });
  expect(snapshot.requests).toBeGreaterThan(0);
  expect(snapshot.input_tokens).toBe(7 * snapshot.requests);
  expect(snapshot.groups).toMatchObject([{ name: 'slow-model', requests: snapshot.requests }]);
});

test('the token of an account sees requests, and neither channels nor the state of the gateway', async () => {
  const watching = top(['--json'], TENANT);
  expect(await watching.exited).toBe(0);
  expect(JSON.parse(watching.stdout)).toMatchObject({ status: null, in_flight: null, channels: [] });
});

test('a refused token and wrong options end it with a message', async () => {
  const refused = top([], 'mt-unknown');
  expect(await refused.exited).toBe(1);
  expect(refused.stderr).toBe(
    'switchyard: The management token is not valid. Send the header `Authorization: Bearer mt-…` with a management token of this gateway (`switchyard keys create --management` makes one).\n',
  );
  for (const args of [
    ['--group', 'nothing'],
    ['--sort', 'nothing'],
    ['--interval', '0'],
    ['--status', 'x'],
  ]) {
    expect(await top(args).exited).toBe(2);
  }
});

test('a snapshot that is interrupted prints nothing', async () => {
  const watching = top(['--once', '--interval', '60']);
  expect(await watching.stop()).toBe(130);
  expect(watching.stdout).toBe('');
});

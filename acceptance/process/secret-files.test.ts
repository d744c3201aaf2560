// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the notation of the configuration file.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from '../../conformance/first-light/upstream.ts';
import { chatBody } from '../../conformance/shared/answer.ts';
import { until } from '../../conformance/shared/until.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* Workers whose secrets are in files, and the health check of a container. */

const upstream = startUpstream();
let space: ProcessWorkspace;
let serving: ServingProcess;
let env: Record<string, string>;

beforeAll(async () => {
  space = await ProcessWorkspace.create();
  env = {
    SWITCHYARD_WORKERS: '2',
    SWITCHYARD_CONFIG: await space.write('switchyard.yaml', {
      channels: [channelTo(upstream, { models: ['m'], api_key: '${PROVIDER_KEY}' })],
      accounts: [accountWith('acme', [keyNamed('main')])],
    }),
    SWITCHYARD_SECRET_FILE: await space.write('secrets/master', 'the-master-secret-in-a-file\n'),
    PROVIDER_KEY_FILE: await space.write('secrets/provider', 'first-provider-key\n'),
  };
  serving = await space.serve({ env });
  await until('both workers serve', () => serving.stdout.includes('Workers: 2 processes'));
});
afterAll(async () => {
  await space?.remove();
  await upstream.stop();
});

test('new workers have the master secret of the start, and the provider key of now', async () => {
  await rm(space.path('secrets', 'master'));
  await space.write('secrets/provider', 'second-provider-key\n');
  const reloaded = await space.run(['reload']);
  expect([reloaded.exitCode, reloaded.stderr]).toEqual([0, '']);
  const { status } = await serving.chat(clientKey('main'), chatBody('m'));
  expect([status, upstream.requests.at(-1)?.headers.get('authorization')]).toEqual([200, 'Bearer second-provider-key']);
});

test('"switchyard health" says whether the gateway is ready', async () => {
  const PORT = String(serving.port);
  expect(await space.run(['health'], { env: { PORT, HOST: '0.0.0.0' } })).toEqual({
    exitCode: 0,
    stdout: `ready: http://127.0.0.1:${PORT}\n`,
    stderr: '',
  });
  expect((await space.run(['health', '--live'], { env: { PORT } })).exitCode).toBe(0);
  await serving.stop();
  expect(await space.run(['health'], { env: { PORT } })).toMatchObject({ exitCode: 1, stdout: '' });
});

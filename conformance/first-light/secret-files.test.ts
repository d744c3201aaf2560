// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the notation of the configuration file.

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chatBody } from '../shared/answer.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from './upstream.ts';

/* A gateway whose secrets are in files that NAME_FILE names. */

const upstream = startUpstream();
let space: Workspace;
let serving: Serving;
let env: Record<string, string>;

beforeAll(async () => {
  space = await Workspace.create();
  env = {
    SWITCHYARD_CONFIG: await space.write('switchyard.yaml', {
      channels: [channelTo(upstream, { models: ['m'], api_key: '${PROVIDER_KEY}' })],
      accounts: [accountWith('acme', [keyNamed('main')])],
    }),
    SWITCHYARD_SECRET_FILE: await space.write('secrets/master', 'the-master-secret-in-a-file\n'),
    PROVIDER_KEY_FILE: await space.write('secrets/provider', 'first-provider-key\n'),
  };
  serving = await space.serve({ env });
});
afterAll(async () => {
  await space.remove();
  await upstream.stop();
});

/** Resolves to the credentials that the upstream gets. */
const keySent = async () => {
  const { status } = await serving.chat(clientKey('main'), chatBody('m'));
  return [status, upstream.requests.at(-1)?.headers.get('authorization')];
};

test('the gateway uses the contents, and creates no secret of its own', async () => {
  expect(await keySent()).toEqual([200, 'Bearer first-provider-key']);
  expect(await Bun.file(space.path('data', 'master-secret')).exists()).toBe(false);
  const listed = await space.run(['channels', 'list'], { env });
  expect([listed.exitCode, listed.stdout.includes('main')]).toEqual([0, true]);
});

test('a reload reads the key of the provider again, and keeps the old one if the file is empty', async () => {
  await space.write('secrets/provider', '');
  serving.reloadConfiguration();
  await until('the reload is refused', () => serving.stdout.includes('PROVIDER_KEY_FILE: '));
  expect(serving.stdout).toContain('is empty');
  expect(await keySent()).toEqual([200, 'Bearer first-provider-key']);
  await space.write('secrets/provider', 'second-provider-key');
  serving.reloadConfiguration();
  await until('the new key is used', async () => (await keySent())[1] === 'Bearer second-provider-key');
});

test('commands with another secret, or with both forms, fail in one line', async () => {
  const other = { ...env, SWITCHYARD_SECRET: 'another-secret-in-the-environment' };
  expect(await space.run(['keys', 'list'], { env: other })).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'switchyard: SWITCHYARD_SECRET_FILE: SWITCHYARD_SECRET is set as well. Remove one of the two\n',
  });
  const missing = { ...env, SWITCHYARD_SECRET_FILE: space.path('secrets/gone') };
  const { exitCode, stderr } = await space.run(['serve'], { env: missing });
  expect([exitCode, stderr]).toEqual([
    1,
    `switchyard: SWITCHYARD_SECRET_FILE: ${space.path('secrets/gone')}: there is no such file. Create or mount it, or correct the path\n`,
  ]);
});

import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from './upstream.ts';

/* A gateway that reloads its configuration; acceptance/process tests that SIGHUP triggers it. */

const upstream = startUpstream();
let space: Workspace;
let serving: Serving;

const file = (models: readonly string[], server: object = {}) => ({
  channels: [channelTo(upstream, { models })],
  accounts: [accountWith('acme', [keyNamed('main')])],
  server,
});

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', file(['first']));
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
});
afterAll(async () => {
  await space.remove();
  await upstream.stop();
});

async function models(): Promise<readonly string[]> {
  const response = await fetch(`${serving.origin}/v1/models`, {
    headers: { authorization: `Bearer ${clientKey('main')}` },
  });
  const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] };
  return data.map(({ id }) => id).sort();
}

async function logged(message: string): Promise<string> {
  await until(message, () => serving.stdout.includes(message));
  return serving.stdout.split('\n').find((line) => line.includes(message)) ?? '';
}

test('a changed file is applied without a restart, and settings that need a restart are named', async () => {
  await space.write('switchyard.yaml', file(['first', 'second'], { shutdown_grace_ms: 5 }));
  serving.reloadConfiguration();
  expect(JSON.parse(await logged('take effect at the next start')).sections).toEqual(['server']);
  expect(await models()).toEqual(['first', 'second']);
});

test('an invalid file changes nothing, and the log names the error', async () => {
  await space.write('switchyard.yaml', 'channels: [{id: broken}]');
  serving.reloadConfiguration();
  const { problems } = JSON.parse(await logged('could not be reloaded'));
  expect(problems.join('\n')).toContain('switchyard.yaml:1');
  expect(await models()).toEqual(['first', 'second']);
});

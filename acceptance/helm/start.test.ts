import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chatBody } from '../../conformance/shared/answer.ts';
import type { Workspace } from '../../conformance/shared/workspace.ts';
import { startTestPostgres, type TestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import { ProcessWorkspace } from '../shared/process-workspace.ts';
import { at, containersOf, type Json, type Manifest, manifests, ofKind, only, podSpecOf } from './chart.ts';

/* The Job and a Pod of a rendered chart as processes: with their arguments, variables and files, and nothing else. */

const TIMEOUT_MS = 300_000;

let server: TestPostgres;
let space: ProcessWorkspace;
let databaseUrl: string;
let all: readonly Manifest[];

beforeAll(async () => {
  server = await startTestPostgres();
  databaseUrl = await server.createDatabase();
  space = await ProcessWorkspace.create();
  all = await manifests({
    database: { type: 'external', url: databaseUrl },
    masterSecret: { generate: true },
    metrics: { enabled: true, token: { value: 'a-token-for-prometheus' } },
    secrets: { CLIENT_KEY: { value: 'sk-a-key-from-a-secret-of-the-chart' } },
    config: {
      sandbox: true,
      server: { drain_ms: 0 },
      accounts: [{ id: 'acme', billing: 'unlimited', keys: [{ id: 'ci', secret: `\${CLIENT_KEY}` }] }],
    },
  });
}, TIMEOUT_MS);
afterAll(async () => {
  await space?.remove();
  await server?.stop();
}, TIMEOUT_MS);

/** Mounts the volumes of a workload below the workspace's folder; resolves to the container's arguments and variables. */
async function mounted(
  manifest: Manifest,
): Promise<{ readonly args: readonly string[]; readonly env: Record<string, string> }> {
  const spec = podSpecOf(manifest) ?? {};
  const [container] = containersOf(spec);
  const root = manifest.kind.toLowerCase();
  const volumes = spec.volumes as Json[];
  const mounts = (container?.volumeMounts ?? []) as { readonly name: string; readonly mountPath: string }[];
  for (const { name, mountPath } of mounts) {
    const volume = volumes.find((one) => one.name === name);
    await writeFiles(space, root + mountPath, filesIn(volume));
  }
  const variables = (container?.env ?? []).map(({ name, value }) => [
    name,
    /^\//.test(value) ? space.path(root) + value : value,
  ]);
  return { args: container?.args ?? [], env: Object.fromEntries(variables) };
}

async function writeFiles(into: Workspace, folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await into.write(`${folder}/.mounted`, '');
  for (const [name, text] of Object.entries(files)) await into.write(`${folder}/${name}`, text);
}

/** Returns the files of a volume; none of a volume for data. */
function filesIn(volume: unknown): Record<string, string> {
  const sources = (at(volume, 'projected', 'sources') ?? []) as Json[];
  const files = sources.map((source) => {
    const secret = only(all, 'Secret', String(at(source, 'secret', 'name')));
    const { key, path } = at(source, 'secret', 'items', 0) as { key: string; path: string };
    return [path, atob(String(at(secret, 'data', key)))];
  });
  const name = at(volume, 'configMap', 'name');
  const [map] = ofKind(all, 'ConfigMap').filter(({ metadata }) => metadata.name === name);
  return { ...Object.fromEntries(files), ...(map?.data as Record<string, string> | undefined) };
}

test(
  'the Job makes the database ready, and then a Pod serves with the configuration and secrets of the chart',
  async () => {
    const job = await mounted(only(all, 'Job'));
    const migrated = await space.run(job.args, { env: job.env });
    expect([migrated.exitCode, migrated.stderr]).toEqual([0, expect.any(String)]);
    const pod = await mounted(only(all, 'Deployment'));
    const serving = await space.serve({ args: pod.args, env: { ...pod.env, HOST: '127.0.0.1', PORT: '0' } });
    const answer = await serving.chat('sk-a-key-from-a-secret-of-the-chart', chatBody('sandbox-chat'));
    expect(answer.status).toBe(200);
    expect((await fetch(`${serving.origin}/readyz`)).status).toBe(200);
    const metrics = (token: string) =>
      fetch(`${serving.origin}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    expect((await metrics('a-token-for-prometheus')).status).toBe(200);
    expect((await metrics('another-token')).status).not.toBe(200);
    expect(await serving.stop()).toBe(0);
  },
  TIMEOUT_MS,
);

test(
  'the defaults give a gateway that answers with the key that it prints',
  async () => {
    const pod = await mounted(only(await manifests('defaults'), 'Deployment'));
    const serving = await space.serve({ args: pod.args, env: { ...pod.env, HOST: '127.0.0.1', PORT: '0' } });
    const answer = await serving.chat(serving.firstKey ?? '', chatBody('sandbox-chat'));
    expect(answer.status).toBe(200);
  },
  TIMEOUT_MS,
);

import { afterAll, beforeAll, expect, test } from 'bun:test';
import path from 'node:path';
import { accountWith, clientKey, keyNamed } from '../../conformance/first-light/upstream.ts';
import { asObject, parseJson } from '../../conformance/shared/json.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { PROJECT, Workspace } from '../../conformance/shared/workspace.ts';
import { type ClientResult, generateClient } from './client.ts';

const TIMEOUT_MS = 600_000;
const KEY = clientKey('one');
const TOKEN = `mt-${'operator'.repeat(5)}`;
const MODELS = ['sandbox-chat', 'sandbox-image', 'sandbox-video'];

let space: Workspace;
let serving: Serving;

beforeAll(async () => {
  space = await Workspace.create();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [{ id: 'sandbox', provider: 'sandbox', models: Object.fromEntries(MODELS.map((id) => [id, id])) }],
    tasks: { poll_interval_ms: 20 },
    accounts: [
      accountWith('one', [keyNamed('one')], {
        ...{ requests_per_minute: 100_000, admin: true },
        management_tokens: [{ id: 'operator', secret: TOKEN }],
      }),
    ],
  });
  serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
}, TIMEOUT_MS);
afterAll(() => space?.remove(), TIMEOUT_MS);

/** Resolves to the output of a program, which must exit successfully without errors. The gateway keeps serving meanwhile. */
async function outputOf(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = Bun.spawn([...command], { env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect({ exitCode, stderr, ...(exitCode !== 0 && { stdout }) }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

test(
  'it completes a chat, creates an image and a task, and makes a key',
  async () => {
    const document = asObject(await (await fetch(`${serving.origin}/openapi.json`)).json());
    const folder = space.path('generated');
    const program = await generateClient(document, folder);
    expect(await outputOf([path.join(PROJECT, 'node_modules', '.bin', 'tsc'), '-p', folder])).toBe('');
    const result = parseJson(await outputOf([process.execPath, program], { ORIGIN: serving.origin, KEY, TOKEN }));
    const { answer, image, task, refused, key } = result as ClientResult;
    expect(answer).toContain('synthetic answer');
    expect(image).toStartWith(`${serving.origin}/media/`);
    expect([task, refused]).toEqual(['completed', '404 async_task_not_found']);
    expect(key).toMatch(/^sk-/);
  },
  TIMEOUT_MS,
);

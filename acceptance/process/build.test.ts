import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import {
  accountWith,
  channelTo,
  clientKey,
  keyNamed,
  startUpstream,
  wholeAnswer,
} from '../../conformance/first-light/upstream.ts';
import { chatBody, rawRequest } from '../../conformance/shared/answer.ts';
import { freePort } from '../../conformance/shared/free-port.ts';
import { until } from '../../conformance/shared/until.ts';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { copyOldDatabase, OLD_DATABASE } from '../../src/stores/sqlite/testing/2026-11-28/index.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/** More than the 256 parallel requests that Bun allows by default. */
const AT_ONCE = 400;

describe('the single executable', () => {
  let space: ProcessWorkspace;
  let executable: string;

  beforeAll(async () => {
    space = await ProcessWorkspace.create();
    executable = space.path('bin', 'switchyard');
    const steps = packageJson.scripts.build.replaceAll('dist/', `${space.path('bin')}/`).split(' && ');
    expect(steps.at(-1)).toEndWith(` --outfile ${executable}`);
    for (const step of steps) {
      const [command, ...args] = step.split(' ');
      expect(command).toBe('bun');
      const build = Bun.spawn([process.execPath, ...args], { cwd: PROJECT, stdout: 'pipe', stderr: 'pipe' });
      const output = (await build.stdout.text()) + (await build.stderr.text());
      expect([await build.exited, output]).toEqual([0, output]);
    }
  });

  afterAll(() => space.remove());

  /** Runs it without the project, Node or Bun. */
  const alone = () => ({ program: [executable], cwd: space.folder, env: { PATH: '/nowhere' } });

  test('serves with a first key that survives a restart, and stops on request', async () => {
    let serving = await space.serve(alone());
    const key = serving.firstKey ?? '';
    expect(key).toMatch(/^sk-/);
    const whole = await serving.chat(key, chatBody('sandbox-chat'));
    expect([whole.status, whole.text]).toEqual([200, expect.stringContaining('synthetic')]);
    expect((await serving.chat(key, chatBody('sandbox-chat', { stream: true }))).text).toContain('data: [DONE]');
    const { exitCode, stdout, stderr } = await space.run(['keys', 'list'], alone());
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^key_\w+ +default +First key +sk-/m);

    expect(await serving.stop()).toBe(0);
    expect(await fetch(serving.origin).catch(() => 'refused')).toBe('refused');
    serving = await space.serve(alone());
    expect(serving.firstKey).toBeNull();
    expect((await serving.chat(key, chatBody('sandbox-chat'))).status).toBe(200);
    await serving.stop();
  });

  test('contains the API reference and the guides', async () => {
    const serving = await space.serve(alone());
    try {
      const page = await fetch(`${serving.origin}/docs`);
      const [script = ''] = /docs\/scalar-[\da-f]+\.js/.exec(await page.text()) ?? [];
      const answer = await fetch(`${serving.origin}/${script}`);
      expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'br']);
      expect(await answer.text()).toContain('createApiReference');
      expect(await (await fetch(`${serving.origin}/docs/guides/errors`)).text()).toContain('model_not_found');
      expect((await fetch(`${serving.origin}/docs`, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
    } finally {
      await serving.stop();
    }
  });

  test('contains the dashboard', async () => {
    const serving = await space.serve(alone());
    try {
      const page = await fetch(serving.origin, { headers: { accept: 'text/html' } });
      const [script = ''] = /app\/assets\/main-\w+\.js/.exec(await page.text()) ?? [];
      const answer = await fetch(`${serving.origin}/${script}`);
      expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'br']);
      expect((await answer.text()).length).toBeGreaterThan(100_000);
      expect(existsSync(space.path('data', 'dashboard'))).toBe(false);
    } finally {
      await serving.stop();
    }
  });

  test('responds on its port while it upgrades an earlier database, then serves there', async () => {
    const SWITCHYARD_DATA = space.path('earlier');
    await mkdir(SWITCHYARD_DATA, { mode: 0o700 });
    await copyOldDatabase(space.path('earlier', 'switchyard.sqlite'));
    const PORT = String(await freePort());
    const env = { ...alone().env, SWITCHYARD_DATA, SWITCHYARD_SECRET: OLD_DATABASE.secret, PORT };
    const serving = await space.serve({ ...alone(), env });
    expect(serving.stdout).toContain('the database file has been upgraded');
    expect(serving.port).toBe(Number(PORT));
    await serving.stop();
  });

  test('runs the other commands', async () => {
    const doctor = await space.run(['doctor', '--port', '0'], alone());
    expect([doctor.exitCode, doctor.stdout]).toEqual([0, expect.stringMatching(/^ok +runtime /m)]);
    expect((await space.run(['--version'], alone())).stdout).toBe(`${packageJson.version}\n`);
    expect((await space.run(['nothing'], alone())).exitCode).toBe(2);
  });

  test(`has ${AT_ONCE} upstream requests in flight at once`, async () => {
    let open = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const upstream = startUpstream(async (request) => {
      open++;
      await released;
      open--;
      return wholeAnswer(request);
    });
    let serving: ServingProcess | null = null;
    try {
      const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
        channels: [channelTo(upstream, { models: ['slow'] })],
        accounts: [accountWith('acme', [keyNamed('main')])],
      });
      serving = await space.serve({ ...alone(), env: { ...alone().env, SWITCHYARD_CONFIG } });
      const body = JSON.stringify(chatBody('slow'));
      const head = [
        'POST /v1/chat/completions HTTP/1.1',
        'host: gateway',
        `authorization: Bearer ${clientKey('main')}`,
        'content-type: application/json',
        `content-length: ${body.length}`,
      ].join('\r\n');
      const { port } = serving;
      const answers = Array.from({ length: AT_ONCE }, () => rawRequest(port, `${head}\r\n\r\n${body}`));
      try {
        await until(`${AT_ONCE} are open`, () => open === AT_ONCE);
      } finally {
        release();
      }
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(AT_ONCE);
    } finally {
      await serving?.stop();
      await upstream.stop();
    }
  });
});

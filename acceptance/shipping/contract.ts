import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { accountWith, clientKey, keyNamed } from '../../conformance/first-light/upstream.ts';
import { answerOf, chatBody } from '../../conformance/shared/answer.ts';
import { freePort } from '../../conformance/shared/free-port.ts';
import { asArray, asObject } from '../../conformance/shared/json.ts';
import { until } from '../../conformance/shared/until.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { copyOldDatabase, OLD_DATABASE } from '../../src/stores/sqlite/testing/2026-11-28/index.ts';
import type { ProcessOptions, ProcessWorkspace, ServingProcess } from '../shared/process-workspace.ts';

/** An installation without the project, under test. */
export interface Installation {
  readonly space: ProcessWorkspace;
  readonly options: ProcessOptions & { readonly env: Readonly<Record<string, string>> };
}

/** The version, the commit (with `+changes` in a worktree that differs from it) and the date. */
const VERSION_LINE = new RegExp(
  `^${packageJson.version.replaceAll('.', '\\.')} \\((commit [0-9a-f]{12}(\\+changes)?, )?built \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\\)\\n$`,
);
const QUESTION = 'How do I reset my password?';
const SAME_QUESTION = 'how can I reset my password';
const EMBEDDING_MODEL = 'universal-sentence-encoder-lite';

/** Declares the tests that every form of installation must pass. Between them they use all worker threads and all data files. */
export function testInstallation(installation: () => Installation): void {
  const serve = (args: readonly string[] = []) => {
    const { space, options } = installation();
    return space.serve({ ...options, args });
  };

  test('serves without arguments, with a first key that survives a restart', async () => {
    const { space, options } = installation();
    let serving = await serve();
    const key = serving.firstKey ?? '';
    expect(key).toMatch(/^sk-/);
    const whole = await serving.chat(key, chatBody('sandbox-chat'));
    expect([whole.status, whole.text]).toEqual([200, expect.stringContaining('synthetic')]);
    expect((await serving.chat(key, chatBody('sandbox-chat', { stream: true }))).text).toContain('data: [DONE]');
    const { exitCode, stdout, stderr } = await space.run(['keys', 'list'], options);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^key_\w+ +default +First key +sk-/m);

    expect(await serving.stop()).toBe(0);
    expect(await fetch(serving.origin).catch(() => 'refused')).toBe('refused');
    serving = await serve();
    expect(serving.firstKey).toBeNull();
    expect((await serving.chat(key, chatBody('sandbox-chat'))).status).toBe(200);
    await serving.stop();
  });

  test('states its version, and runs the other commands', async () => {
    const { space, options } = installation();
    expect((await space.run(['--version'], options)).stdout).toMatch(VERSION_LINE);
    const doctor = await space.run(['doctor', '--port', '0'], options);
    expect([doctor.exitCode, doctor.stdout]).toEqual([0, expect.stringMatching(/^ok +runtime /m)]);
    expect((await space.run(['nothing'], options)).exitCode).toBe(2);
  });

  test('responds on its port while it upgrades an earlier database, then serves there', async () => {
    const { space, options } = installation();
    const SWITCHYARD_DATA = space.path('earlier');
    await mkdir(SWITCHYARD_DATA, { mode: 0o700 });
    await copyOldDatabase(space.path('earlier', 'switchyard.sqlite'));
    const PORT = String(await freePort());
    const env = { ...options.env, SWITCHYARD_DATA, SWITCHYARD_SECRET: OLD_DATABASE.secret, PORT };
    const serving = await space.serve({ ...options, env });
    expect(serving.stdout).toContain('the database file has been upgraded');
    expect(serving.port).toBe(Number(PORT));
    await serving.stop();
  });

  test('backs up a data folder, and restores it', async () => {
    const { space, options } = installation();
    const from = ['--data', space.path('backed-up')];
    await space.run(['accounts', 'create', 'acme', ...from], options);
    const made = await space.run(['backup', '--with-secret', ...from, space.path('backup.tar')], options);
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    const to = ['--data', space.path('restored')];
    const restored = await space.run(['restore', ...to, space.path('backup.tar')], options);
    expect([restored.exitCode, restored.stderr]).toEqual([0, '']);
    expect(restored.stdout).toContain('the master secret decrypts it');
  });

  testRunning(installation);
}

/** Tests that share a gateway. */
function testRunning(installation: () => Installation): void {
  let starting: Promise<ServingProcess> | undefined;
  const running = () => {
    starting ??= start(installation());
    return starting;
  };

  test('contains the API reference and the guides', async () => {
    const { origin } = await running();
    const page = await fetch(`${origin}/docs`);
    const [script = ''] = /docs\/scalar-[\da-f]+\.js/.exec(await page.text()) ?? [];
    const answer = await fetch(`${origin}/${script}`);
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, 'br']);
    expect(await answer.text()).toContain('createApiReference');
    expect(await (await fetch(`${origin}/docs/guides/errors`)).text()).toContain('model_not_found');
    expect((await fetch(`${origin}/docs`, { method: 'POST' })).headers.get('allow')).toBe('GET, HEAD');
  });

  test('contains the dashboard', async () => {
    const { origin } = await running();
    const page = await fetch(origin, { headers: { accept: 'text/html' } });
    const [script = ''] = /app\/assets\/main-\w+\.js/.exec(await page.text()) ?? [];
    const answer = await fetch(`${origin}/${script}`);
    expect([page.status, answer.status, answer.headers.get('content-encoding')]).toEqual([200, 200, 'br']);
    expect((await answer.text()).length).toBeGreaterThan(100_000);
    expect(existsSync(installation().space.path('running', 'dashboard'))).toBe(false);
  });

  test('answers an equivalent question from the semantic cache', async () => {
    const serving = await running();
    const isCached = async (system: string, content: string) => {
      const messages = [
        { role: 'system', content: system },
        { role: 'user', content },
      ];
      const answer = await serving.chat(clientKey('acme'), chatBody('sandbox-chat', { messages }));
      expect(answer.status).toBe(200);
      return asObject(answer.json._routing).cached === true;
    };
    let tries = 0;
    // A request does not wait long for the model. Each try has another system prompt, since its answers are stored.
    await until('an equivalent question is answered from the cache', async () => {
      const system = `You are assistant number ${++tries}.`;
      expect(await isCached(system, QUESTION)).toBe(false);
      return isCached(system, SAME_QUESTION);
    });
  });

  test('embeds texts with the packaged model', async () => {
    const serving = await running();
    const headers = { authorization: `Bearer ${clientKey('acme')}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: EMBEDDING_MODEL, input: 'Hello!' });
    const answer = await answerOf(await fetch(`${serving.baseUrl}/embeddings`, { method: 'POST', headers, body }));
    const [first] = asArray(answer.json.data);
    expect([answer.status, asArray(asObject(first).embedding).length]).toEqual([200, 512]);
  });

  test('counts the outcomes of requests', async () => {
    const serving = await running();
    const headers = { authorization: `Bearer ${clientKey('acme')}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'sandbox-image', prompt: 'a switchyard' });
    const made = await fetch(`${serving.baseUrl}/images/generations`, { method: 'POST', headers, body });
    expect(made.status).toBe(200);
    await made.body?.cancel();
    await until('the success rate is known', async () => {
      const ranking = await fetch(`${serving.baseUrl}/models?recommended_for=image`, { headers });
      return (await ranking.text()).includes('"success_rate_24h":1');
    });
  });

  test('logs no warning', async () => {
    const { stdout, stderr } = await running();
    expect([stderr, stdout.match(/^.*"level":"?(?:warn|error|[456]0).*$/gm)]).toEqual(['', null]);
  });
}

async function start({ space, options }: Installation): Promise<ServingProcess> {
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    sandbox: true,
    channels: [{ id: 'local', provider: 'local', models: [EMBEDDING_MODEL] }],
    accounts: [{ ...accountWith('acme', [keyNamed('acme')]), cache: { strategy: 'semantic' } }],
    discovery: { refresh_ms: 1_000, minimum_samples: 1 },
  });
  const env = { ...options.env, SWITCHYARD_CONFIG, SWITCHYARD_DATA: space.path('running') };
  return space.serve({ ...options, env });
}

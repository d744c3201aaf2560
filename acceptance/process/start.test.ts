import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import path from 'node:path';
import { chatBody } from '../../conformance/shared/answer.ts';
import { asObject, parseJson } from '../../conformance/shared/json.ts';
import { bareEnvironment, PROJECT } from '../../conformance/shared/workspace.ts';
import { LAUNCHER, ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* Runs the commands from a shell; conformance/first-light tests what they do. */

let space: ProcessWorkspace;

beforeAll(async () => {
  space = await ProcessWorkspace.create();
});
afterAll(() => space.remove());

async function shell(line: string, env: Record<string, string> = bareEnvironment()): Promise<string> {
  const child = Bun.spawn(['bash', '-c', line], { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const output = await child.stdout.text();
  expect(await child.exited).toBe(0);
  return output;
}

/** One line of text, and no stack. */
function expectOneLine(stderr: string): void {
  expect(stderr).toMatch(/^switchyard: [^\n]+\n$/);
}

describe('the first start by the launcher, in an empty folder', () => {
  let serving: ServingProcess;
  let key: string;

  const start = () => space.serve({ program: LAUNCHER, env: { SWITCHYARD_DATA: space.path('launched') } });

  beforeAll(async () => {
    serving = await start();
    key = serving.firstKey ?? '';
  });
  afterAll(() => serving.stop());

  test('prints a key once, and only a curl line with it', () => {
    expect(key).toMatch(/^sk-[0-9A-Za-z]{32,}$/);
    expect(serving.curlLine).toContain(`Bearer ${key}`);
    expect(serving.stdout).not.toContain('"level"');
    expect(serving.stderr).toBe('');
  });

  test('the printed curl line works, also with `"stream": true`', async () => {
    const answer = asObject(parseJson(await shell(serving.curlLine)));
    expect(answer).toMatchObject({ object: 'chat.completion', model: 'sandbox-chat' });
    expect(await shell(`${serving.curlLine} -s -o /dev/null -w '%{http_code} %{content_type}'`)).toBe(
      '200 application/json',
    );
    const text = await shell(serving.curlLine.replace('{"model"', '{"stream":true,"model"'));
    expect(text).toMatch(/^data: \{/);
    expect(text).toMatch(/\ndata: \[DONE\]\n\n$/);
  });

  test('a second start prints no key, and the first key still works', async () => {
    await serving.stop();
    serving = await start();
    expect(serving.stdout).not.toContain('sk-');
    expect((await serving.chat(key, chatBody('sandbox-chat'))).status).toBe(200);
  });
});

test('an unknown command is reported in one line with exit code 2, also by the launcher', async () => {
  for (const program of [undefined, LAUNCHER]) {
    const { exitCode, stdout, stderr } = await space.run(['sevre'], program ? { program } : {});
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^switchyard: unknown command 'sevre'[^\n]*\n$/);
  }
});

test('long output arrives whole when it is read slowly', async () => {
  const program = `${process.execPath} ${path.join(PROJECT, 'src', 'main', 'switchyard.ts')}`;
  const env = { SWITCHYARD_DATA: space.path('piped') };
  // The reader starts after the pipe is full.
  const piped = shell(`${program} catalog list --json | { sleep 1; wc -c; }`, bareEnvironment(env));
  const whole = await space.run(['catalog', 'list', '--json'], { env });
  expect(whole.stdout.length).toBeGreaterThan(200_000);
  expect(Number(await piped)).toBe(Buffer.byteLength(whole.stdout));
});

describe('a failed start is explained in one line', () => {
  test('an unknown log level is rejected first by every command', async () => {
    for (const command of [
      ['serve', '--port', '0'],
      ['keys', 'list'],
    ]) {
      const { exitCode, stdout, stderr } = await space.run(command, { env: { LOG_LEVEL: 'loud' } });
      expect([exitCode, stdout]).toEqual([2, '']);
      expectOneLine(stderr);
      expect(stderr).toContain('LOG_LEVEL');
    }
  });

  test('a port in use does not consume the first key', async () => {
    const occupant = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('mine') });
    try {
      const { exitCode, stdout, stderr } = await space.run(['serve'], { env: { PORT: String(occupant.port) } });
      expect([exitCode, stdout]).toEqual([1, '']);
      expectOneLine(stderr);
      expect(stderr).toContain(`${occupant.port}`);
    } finally {
      await occupant.stop(true);
    }
    const serving = await space.serve();
    expect(serving.firstKey).toMatch(/^sk-/);
    expect((await serving.chat(serving.firstKey ?? '', chatBody('sandbox-chat'))).status).toBe(200);
    await serving.stop();
  });

  test.each(['127.0.0.1', '0.0.0.0'])(
    'the port of another gateway on %s is refused, whichever address is requested',
    async (first) => {
      const serving = await space.serve({ env: { HOST: first, SWITCHYARD_DATA: space.path('first') } });
      try {
        const PORT = String(serving.port);
        for (const second of ['127.0.0.1', '0.0.0.0']) {
          const env = { HOST: second, PORT, SWITCHYARD_DATA: space.path('second') };
          const { exitCode, stdout, stderr } = await space.run(['serve'], { env });
          expect([exitCode, stdout]).toEqual([1, '']);
          expectOneLine(stderr);
          expect(stderr).toContain(`Port ${PORT} on ${second} is in use.`);
        }
      } finally {
        await serving.stop();
      }
    },
  );
});

import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Server } from 'bun';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;
const servers: Server<undefined>[] = [];

beforeEach(async () => {
  fixture = await CommandFixture.create();
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(true)));
  await fixture.remove();
});

/** Starts a program that answers each path with a status and a body; returns its port. */
function program(answers: Readonly<Record<string, readonly [status: number, body: unknown]>>): string {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const [status, body] = answers[new URL(request.url).pathname] ?? [404, 'not found'];
      return typeof body === 'string' ? new Response(body, { status }) : Response.json(body, { status });
    },
  });
  servers.push(server);
  return String(server.port);
}

const LIVE = { '/healthz': [200, { status: 'ok' }] } as const;

test('a ready gateway is ready and live', async () => {
  const PORT = program({ ...LIVE, '/readyz': [200, { status: 'ready' }] });
  const line = (word: string) => ({ exitCode: 0, stdout: `${word}: http://127.0.0.1:${PORT}\n`, stderr: '' });
  expect(await fixture.run(['health'], { PORT })).toEqual(line('ready'));
  expect(await fixture.run(['health', '--live'], { PORT, HOST: '0.0.0.0' })).toEqual(line('live'));
  expect(await fixture.run(['health', '--port', PORT], { PORT: '1', HTTP_PROXY: 'http://127.0.0.1:9' })).toEqual(
    line('ready'),
  );
});

test('a gateway that takes no requests is not ready, but live', async () => {
  const PORT = program({ ...LIVE, '/readyz': [503, { status: 'not_ready', reason: 'shutting\n down' }] });
  expect(await fixture.run(['health'], { PORT })).toEqual({
    ...{ exitCode: 1, stdout: '' },
    stderr: 'switchyard: not ready: shutting� down\n',
  });
  expect((await fixture.run(['health', '--live'], { PORT })).exitCode).toBe(0);
});

test('another program on the port is not a gateway', async () => {
  for (const answers of [{}, { '/readyz': [200, 'hello'] }, { '/readyz': [200, null] }] as const) {
    const { exitCode, stderr } = await fixture.run(['health'], { PORT: program(answers) });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^switchyard: http:\/\/127\.0\.0\.1:\d+\/readyz was answered with HTTP \d+ by another program.*\n$/,
    );
  }
});

test('a port on which nothing listens, and one that is not known, are named', async () => {
  const PORT = program({});
  await servers.pop()?.stop(true);
  const { exitCode, stderr } = await fixture.run(['health'], { PORT });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^switchyard: http:\/\/127\.0\.0\.1:\d+ does not answer \(\w+\)\. Start the gateway.*\n$/);
  expect(await fixture.run(['health'], { PORT: '0' })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--port'),
  });
  expect(await fixture.run(['health', '--timeout', '0'])).toMatchObject({ exitCode: 2 });
});

test('a program that never answers is given up after the timeout', async () => {
  const silent = Bun.listen({ port: 0, hostname: '127.0.0.1', socket: { data() {} } });
  try {
    const { exitCode, stderr } = await fixture.run(['health', '--timeout', '1', '--port', String(silent.port)]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('does not answer (');
  } finally {
    silent.stop(true);
  }
});

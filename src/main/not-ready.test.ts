import { afterEach, expect, test } from 'bun:test';
import { answerNotReady } from './not-ready.ts';

let stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
});

/** Returns a port that was free just now. */
function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  listener.stop(true);
  return listener.port;
}

async function answerOn(port: number) {
  const stop = await answerNotReady({ host: '127.0.0.1', port, inGroup: false, reason: 'The database is busy.' });
  stops.push(stop);
  return stop;
}

test('while the main thread is busy, the process is alive but not ready, and refuses requests', async () => {
  const port = freePort();
  await answerOn(port);
  // Blocks this thread until the program has its answers, as an upgrade of an SQLite file does.
  const script = `
    for (const path of ['healthz', 'readyz', 'v1/models']) {
      const answer = await fetch('http://127.0.0.1:${port}/' + path);
      console.log(answer.status, answer.headers.get('retry-after'), await answer.text());
    }`;
  // A process: this thread is blocked while it asks.
  const { stdout } = Bun.spawnSync([process.execPath, '-e', script]);
  expect(stdout.toString().trim().split('\n')).toEqual([
    '200 null {"status":"ok"}',
    '503 5 {"status":"not_ready","reason":"The database is busy."}',
    '503 5 {"error":{"code":"not_ready","message":"The database is busy."}}',
  ]);
});

test('the address is free afterwards, also if a client keeps its connection', async () => {
  const port = freePort();
  const stop = await answerOn(port);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  await stop();
  await stop();
  const gateway = Bun.serve({ hostname: '127.0.0.1', port, fetch: () => new Response('gateway') });
  stops.push(() => gateway.stop(true));
  expect(await (await fetch(`http://127.0.0.1:${port}/readyz`)).text()).toBe('gateway');
});

test('a port in use is an error that says what to do', async () => {
  const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() });
  stops.push(() => other.stop(true));
  const port = other.port ?? 0;
  await expect(answerOn(port)).rejects.toThrow(
    `Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or set PORT to another port.`,
  );
});

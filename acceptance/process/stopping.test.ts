import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import {
  accountWith,
  channelTo,
  clientKey,
  keyNamed,
  startUpstream,
  streamedAnswer,
} from '../../conformance/first-light/upstream.ts';
import { chatBody, rawRequest } from '../../conformance/shared/answer.ts';
import { isRefused, KeptConnection } from '../../conformance/shared/kept-connection.ts';
import { until } from '../../conformance/shared/until.ts';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* A gateway that is stopped by signals. conformance/first-light (stopping, draining) tests what then happens to requests. */

const KEY = clientKey('main');
/** Longer than any test, so that neither the drain nor the grace period ends by itself. */
const LONG_MS = 300_000;

/** Releases the rest of a stream after its first chunk. */
let goOn = Promise.withResolvers<void>();
const upstream = startUpstream((request) => streamedAnswer(request, { pieces: 5, rest: goOn.promise }));
const spaces: ProcessWorkspace[] = [];

afterEach(() => {
  goOn.resolve();
  goOn = Promise.withResolvers();
});
afterAll(async () => {
  await Promise.all(spaces.map((space) => space.remove()));
  await upstream.stop();
});

interface StartOptions {
  readonly drainMs?: number;
  readonly workers?: number;
  readonly program?: readonly string[];
}

async function start({ drainMs = 0, workers = 1, program }: StartOptions = {}): Promise<ServingProcess> {
  const space = await ProcessWorkspace.create();
  spaces.push(space);
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [channelTo(upstream, { models: ['paced'] })],
    accounts: [accountWith('acme', [keyNamed('main')])],
    server: { drain_ms: drainMs, shutdown_grace_ms: LONG_MS },
  });
  const env = { SWITCHYARD_CONFIG, SWITCHYARD_WORKERS: String(workers) };
  const serving = await space.serve({ env, ...(program ? { program, args: [], cwd: PROJECT } : {}) });
  await until('all workers serve', () => workers === 1 || serving.stdout.includes(`Workers: ${workers} processes`));
  return serving;
}

/** Opens a stream whose first chunk has arrived. `rest` resolves to its text when it has ended or was cut. */
async function openStream(serving: ServingProcess): Promise<{ readonly rest: Promise<string> }> {
  const response = await serving.openChat(KEY, chatBody('paced', { stream: true }));
  const pieces = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = (await pieces?.read())?.value ?? '';
  const readOn = async () => {
    for (let piece = await pieces?.read(); piece?.value !== undefined; piece = await pieces?.read())
      text += piece.value;
  };
  const rest = readOn().then(
    () => text,
    () => text,
  );
  return { rest };
}

const hears = (serving: ServingProcess) =>
  until('the gateway begins to stop', () => serving.stdout.includes('1 request(s) in flight'));

test('SIGTERM ends it with exit code 0', async () => {
  const serving = await start();
  serving.signal('SIGTERM');
  expect(await serving.exited).toBe(0);
});

test('SIGTERM lets a stream finish, even when it arrives twice', async () => {
  const serving = await start();
  const { rest } = await openStream(serving);
  // npm forwards a signal that the terminal has already sent.
  serving.signal('SIGTERM');
  serving.signal('SIGTERM');
  await hears(serving);
  goOn.resolve();
  expect(await rest).toContain('data: [DONE]');
  expect(await serving.exited).toBe(0);
});

test('one Ctrl-C under `npm start`, which reaches every process, lets a stream finish', async () => {
  const serving = await start({ program: ['npm', 'start'] });
  const { rest } = await openStream(serving);
  serving.signalGroup('SIGINT');
  await hears(serving);
  goOn.resolve();
  expect(await rest).toContain('data: [DONE]');
  await serving.exited;
});

/** With several workers, enough connections that each of them gets some: the chance that one gets none is below one in a million. */
const CONNECTIONS = 40;
const READY = 'GET /readyz HTTP/1.1\r\nhost: gateway\r\n\r\n';

async function readyStatuses({ port }: ServingProcess, count: number): Promise<ReadonlySet<number>> {
  return new Set(
    (await Promise.all(Array.from({ length: count }, () => rawRequest(port, READY)))).map(({ status }) => status),
  );
}

const drains = (serving: ServingProcess, workers: number) =>
  until('every process says that it is not ready', async () => {
    const statuses = await readyStatuses(serving, workers === 1 ? 1 : CONNECTIONS);
    return statuses.size === 1 && statuses.has(503);
  });
const listensNoMore = (serving: ServingProcess) => until('connections are refused', () => isRefused(serving.port));

describe.each([1, 2])('a gateway of %d process(es)', (workers) => {
  test('is ended at once by a later signal after the drain', async () => {
    const serving = await start({ drainMs: 100, workers });
    const { rest } = await openStream(serving);
    serving.signal('SIGTERM');
    await listensNoMore(serving);
    expect(serving.exitCode).toBeNull();
    // A busy owner may hear later that the drain is over.
    for (let tries = 0; serving.exitCode === null && tries < 10; tries++) {
      // Real time: signals within a second count as one, by the clock of the process.
      await Bun.sleep(1_100);
      serving.signal('SIGTERM');
    }
    expect(await serving.exited).toBeGreaterThan(0);
    expect(await rest).not.toContain('[DONE]');
  });

  test('serves new and kept-alive connections after SIGTERM, until SIGINT ends the drain', async () => {
    const serving = await start({ drainMs: LONG_MS, workers });
    const kept = await KeptConnection.open(serving.port);
    expect((await kept.get('/healthz'))?.headers).not.toContain('connection: close');
    const early = await openStream(serving);
    serving.signal('SIGTERM');
    await drains(serving, workers);
    const answer = await kept.get('/v1/models');
    expect([answer?.status, answer?.headers.includes('connection: close')]).toEqual([401, true]);
    await until('the kept-alive connection is closed', () => kept.isClosed);
    const late = await openStream(serving);
    serving.signal('SIGINT');
    await listensNoMore(serving);
    goOn.resolve();
    for (const { rest } of [early, late]) expect(await rest).toContain('data: [DONE]');
    expect(await serving.exited).toBe(0);
  });

  test('ends the drain after its time, and streams finish in the grace period', async () => {
    const serving = await start({ drainMs: 300, workers });
    const { rest } = await openStream(serving);
    serving.signal('SIGTERM');
    await listensNoMore(serving);
    expect(serving.exitCode).toBeNull();
    goOn.resolve();
    expect(await rest).toContain('data: [DONE]');
    expect(await serving.exited).toBe(0);
  });
});

test('workers whose owner is killed during the drain stop, too', async () => {
  const serving = await start({ drainMs: LONG_MS, workers: 2 });
  serving.signal('SIGTERM');
  await drains(serving, 2);
  process.kill(serving.pid, 'SIGKILL');
  await listensNoMore(serving);
});

test('a worker that is replaced closes its kept-alive connections, while the gateway stays ready', async () => {
  const serving = await start({ drainMs: LONG_MS, workers: 2 });
  // The first worker with a stream stays until the stream has ended, and has some of the connections.
  const streams = await Promise.all(Array.from({ length: CONNECTIONS }, () => openStream(serving)));
  const kept = await Promise.all(Array.from({ length: CONNECTIONS }, () => KeptConnection.open(serving.port)));
  const closing: number[] = [];
  serving.signal('SIGHUP');
  await until('some connections are to be closed', async () => {
    const open = kept.filter(({ isClosed }) => !isClosed);
    for (const answer of await Promise.all(open.map((connection) => connection.get('/readyz')))) {
      if (answer?.headers.includes('connection: close')) closing.push(answer.status);
    }
    return closing.length > 0;
  });
  expect(new Set(closing)).toEqual(new Set([200]));
  // A stop by SIGINT does not cut the streams of the worker that already stops.
  serving.signal('SIGINT');
  await listensNoMore(serving);
  goOn.resolve();
  for (const { rest } of streams) expect(await rest).toContain('data: [DONE]');
  expect(await serving.exited).toBe(0);
  for (const connection of kept) connection.close();
});

import { afterAll, afterEach, expect, test } from 'bun:test';
import {
  accountWith,
  channelTo,
  clientKey,
  keyNamed,
  startUpstream,
  streamedAnswer,
} from '../../conformance/first-light/upstream.ts';
import { chatBody } from '../../conformance/shared/answer.ts';
import { until } from '../../conformance/shared/until.ts';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { ProcessWorkspace, type ServingProcess } from '../shared/process-workspace.ts';

/* A gateway that is stopped by signals. conformance/first-light/stopping.test.ts tests what then happens to requests. */

const KEY = clientKey('main');
/** Longer than any test, so that the grace period ends nothing. */
const GRACE_MS = 300_000;

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

async function start(program?: readonly string[]): Promise<ServingProcess> {
  const space = await ProcessWorkspace.create();
  spaces.push(space);
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
    channels: [channelTo(upstream, { models: ['paced'] })],
    accounts: [accountWith('acme', [keyNamed('main')])],
    server: { shutdown_grace_ms: GRACE_MS },
  });
  return space.serve({ env: { SWITCHYARD_CONFIG }, ...(program ? { program, args: [], cwd: PROJECT } : {}) });
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

test('a later second signal ends it at once', async () => {
  const serving = await start();
  const { rest } = await openStream(serving);
  serving.signal('SIGTERM');
  await hears(serving);
  // Real time: signals within a second count as one, by the clock of the process.
  await Bun.sleep(1_100);
  expect(serving.exitCode).toBeNull();
  serving.signal('SIGTERM');
  expect(await serving.exited).toBeGreaterThan(0);
  expect(await rest).not.toContain('[DONE]');
});

test('one Ctrl-C under `npm start`, which reaches every process, lets a stream finish', async () => {
  const serving = await start(['npm', 'start']);
  const { rest } = await openStream(serving);
  serving.signalGroup('SIGINT');
  await hears(serving);
  goOn.resolve();
  expect(await rest).toContain('data: [DONE]');
  await serving.exited;
});

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import {
  type DisconnectBed,
  expectCancelled,
  KEY,
  LANES,
  type Lane,
  modelFor,
  type Scene,
  startDisconnectBed,
} from './disconnect/bed.ts';
import type { ClientFormat } from './readers/index.ts';
import { ask, bodyOf, CLIENT_FORMATS, incomplete, inParallel, open, pathOf } from './routing/client.ts';
import { openSockets, processFilesMissing } from './routing/process-files.ts';
import { until } from './shared/until.ts';

if (processFilesMissing !== undefined) test.skip(`no connection leaks (${processFilesMissing})`, () => undefined);

const CROWD = 100;
const GROUP = 25;
const QUIET_MS = 300;
/**
 * Sockets that may remain over the number before: the pools of the upstream's connections and the clients' keep some whose
 * answers were read to their end. A crowd leaves none, for a cancelled request's connection is closed; so the number is far
 * below a crowd's, and is the same after the last crowd as after the first.
 */
const POOLED = 4;

describe('when clients leave, the upstream requests are cancelled soon', () => {
  let bed: DisconnectBed;
  let socketsBefore = 0;
  let left = 0;

  beforeAll(async () => {
    bed = await startDisconnectBed();
    await soundAnswers();
    if (processFilesMissing === undefined) socketsBefore = openSockets(bed.serving.pid);
  }, 60_000);

  afterAll(async () => {
    await bed?.stop();
  });

  const asked = (format: ClientFormat, lane: Lane, scene: Scene) => ({
    ...{ origin: bed.serving.origin, key: KEY, model: modelFor(format, lane, scene), format },
    stream: scene.endsWith('stream'),
  });

  /** A request on each lane of each format, all answered. */
  async function soundAnswers(): Promise<void> {
    const cases = CLIENT_FORMATS.flatMap((format) => LANES.map((lane) => asked(format, lane, 'sound')));
    const answers = await inParallel(cases.length, 1, (index) => ask(cases[index]!));
    expect(incomplete(answers)).toEqual([]);
  }

  /** All leave at once; then nothing of them may be left. */
  async function leave(clients: readonly AbortController[]): Promise<void> {
    // They have left also where the upstream is too late to hear of it, and a second attempt lets as many leave again.
    left += clients.length;
    await expectCancelled(bed, clients.length, () => {
      for (const client of clients) client.abort();
    });
    if (processFilesMissing !== undefined) return;
    const closed = () => openSockets(bed.serving.pid) <= socketsBefore + POOLED;
    await until(`the gateway has no more than ${socketsBefore + POOLED} sockets`, closed, 3_000);
  }

  /** Readers that nobody holds are collected, and with them their connections, before anybody has left. */
  const reading: unknown[] = [];

  /** The clients' ways out of streams that have begun. */
  async function begun(count: number, one: Parameters<typeof open>[0], isQuiet = false): Promise<AbortController[]> {
    return inParallel(count, count, async () => {
      const client = new AbortController();
      const response = await open({ ...one, signal: client.signal });
      expect(response.status).toBe(200);
      const reader = response.body!.getReader();
      reading.push(reader);
      expect((await reader.read()).value?.length).toBeGreaterThan(0);
      // Until the upstream says nothing more: then only the client's own connection can tell that it has gone.
      while (isQuiet && (await Promise.race([reader.read(), Bun.sleep(QUIET_MS)])) !== undefined);
      reader.closed.catch(() => undefined);
      return client;
    });
  }

  /** The clients' ways out of requests that the upstream has got and has not answered. */
  async function waiting(cases: readonly Parameters<typeof open>[0][]): Promise<AbortController[]> {
    const clients = cases.map((one) => {
      const client = new AbortController();
      void ask({ ...one, signal: client.signal }).catch(() => undefined);
      return client;
    });
    const arrived = async () => (await bed.replay.stats()).open === cases.length;
    await until('all requests have reached the upstream', arrived);
    return clients;
  }

  const onBothLanes = (format: ClientFormat, scene: Scene) =>
    LANES.flatMap((lane) => Array.from({ length: GROUP }, () => asked(format, lane, scene)));

  for (const format of CLIENT_FORMATS) {
    for (const lane of LANES) {
      test(`${CROWD} in the middle of a stream (${format}, ${lane})`, async () => {
        await leave(await begun(CROWD, asked(format, lane, 'slow-stream')));
      }, 60_000);
    }

    test(`in the middle of a stream that has fallen silent (${format})`, async () => {
      const [relayed, translated] = await Promise.all(
        LANES.map((lane) => begun(GROUP, asked(format, lane, 'silent-mid-stream'), true)),
      );
      await leave([...relayed!, ...translated!]);
    }, 60_000);

    test(`before the first byte of a whole answer (${format})`, async () => {
      await leave(await waiting(onBothLanes(format, 'silent')));
    }, 60_000);

    test(`before the first byte of a stream (${format})`, async () => {
      await leave(await waiting(onBothLanes(format, 'silent-stream')));
    }, 60_000);

    test(`in the middle of a whole answer, of which they have nothing yet (${format})`, async () => {
      const clients = await waiting(onBothLanes(format, 'silent-mid'));
      // The upstream's first half has come.
      await Bun.sleep(150);
      await leave(clients);
    }, 60_000);

    test(`by cutting the connection without a word (${format})`, async () => {
      const { hostname, port } = new URL(bed.serving.origin);
      const one = asked(format, 'relay', 'slow-stream');
      const body = bodyOf(one);
      const head = [
        `POST ${pathOf(one)} HTTP/1.1`,
        `host: ${hostname}:${port}`,
        `authorization: Bearer ${KEY}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
      ];
      const socket = connect(Number(port), hostname);
      const answered = new Promise<void>((resolve) => socket.once('data', () => resolve()));
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
      await answered;
      left++;
      await expectCancelled(bed, 1, () => socket.resetAndDestroy());
    }, 60_000);
  }

  test('and the log has each of them as a client that has gone', async () => {
    await until(`the log has ${left} of them (it has ${bed.loggedLeavers()})`, () => bed.loggedLeavers() === left);
  });

  test('and no channel is the worse for it: each answers the next client', async () => {
    await soundAnswers();
    const stream = asked('anthropic-messages', 'relay', 'slow-stream');
    expect(incomplete([await ask(stream)])).toEqual([]);
  }, 60_000);

  test('and the metrics have nothing of them in flight, no failure, and no breaker that has opened', async () => {
    const metrics = await (await fetch(`${bed.serving.origin}/metrics`)).text();
    const samples = metrics.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const valuesOf = (name: string) =>
      samples
        .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
        .map((line) => line.split(' ').at(-1));
    expect(valuesOf('switchyard_requests_in_flight')).toEqual(['0']);
    expect(new Set(valuesOf('switchyard_channel_in_flight'))).toEqual(new Set(['0']));
    expect(new Set(valuesOf('switchyard_channel_breaker_state'))).toEqual(new Set(['0']));
    expect(valuesOf('switchyard_attempt_failures_total')).toEqual([]);
  });
});

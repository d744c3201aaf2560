import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import type { ClientFormat } from '../readers/index.ts';
import { ask, bodyOf, CLIENT_FORMATS, incomplete, inParallel, open, pathOf } from '../routing/client.ts';
import { metricsOf } from '../shared/metrics.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import {
  type DisconnectBed,
  expectCancelled,
  KEY,
  LANES,
  type Lane,
  modelFor,
  type Scene,
  type Space,
  startDisconnectBed,
} from './bed.ts';

export interface Leavers<S extends Serving> {
  readonly createSpace: () => Promise<Space<S>>;
  /** The number of clients that disconnect at once. */
  readonly crowd: number;
  /** The same per lane, in the scenes with both lanes. */
  readonly group: number;
  /** Called once the gateway has answered all kinds of requests, and after each crowd. */
  readonly beforeAny?: (gateway: S) => void;
  readonly afterEach?: (gateway: S) => Promise<void>;
}

/** Tests that clients that disconnect leave nothing behind, in every phase of a response. */
export function describeLeavers<S extends Serving>({ createSpace, crowd, group, ...checks }: Leavers<S>): void {
  describe('when clients disconnect, the upstream requests are cancelled', () => {
    let bed: DisconnectBed<S>;
    let left = 0;

    beforeAll(async () => {
      bed = await startDisconnectBed(await createSpace());
      await soundAnswers();
      checks.beforeAny?.(bed.serving);
    });

    afterAll(async () => {
      await bed?.stop();
    });

    const asked = (format: ClientFormat, lane: Lane, scene: Scene) => ({
      ...{ origin: bed.serving.origin, key: KEY, model: modelFor(format, lane, scene), format },
      stream: scene.endsWith('stream'),
    });

    /** Sends a request on each lane of each format; all are answered. */
    async function soundAnswers(): Promise<void> {
      const cases = CLIENT_FORMATS.flatMap((format) => LANES.map((lane) => asked(format, lane, 'sound')));
      const answers = await inParallel(cases.length, 1, (index) => ask(cases[index]!));
      expect(incomplete(answers)).toEqual([]);
    }

    /** Disconnects all clients at once; none of their requests may remain. */
    async function leave(clients: readonly AbortController[]): Promise<void> {
      left += clients.length;
      await expectCancelled(bed, clients.length, () => {
        for (const client of clients) client.abort();
      });
      await checks.afterEach?.(bed.serving);
    }

    /** Keeps the readers referenced: otherwise they would be collected, and their connections closed, before a client disconnects. */
    const reading: unknown[] = [];

    /** Starts streams, reads their beginning and resolves to the clients' abort controllers. */
    async function begun(count: number, one: Parameters<typeof open>[0]): Promise<AbortController[]> {
      return inParallel(count, count, async () => {
        const client = new AbortController();
        const response = await open({ ...one, signal: client.signal });
        expect(response.status).toBe(200);
        const reader = response.body!.getReader();
        expect((await reader.read()).value?.length).toBeGreaterThan(0);
        const readOn = async () => {
          while (!(await reader.read()).done);
        };
        reading.push(
          reader,
          readOn().catch(() => undefined),
        );
        return client;
      });
    }

    /** Sends requests that the upstream receives but does not answer, and resolves to the clients' abort controllers. */
    async function waiting(cases: readonly Parameters<typeof open>[0][]): Promise<AbortController[]> {
      const clients = cases.map((one) => {
        const client = new AbortController();
        void ask({ ...one, signal: client.signal }).catch(() => undefined);
        return client;
      });
      await until('all requests have reached the upstream', () => bed.replay.stats().open === cases.length);
      return clients;
    }

    /** From here on only the clients' own connections can reveal a disconnect. */
    const untilSilent = (count: number) =>
      until('all upstream responses have stalled', () => {
        bed.nextEvent();
        return bed.replay.stats().silent === count;
      });

    const onBothLanes = (format: ClientFormat, scene: Scene) =>
      LANES.flatMap((lane) => Array.from({ length: group }, () => asked(format, lane, scene)));

    for (const format of CLIENT_FORMATS) {
      for (const lane of LANES) {
        test(`${crowd} in the middle of a stream (${format}, ${lane})`, async () => {
          await leave(await begun(crowd, asked(format, lane, 'slow-stream')));
        });
      }

      test(`in the middle of a stream that stalled (${format})`, async () => {
        const [relayed, translated] = await Promise.all(
          LANES.map((lane) => begun(group, asked(format, lane, 'silent-mid-stream'))),
        );
        await untilSilent(2 * group);
        await leave([...relayed!, ...translated!]);
      });

      test(`before the first byte of a whole response (${format})`, async () => {
        await leave(await waiting(onBothLanes(format, 'silent')));
      });

      test(`before the first byte of a stream (${format})`, async () => {
        await leave(await waiting(onBothLanes(format, 'silent-stream')));
      });

      test(`in the middle of a whole response that they have not started to receive (${format})`, async () => {
        const clients = await waiting(onBothLanes(format, 'silent-mid'));
        await untilSilent(clients.length);
        await leave(clients);
      });

      test(`by closing the connection abruptly (${format})`, async () => {
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
      });
    }

    test('and the log has each of them as a client that disconnected', async () => {
      await until(`the log has ${left} of them (it has ${bed.loggedLeavers()})`, () => bed.loggedLeavers() === left);
    });

    test('and no channel is affected: each answers the next client', async () => {
      bed.goOn();
      await soundAnswers();
      const stream = asked('anthropic-messages', 'relay', 'slow-stream');
      expect(incomplete([await ask(stream)])).toEqual([]);
    });

    test('and the metrics show nothing in flight, no failure and no open breaker', async () => {
      const valuesOf = async (name: string) =>
        (await metricsOf(bed.serving)).filter((sample) => sample.name === name).map(({ value }) => value);
      await until('nothing is in flight', async () => (await valuesOf('switchyard_requests_in_flight'))[0] === 0);
      expect(new Set(await valuesOf('switchyard_channel_in_flight'))).toEqual(new Set([0]));
      expect(new Set(await valuesOf('switchyard_channel_breaker_state'))).toEqual(new Set([0]));
      expect(await valuesOf('switchyard_attempt_failures_total')).toEqual([]);
    });
  });
}

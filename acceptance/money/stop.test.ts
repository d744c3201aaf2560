import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { channelTo, keyOf, modelOver } from '../../conformance/money/bed.ts';
import { Books, postgresQuery } from '../../conformance/money/books.ts';
import { buy, type Receipt } from '../../conformance/money/client.ts';
import { CLIENT_FORMATS, inParallel } from '../../conformance/routing/client.ts';
import { until } from '../../conformance/shared/until.ts';
import { sharedTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import type { StopSignal } from '../shared/process-workspace.ts';
import { type ProcessBed, startProcessBed } from './bed.ts';

/* A gateway that is stopped under load, and its books afterwards. */

const STREAMS = 200;
const SILENT = 20;
const STALLED = 10;
/** A stream has begun once its client has this many events, more than any format sends before the first word. */
const BEGUN_EVENTS = 8;
/** Shorter than anything in this file takes. */
const GRACE_MS = 300;
/** An upstream that has sent nothing for this long counts as blocked by backpressure. */
const HELD_UP_MS = 300;
const TIMEOUT_MS = 600_000;
const ACCOUNT = 'payer';
const PRICING = { input_per_1m: '1', output_per_1m: '10' };

/** Starts an upstream that sends as fast as the connection allows. */
function startTalker() {
  let pieces = 0;
  const text = 'word '.repeat(3_000);
  const line = `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', model: 'up', choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await new Promise((resolve) => setImmediate(resolve));
            pieces++;
            controller.enqueue(line);
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  });
  return { origin: `http://127.0.0.1:${server.port}`, pieces: () => pieces, stop: () => server.stop(true) };
}

/** Opens a stream and stops reading once it has begun. */
function stalledClient(port: number, model: string): Promise<Socket> {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Talk.' }] });
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('data', (bytes) => {
      if (!bytes.includes('data: ')) return;
      socket.pause();
      resolve(socket);
    });
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${keyOf(ACCOUNT)}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  });
}

/** Signals are handled the same with every database; shutdown depends on the database. */
const SCENES: readonly (readonly [string, readonly StopSignal[]])[] = [
  ['SQLite', ['SIGQUIT', 'SIGINT', 'SIGUSR2']],
  ['PostgreSQL', ['SIGINT']],
];

describe.each(SCENES)('a gateway with %s that is stopped', (database, signals) => {
  let bed: ProcessBed;
  let books: Books;
  const talker = startTalker();

  beforeAll(async () => {
    const env: Readonly<Record<string, string>> = database === 'PostgreSQL' ? await onPostgres() : {};
    bed = await startProcessBed({
      models: {
        paced: { words: 10_000, gapMs: 200, usage: { input: 12, output: 10_000 }, pricing: PRICING },
        silent: { words: 1, usage: null, pricing: PRICING, opens: () => new Promise(() => undefined) },
      },
      channels: () => [{ ...channelTo(talker.origin, 'openai-chat', 'talker'), models: ['endless'] }],
      pricedModels: [{ id: 'endless', pricing: PRICING }],
      accounts: [{ id: ACCOUNT, balance_usd: '1000' }],
      settings: { server: { drain_ms: 0, shutdown_grace_ms: GRACE_MS, shutdown_write_ms: TIMEOUT_MS } },
      env,
    });
    books = new Books(bed, env.DATABASE_URL === undefined ? undefined : postgresQuery(env.DATABASE_URL));
  }, TIMEOUT_MS);

  afterAll(async () => {
    await bed?.stop();
    await talker.stop();
  }, TIMEOUT_MS);

  const ask = (name: string, index: number, stream: boolean, leaveWhen = (_body: string) => false) =>
    buy({
      leaveWhen,
      ...{ port: bed.port(), key: keyOf(ACCOUNT), stream, format: CLIENT_FORMATS[index % 4]!, maxTokens: 20_000 },
      // Half of the requests are translated.
      model: modelOver(CLIENT_FORMATS[(index + (index % 8 < 4 ? 0 : 1)) % 4]!, name),
    });

  /** Stops the gateway. Resolves to its exit code. */
  async function stopWith(signal: StopSignal): Promise<number> {
    bed.nodes[0]!.signal(signal);
    return await bed.nodes[0]!.exited;
  }

  /** Expects no leases, and charges that match the request log. */
  async function expectRightBooks(receipts: readonly Receipt[]) {
    await books.verify();
    expect(await books.held(ACCOUNT)).toBe(0n);
    const charges = await books.chargesByRequest();
    const rows = await books.log(receipts);
    for (const { requestId } of receipts) {
      // PostgreSQL's driver returns large numbers as text.
      const cost = BigInt(rows.get(requestId)?.cost_nano ?? -1);
      expect([requestId, cost]).toEqual([requestId, charges.get(requestId) ?? 0n]);
    }
    return { charges, rows };
  }

  test(
    `${STREAMS} streams are charged for what was sent, and each has a line in the log`,
    async () => {
      // Goes by the data that clients received, because a busy gateway may have sent a request a second time.
      const begun = new Set<number>();
      const early: Receipt[] = [];
      const asked = inParallel(STREAMS, STREAMS, async (index) => {
        const receipt = await ask('paced', index, true, (body) => {
          if (body.split('data: ').length > BEGUN_EVENTS) begun.add(index);
          return false;
        });
        if (begun.size < STREAMS) early.push(receipt);
        return receipt;
      });
      await until('all have begun', () => begun.size === STREAMS || early.length > 0);
      expect(early.map(({ status, body }) => [status, body.slice(0, 500)])).toEqual([]);
      expect(await stopWith('SIGTERM')).toBe(0);
      const receipts = await asked;
      const { charges, rows } = await expectRightBooks(receipts);
      const uncharged = receipts.filter(({ requestId }) => (charges.get(requestId) ?? 0n) === 0n);
      expect(uncharged).toEqual([]);
      expect(charges.size).toBe(STREAMS);
      // Each client got an error in its own format, and no response looks complete.
      expect(receipts.filter(({ body, isComplete }) => isComplete || !body.includes('shutting down'))).toEqual([]);
      const codes = new Set(receipts.map(({ requestId }) => rows.get(requestId)?.error_code));
      expect([...codes]).toEqual(['shutting_down']);
    },
    TIMEOUT_MS,
  );

  test.each(signals)(
    'a stop by %s ends requests to a silent upstream without a charge',
    async (signal) => {
      await bed.start();
      bed.upstream.forget();
      const asked = inParallel(SILENT, SILENT, (index) => ask('silent', index, index % 8 < 4));
      await until('all wait', () => bed.upstream.served.length === SILENT);
      expect(await stopWith(signal)).toBe(0);
      const receipts = await asked;
      expect(receipts.filter(({ status, body }) => status !== 503 || !body.includes('shutting down'))).toEqual([]);
      const { charges } = await expectRightBooks(receipts);
      expect(receipts.filter(({ requestId }) => charges.has(requestId))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    'a stop ends streams to clients that stopped reading',
    async () => {
      await bed.start();
      const before = (await books.chargesByRequest()).size;
      const clients = await inParallel(STALLED, STALLED, () => stalledClient(bed.port(), 'endless'));
      let seen = -1;
      await until('the upstream is blocked by backpressure', async () => {
        const last = seen;
        seen = talker.pieces();
        // Real time: backpressure can only be seen as silence. The test holds wherever the gateway is stopped.
        if (seen !== last) await Bun.sleep(HELD_UP_MS);
        return talker.pieces() === last;
      });
      expect(await stopWith('SIGTERM')).toBe(0);
      for (const client of clients) client.destroy();
      await expectRightBooks([]);
      const charges = [...(await books.chargesByRequest()).values()].slice(before);
      expect(charges.filter((cost) => cost > 0n)).toHaveLength(STALLED);
    },
    TIMEOUT_MS,
  );
});

async function onPostgres() {
  const postgres = await sharedTestPostgres();
  return { DATABASE_URL: await postgres.createDatabase(), SWITCHYARD_SECRET: 'the-secret-of-all-nodes-0123456789' };
}

import { expect, test } from 'bun:test';
import { LedgerConflict } from '../../engine/ports/ledger.ts';
import { sampleCharge } from '../../engine/ports/testing/samples.ts';
import { type ChargeOutcome, ChargeQueue, type ChargeQueueOptions, type QueuedCharge } from './charge-queue.ts';
import { WriteHealth } from './write-health.ts';

const silent = () => {};

interface Bench {
  readonly queue: ChargeQueue;
  readonly health: WriteHealth;
  readonly logged: { readonly fields: object; readonly message: string }[];
  /** The request ids of each batch that was sent, and whether it was in doubt. */
  readonly sent: string[];
  nowMs: number;
}

/** @param write receives the number of the attempt, starting at 1 */
function benchOf(
  write: (batch: readonly QueuedCharge[], attempt: number, bench: Bench) => readonly ChargeOutcome[],
  options: Partial<ChargeQueueOptions> = {},
): Bench {
  const health = new WriteHealth(async () => null);
  const logged: Bench['logged'] = [];
  const error = (fields: object, message: string) => void logged.push({ fields, message });
  const bench: Bench = {
    ...{ health, logged, sent: [], nowMs: 1_000 },
    queue: new ChargeQueue({
      async write(batch) {
        bench.sent.push(batch.map(({ charge, isInDoubt }) => `${charge.requestId}${isInDoubt ? '?' : ''}`).join(' '));
        return write(batch, bench.sent.length, bench);
      },
      failureOf: (thrown) =>
        thrown instanceof RangeError ? 'charge' : thrown instanceof TypeError ? 'final' : 'passing',
      problemOf: () => 'the database is unavailable',
      clock: { monotonicMs: () => bench.nowMs },
      logger: { debug: silent, info: silent, warn: silent, error },
      health,
      ...options,
    }),
  };
  return bench;
}

const allCharged = (batch: readonly QueuedCharge[]) => batch.map((): ChargeOutcome => 'charged');
const named = (...ids: string[]) => ids.map((requestId) => sampleCharge({ requestId, costNanoUsd: 2n }));

function lostOf({ logged }: Bench): unknown[] {
  return logged.flatMap(({ fields, message }) => (message.startsWith('a charge was lost') ? [fields] : []));
}

test('charges of one turn share a batch, and each receives its own outcome', async () => {
  const conflict = new LedgerConflict('Another entry.');
  const { queue, sent, health } = benchOf(() => ['charged', 'known', conflict]);
  const outcomes = await Promise.allSettled(named('a', 'b', 'c').map((charge) => queue.add(charge)));
  expect(sent).toEqual(['a b c']);
  expect(outcomes).toMatchObject([{ value: 'charged' }, { value: 'known' }, { reason: conflict }]);
  expect(health.problem).toBeNull();
});

test('a repeated charge is written after the first one', async () => {
  const { queue, sent } = benchOf((batch, attempt) => (attempt === 1 ? allCharged(batch) : ['known']));
  const outcomes = await Promise.all(named('a', 'a', 'b').map((charge) => queue.add(charge)));
  expect(sent).toEqual(['a b', 'a']);
  expect(outcomes).toEqual(['charged', 'known', 'charged']);
});

test('a failed batch is retried in doubt, together with new charges', async () => {
  const later: Promise<unknown>[] = [];
  const bench = benchOf((batch, attempt) => {
    if (attempt > 1) return allCharged(batch);
    later.push(bench.queue.add(sampleCharge({ requestId: 'b' })));
    throw new Error('away');
  });
  expect(await bench.queue.add(sampleCharge({ requestId: 'a' }))).toBe('charged');
  await Promise.all(later);
  expect(bench.sent).toEqual(['a', 'a? b']);
  expect(bench.logged).toMatchObject([{ message: 'charges could not be written and will be retried' }]);
});

test('the second failure in a row is a problem, until charges are written', async () => {
  const problems: (string | null)[] = [];
  const { queue, health } = benchOf((batch, attempt, bench) => {
    problems.push(bench.health.problem);
    if (attempt < 4) throw new Error('away');
    return allCharged(batch);
  });
  await queue.add(sampleCharge());
  expect(problems).toEqual([null, null, 'the database is unavailable', 'the database is unavailable']);
  expect(health.problem).toBeNull();
});

test('a charge is given up after a minute, and the log lists what to enter by hand', async () => {
  const bench = benchOf((_batch, attempt) => {
    bench.nowMs += attempt * 20_000;
    throw new Error('away');
  });
  await expect(bench.queue.add(sampleCharge({ requestId: 'a', costNanoUsd: 2n }))).rejects.toThrow('away');
  expect(bench.sent).toEqual(['a', 'a?']);
  expect(lostOf(bench)).toEqual([
    { requestId: 'a', accountId: 'acme', keyId: 'ci', costUsd: '0.000000002', reason: 'away' },
  ]);
  // No queued charge can detect that the database is back, so the next check does.
  expect(bench.health.problem).toBe('the database is unavailable');
  await bench.health.check();
  expect(bench.health.problem).toBeNull();
});

test('on shutdown a charge is given up after five seconds', async () => {
  const bench = benchOf(() => {
    bench.nowMs += 5_000;
    throw new Error('away');
  });
  const charging = bench.queue.add(sampleCharge({ requestId: 'a' })).catch((error: Error) => error.message);
  await bench.queue.close();
  expect(await charging).toBe('away');
  expect(bench.sent).toEqual(['a']);
  await expect(bench.queue.add(sampleCharge())).rejects.toThrow('The ledger is closed.');
});

test('a charge that cannot be booked fails alone', async () => {
  const bench = benchOf((batch) => {
    if (batch.some(({ charge }) => charge.requestId === 'bad')) throw new RangeError('too large');
    return allCharged(batch);
  });
  const outcomes = await Promise.allSettled(named('a', 'b', 'bad', 'c').map((charge) => bench.queue.add(charge)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(lostOf(bench)).toMatchObject([{ requestId: 'bad', reason: 'too large' }]);
});

test('after a final failure nothing is retried', async () => {
  const bench = benchOf(() => {
    throw new TypeError('damaged');
  });
  const outcomes = await Promise.allSettled(named('a', 'b').map((charge) => bench.queue.add(charge)));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(bench.sent).toEqual(['a b']);
  expect(lostOf(bench)).toHaveLength(2);
});

test('a charge beyond the limit of the queue is refused and logged', async () => {
  const bench = benchOf(allCharged, { write: () => new Promise(() => {}) });
  for (let index = 0; index < 100_000; index++) void bench.queue.add(sampleCharge());
  await expect(bench.queue.add(sampleCharge({ requestId: 'one more' }))).rejects.toThrow('too many charges');
  expect(lostOf(bench)).toMatchObject([{ requestId: 'one more' }]);
});

test('charges in flight are late until they are durable', async () => {
  const answer = Promise.withResolvers<readonly ['charged']>();
  const sent = Promise.withResolvers<void>();
  const write = () => {
    sent.resolve();
    return answer.promise;
  };
  const bench = benchOf(allCharged, { write });
  const charging = bench.queue.add(sampleCharge());
  await sent.promise;
  bench.nowMs += 999;
  expect(bench.queue.lateMs).toBe(999);
  answer.resolve(['charged']);
  await charging;
  await bench.queue.close();
  expect(bench.queue.lateMs).toBe(0);
});

test('charges count as pending until they are durable, or are given up', async () => {
  const pendings: number[] = [];
  const { queue } = benchOf(
    (batch, attempt, { queue: own }) => {
      pendings.push(own.pending);
      if (attempt === 1) throw new Error('the database is away');
      if (batch.length > 1 || batch[0]?.charge.requestId === 'bad') throw new RangeError('refused');
      return allCharged(batch);
    },
    { giveUpAfterMs: 60_000 },
  );
  const outcomes = await Promise.allSettled(named('good', 'bad').map((charge) => queue.add(charge)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(pendings).toEqual([2, 2, 2, 1]);
  expect(queue.pending).toBe(0);
});

test('pairs of charges in quick succession are not taken for a high rate', async () => {
  const bench = benchOf(allCharged, { gatherMs: () => 1 });
  /** A commit that waits for more charges is not sent in these turns of the event loop. */
  const isSentAtOnce = async (requestId: string) => {
    const charging = bench.queue.add(sampleCharge({ requestId }));
    for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    const isSent = bench.sent.at(-1) === requestId;
    await charging;
    return isSent;
  };
  for (let pair = 0; pair < 20; pair++) {
    expect(await isSentAtOnce(`first-${pair}`)).toBe(true);
    bench.nowMs += 0.1;
    expect(await isSentAtOnce(`second-${pair}`)).toBe(true);
    bench.nowMs += 1.9;
  }
});

test('the wait for more charges depends on how long the previous commit took', async () => {
  const tookMs: number[] = [];
  const write = (batch: readonly QueuedCharge[], _attempt: number, bench: Bench) => {
    bench.nowMs += 3;
    return allCharged(batch);
  };
  const gatherMs = (lastWriteMs: number) => {
    tookMs.push(lastWriteMs);
    return 0;
  };
  const { queue } = benchOf(write, { gatherMs });
  for (const charge of named('a', 'b')) await queue.add(charge);
  expect(tookMs).toEqual([0, 3]);
});

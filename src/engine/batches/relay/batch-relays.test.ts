import { expect, test } from 'bun:test';
import { NO_BATCH_USAGE } from '../../../domain/batches/batch.ts';
import type { RelayedBatch, RelayedLine } from '../../../domain/batches/relayed-batch.ts';
import { Turns } from '../../../domain/concurrency/turns.ts';
import { OPENAI_BATCHES } from '../../../providers/shared/batches.ts';
import { sampleBatch, sampleRelay } from '../../ports/testing/batch-samples.ts';
import type { UpstreamRequest } from '../../ports/upstream.ts';
import { BatchRelays } from './batch-relays.ts';
import { customIdOf } from './custom-ids.ts';
import type { RelayOwner } from './relay-owner.ts';
import type { RelayPorts } from './relay-ports.ts';

const nothing = () => {};
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const ANSWER = { status_code: 200, body: { usage: NO_BATCH_USAGE } };

/** Whether the provider has the batch. */
interface Provider {
  batch: boolean;
  /** Answers every request with this status. */
  readonly refusal?: number;
  /** Loses the answers to this many requests to cancel. */
  deafness?: number;
}

/**
 * The relays of a process that takes a batch over: what the store has of the last one, and what the provider has.
 */
function takenOver(left: Partial<RelayedBatch>, provider: Provider, ends: RelayOwner['ends'] = null) {
  let relay: RelayedBatch | null = sampleRelay({ ...left, lines: 1, bytes: 9 });
  let line: RelayedLine | null = {
    number: 1,
    offset: 0,
    bytes: 9,
    requestId: 'r1',
    modelId: 'm',
    isOpen: true,
    verdicts: null,
  };
  const state = { nowMs: 1_790_000_000_000, asked: [] as string[], freed: [] as string[], settled: 0, again: 0 };
  const json = (value: object, status = 200) => {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    let isRead = false;
    const read = async () => {
      if (isRead) return null;
      isRead = true;
      return bytes;
    };
    return { status, headers: { get: () => null }, body: { read, readAll: () => bytes, cancel: nothing } };
  };
  const send = async ({ method, url }: UpstreamRequest) => {
    const path = url.replace('http://provider', '');
    state.asked.push(`${method} ${path}`);
    if (provider.refusal !== undefined) return json({ error: { message: 'No.' } }, provider.refusal);
    if (path.startsWith('/files/out')) return json({ custom_id: customIdOf('relay_1', 1), response: ANSWER });
    if (path.startsWith('/files')) return json({ id: 'in' });
    const batch = { id: 'up', input_file_id: 'in', status: 'completed', output_file_id: 'out' };
    if (path.startsWith('/batches?')) return json({ data: provider.batch ? [batch] : [] });
    if (path.endsWith('/cancel') && provider.deafness) {
      provider.deafness--;
      return json({ error: { message: 'Busy.' } }, 503);
    }
    if (method === 'POST') provider.batch = true;
    return json(provider.deafness ? { ...batch, status: 'in_progress' } : batch);
  };
  const channel = {
    batches: OPENAI_BATCHES,
    addressOf: () => ({ baseUrl: 'http://provider', headers: {} }),
    ...{
      secrets: { cleaned: (failure: unknown) => failure },
      timeouts: { whole: {} },
      isGuarded: false,
      local: undefined,
    },
  };
  const ports = {
    store: {
      of: async () => (relay === null ? [] : [relay]),
      beginSubmission: async () => 'begun',
      change: async (_at: object, changes: Partial<RelayedBatch>) => {
        if (relay !== null) relay = { ...relay, ...changes };
        return true;
      },
      contents: async (_id: string, after: number) =>
        after < 1 && line !== null ? [{ number: 1, content: Buffer.from('{}') }] : [],
      lines: async () => (line === null ? [] : [line]),
      carried: async () => (line === null ? [] : [line]),
      giveBack: async () => {
        line = null;
        return true;
      },
      remove: async () => {
        relay = null;
        return true;
      },
    },
    holds: {
      release: async (id: string) => {
        state.freed.push(id);
        return null;
      },
    },
    clock: { nowMs: () => state.nowMs, monotonicMs: () => state.nowMs },
    ...{ upstream: { send }, channelAt: () => channel, logger: SILENT, random: () => 0.5 },
    settings: { maxRelayed: 9, linesAtOnce: 8 },
    ...{ bodies: { take: () => true, giveBack: nothing }, reading: new Turns() },
  } as unknown as RelayPorts;
  const owner: RelayOwner = {
    ...{ batch: sampleBatch({ claim: 2 }), ends, isLost: false, isDrained: true, mayRetry: true },
    cut: new AbortController(),
    again: () => {
      state.again++;
    },
  };
  const relays = new BatchRelays(ports, owner, async () => {
    state.settled++;
    return 'done';
  });
  const finish = async () => {
    await relays.load();
    for (let step = 0; step < 200 && !relays.isIdle; step++) {
      await Promise.all(relays.due());
      state.nowMs += 10_000;
    }
    return { ...state, creations: state.asked.filter((one) => one === 'POST /batches').length, relay, line };
  };
  return { finish };
}

test('lines that were only collected wait again, and their money is free', async () => {
  const { finish } = takenOver({ stage: 'collecting' }, { batch: false });
  expect(await finish()).toMatchObject({ asked: [], freed: ['r1-relayed'], settled: 0, relay: null, line: null });
});

test.each([
  ['the upload', { upstreamFileId: null }, false, 1],
  ['the request that creates the batch', { upstreamFileId: 'in' }, false, 1],
  ['that request arrives', { upstreamFileId: 'in', submittedAtMs: 1_790_000_000_000 }, false, 1],
  ['its answer is stored', { upstreamFileId: 'in', submittedAtMs: 1_790_000_000_000 }, true, 0],
] as const)('a batch is created once if the process ends before %s', async (_, left, isCreated, creations) => {
  const { finish } = takenOver({ stage: 'submitting', ...left }, { batch: isCreated });
  const ended = await finish();
  expect(ended).toMatchObject({ creations, settled: 1, again: 0, freed: ['r1-relayed'], relay: null, line: null });
});

test('results are read again if the process ends while it reads them', async () => {
  const left = { stage: 'running', upstreamFileId: 'in', upstreamId: 'up' } as const;
  const { finish } = takenOver(left, { batch: true });
  expect(await finish()).toMatchObject({ creations: 0, settled: 1, relay: null });
});

test.each([401, 400, 503])('lines run in the gateway if the provider refuses their batch with %d', async (refusal) => {
  const { finish } = takenOver({ stage: 'submitting' }, { batch: false, refusal });
  const ended = await finish();
  expect(ended).toMatchObject({ creations: 0, settled: 0, again: 1, freed: ['r1-relayed'], relay: null, line: null });
});

test('lines run in the gateway if the provider no longer knows their batch', async () => {
  const left = { stage: 'running', upstreamFileId: 'in', upstreamId: 'up' } as const;
  const { finish } = takenOver(left, { batch: false, refusal: 404 });
  expect(await finish()).toMatchObject({ settled: 0, again: 1, freed: ['r1-relayed'], relay: null, line: null });
});

test.each([
  ['it no longer has', { stage: 'running', upstreamId: 'up' }, 404, null],
  ['it refuses', { stage: 'submitting' }, 400, null],
  ['was cancelled before it got it', { stage: 'submitting' }, undefined, 'cancelled'],
] as const)('the input file of a batch that %s is deleted at the provider', async (_, left, refusal, ends) => {
  const provider = { batch: false, ...(refusal !== undefined && { refusal }) };
  const { finish } = takenOver({ ...left, upstreamFileId: 'in' }, provider, ends);
  const ended = await finish();
  expect(ended.asked.filter((one) => one.startsWith('DELETE'))).toEqual(['DELETE /files/in']);
  expect(ended).toMatchObject({ freed: ['r1-relayed'], relay: null, line: null });
});

test('a request to cancel is repeated until the provider has answered it', async () => {
  const left = { stage: 'running', upstreamFileId: 'in', upstreamId: 'up' } as const;
  const { finish } = takenOver(left, { batch: true, deafness: 2 }, 'cancelled');
  const ended = await finish();
  expect(ended.asked.filter((one) => one.endsWith('/cancel'))).toHaveLength(2);
  expect(ended).toMatchObject({ settled: 1, again: 0, relay: null });
});

test.each(['addLine', 'giveBack'] as const)(
  'a line whose %s fails is not submitted, and the others are',
  async (fails) => {
    const stored = new Map<string, number[]>();
    const contents = new Map<number, string>();
    let isAway = false;
    const giveBack = async (_at: object, numbers: readonly number[]) => {
      if (isAway) throw new Error('the store is away');
      for (const number of numbers) contents.delete(number);
      return true;
    };
    const ports = {
      store: {
        ...{ of: async () => [], create: async () => true, giveBack },
        addLine: async (
          _at: object,
          { number, requestId }: { readonly number: number; readonly requestId: string },
        ) => {
          contents.set(number, requestId);
          if (isAway && fails === 'addLine') throw new Error('the store is away');
          return true;
        },
        beginSubmission: async ({ id }: { readonly id: string }) => {
          stored.set(id, [...contents.keys()]);
          return 'lost';
        },
      },
      holds: { release: async () => null },
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
      ...{
        channelAt: () => ({ batches: OPENAI_BATCHES, addressOf: () => null }),
        logger: SILENT,
        random: () => 0.5,
        newRelayId: () => 'relay_1',
      },
      ...{ settings: { maxRelayed: 9 }, mostLines: 9, mostBytes: 1_000 },
    } as unknown as RelayPorts;
    const owner = { batch: sampleBatch(), ends: null, isLost: false, isDrained: true, cut: new AbortController() };
    const relays = new BatchRelays(ports, owner as unknown as RelayOwner, async () => 'done');
    await relays.load();
    const add = (number: number) => {
      const of = { modelId: 'm', place: 'p', endpoint: '/v1/chat/completions', model: 'm', body: Buffer.from('{}') };
      return relays.add({ number, requestId: `r${number}`, ...of, verdicts: null, batches: OPENAI_BATCHES });
    };
    (await add(1))?.kept();
    isAway = true;
    const refusing = add(2).then((added) => added?.undo());
    await expect(refusing).rejects.toThrow('the store is away');
    isAway = false;
    await Promise.all(relays.due());
    expect([...stored]).toEqual([['relay_1', [1]]]);
  },
);

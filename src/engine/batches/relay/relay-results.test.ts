import { expect, test } from 'bun:test';
import { sampleBatch, sampleRelay } from '../../ports/testing/batch-samples.ts';
import type { UpstreamBody } from '../../ports/upstream.ts';
import { customIdOf } from './custom-ids.ts';
import { readFileResult } from './line-content.ts';
import { type ResultsInput, readResults } from './relay-results.ts';

const nothing = () => {};
const MIB = 1024 * 1024;

/** A result file with an answer of this many bytes for each line, and what is settled of it. */
function reading(sizes: readonly number[], roomBytes: number, failing: readonly number[] = []) {
  const settled: number[] = [];
  const state = { heldBytes: 0, mostBytes: 0, settled };
  const chunks = sizes.map((size, index) => {
    const body = { text: 'x'.repeat(size) };
    const line = { custom_id: customIdOf('relay_1', index + 1), response: { status_code: 200, body } };
    return Buffer.from(`${JSON.stringify(line)}\n`);
  });
  const input = {
    owner: { isLost: false, batch: sampleBatch() },
    ports: {
      store: {
        lines: async (_id: string, numbers: readonly number[]) =>
          numbers.map((number) => ({
            number,
            offset: 0,
            bytes: 1,
            requestId: `r${number}`,
            modelId: 'm',
            ...{ isOpen: true, verdicts: null },
          })),
      },
      logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
      settings: { linesAtOnce: 1 },
      bodies: {
        take: (_account: string, bytes: number) => {
          if (state.heldBytes + bytes > roomBytes) return false;
          state.heldBytes += bytes;
          state.mostBytes = Math.max(state.mostBytes, state.heldBytes);
          return true;
        },
        giveBack: (_account: string, bytes: number) => {
          state.heldBytes -= bytes;
        },
      },
    },
    ...{ relay: sampleRelay({ id: 'relay_1' }), lineOf: readFileResult },
    settle: async ({ number }: { readonly number: number }) => {
      if (failing.includes(number)) throw new Error(`line ${number} cannot be settled now`);
      settled.push(number);
      return 'done';
    },
    back: async () => true,
  } as unknown as ResultsInput;
  const body = { read: async () => chunks.shift() ?? null, cancel: nothing } as unknown as UpstreamBody;
  return { state, read: () => readResults(input, body) };
}

test('a line that cannot be settled now does not keep the others from it', async () => {
  const { state, read } = reading([1, 1, 1, 1], 0, [1, 3]);
  await expect(read()).rejects.toThrow('line 1 cannot be settled now');
  expect(state.settled).toEqual([2, 4]);
});

test('a file is given up for now if nothing of it can be settled', async () => {
  const all = Array.from({ length: 12 }, (_, index) => index + 1);
  const { state, read } = reading(
    all.map(() => 1),
    0,
    all.slice(0, 10),
  );
  await expect(read()).rejects.toThrow('line 1 cannot be settled now');
  expect(state.settled).toEqual([]);
});

test('a long line takes memory while it arrives', async () => {
  const { state, read } = reading([1, 5 * MIB, 1], 8 * MIB);
  expect(await read()).toBe(true);
  expect(state).toEqual({ heldBytes: 0, mostBytes: 5 * MIB, settled: [1, 2, 3] });
  const full = reading([1, 5 * MIB, 1], 2 * MIB);
  await expect(full.read()).rejects.toThrow('no memory');
  expect(full.state).toMatchObject({ heldBytes: 0, settled: [1] });
});

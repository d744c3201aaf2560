import { describe, expect, test } from 'bun:test';
import { ResponseMemory, UnproductiveBytes, type WatchedResponse } from './response-memory.ts';

const MIB = 1024 * 1024;
const LOOKS = 2;

/** Opens a request of the account, and returns a function that ends it. */
function request(memory: ResponseMemory, accountId: string) {
  const releases: (() => void)[] = [];
  const buffered = memory.open(accountId, (release) => releases.push(release));
  const end = () => {
    for (const release of releases) release();
  };
  return { buffered, releases, end };
}

test('a whole response takes three times its size until its request is over', () => {
  const memory = new ResponseMemory({ maxHeldBytes: 60 });
  const first = request(memory, 'a');
  expect(first.releases).toEqual([]);
  expect(first.buffered.takeWhole(10)).toBe(true);
  expect(request(memory, 'a').buffered.takeWhole(1)).toBe(false);
  expect(request(memory, 'b').buffered.takeWhole(10)).toBe(true);
  expect(request(memory, 'c').buffered.takeWhole(1)).toBe(false);
  first.end();
  first.end();
  expect(first.buffered.takeWhole(1)).toBe(false);
  expect(request(memory, 'a').buffered.takeWhole(10)).toBe(true);
});

describe('streams whose clients do not read', () => {
  function streams(count: number, maxHeldBytes: number, mostLooks?: number) {
    const memory = new ResponseMemory({ maxHeldBytes }, mostLooks);
    const ended: number[] = [];
    const watches: WatchedResponse[] = [];
    const all = Array.from({ length: count }, (_, index) => {
      const { buffered, end } = request(memory, 'acme');
      const stream = {
        reads: 0,
        isWanted: false,
        stalled: () => {
          ended.push(index);
          end();
        },
        abandoned: () => {
          ended.push(-index);
          end();
        },
      };
      watches.push(memory.watch(stream, buffered));
      return stream;
    });
    const look = (times: number) => {
      for (let time = 0; time < times; time++) memory.look();
    };
    const unwatch = () => {
      for (const watch of watches) memory.unwatch(watch);
    };
    return { all, ended, look, unwatch };
  }

  test('are ended if their account has no memory left', () => {
    const { ended, look, unwatch } = streams(10, 32 * MIB);
    look(LOOKS - 1);
    expect(ended).toEqual([]);
    look(1);
    // The account may use half of the memory: four streams of 4 MiB.
    expect(ended).toEqual([4, 5, 6, 7, 8, 9]);
    look(100);
    expect(ended.length).toBe(6);
    unwatch();
  });

  test('are ended after a timeout even with memory left', () => {
    const { ended, look, unwatch, all } = streams(3, 1_024 * MIB, 30);
    all[1]!.isWanted = true;
    look(29);
    all[0]!.reads++;
    look(1);
    // The second stream waits for its upstream; the first stream's client has read in between.
    expect(ended).toEqual([-2]);
    look(30);
    expect(ended).toEqual([-2, -0]);
    unwatch();
  });

  test('are ended even if they read a little all the time', () => {
    const { ended, look, unwatch, all } = streams(10, 32 * MIB);
    for (let time = 0; time < LOOKS; time++) {
      for (const stream of all) stream.reads++;
      look(1);
    }
    expect(ended).toEqual([4, 5, 6, 7, 8, 9]);
    unwatch();
  });

  test('take no memory while waiting for the upstream, and release it when they wait again', () => {
    const { ended, look, unwatch, all } = streams(10, 16 * MIB);
    for (const stream of all.slice(0, 8)) stream.isWanted = true;
    look(20);
    for (const stream of all.slice(8)) stream.isWanted = true;
    look(1);
    for (const stream of all.slice(0, 2)) stream.isWanted = false;
    look(LOOKS);
    expect(ended).toEqual([]);
    unwatch();
  });
});

describe('the unreported bytes of a stream', () => {
  test('count from some size on, and are released once it reports', () => {
    const memory = new ResponseMemory({ maxHeldBytes: 8 * MIB });
    const quiet = new UnproductiveBytes(request(memory, 'acme').buffered);
    const other = new UnproductiveBytes(request(memory, 'acme').buffered);
    expect(quiet.heard(3 * MIB)).toBeNull();
    expect(other.heard(2 * MIB)).toMatchObject({ kind: 'answer_memory_full', side: 'gateway' });
    quiet.said();
    expect(other.heard(1)).toBeNull();
  });

  test('are bounded, however much memory is free', () => {
    const quiet = new UnproductiveBytes(request(new ResponseMemory({ maxHeldBytes: 1024 * MIB }), 'acme').buffered);
    for (let piece = 0; piece < 64; piece++) expect(quiet.heard(MIB)).toBeNull();
    expect(quiet.heard(1)).toMatchObject({ kind: 'empty_stream', side: 'upstream' });
  });
});

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { orderTargets, type Ranking, STRATEGIES, type Weighted, weightOf } from './order.ts';
import { SmoothRotation } from './smooth-rotation.ts';
import { seededRandom } from './testing/seeded-random.ts';

interface Channel extends Weighted {
  readonly id: string;
  readonly affinity: number;
  readonly cost: bigint | null;
  readonly firstByteMs: number | null;
  readonly inFlight: number;
}

function channel(id: string, of: Partial<Channel> = {}): Channel {
  const usual = { priority: 0, weight: 1, isPrivate: false, affinity: 9, cost: null, firstByteMs: null, inFlight: 0 };
  return { id, ...usual, ...of };
}

function ranking(of: Partial<Ranking<Channel>> = {}): Ranking<Channel> {
  const random = seededRandom(1);
  return {
    strategy: 'weighted',
    rotation: new SmoothRotation(random),
    random,
    affinity: null,
    keyOf: ({ id }) => id,
    weightOf,
    costOf: ({ cost }) => cost,
    firstByteMsOf: ({ firstByteMs }) => firstByteMs,
    inFlightOf: ({ inFlight }) => inFlight,
    ...of,
  };
}

const ids = (channels: readonly Channel[], by: Ranking<Channel>) => orderTargets(channels, by).map(({ id }) => id);
const order = (channels: readonly Channel[], by: Ranking<Channel>) => ids(channels, by).join('');

function countHeads(channels: readonly Channel[], by: Ranking<Channel>, requests: number): Record<string, number> {
  const heads: Record<string, number> = {};
  for (let request = 0; request < requests; request++) {
    const head = ids(channels, by)[0] ?? '';
    heads[head] = (heads[head] ?? 0) + 1;
  }
  return heads;
}

describe('the rank', () => {
  test('is affinity, then private channels, then priority', () => {
    const channels = [
      channel('e', { priority: 2 }),
      channel('d', { priority: 1 }),
      channel('c', { priority: 5, isPrivate: true }),
      channel('b', { priority: 7, affinity: 2 }),
      channel('a', { priority: 9, affinity: 1 }),
    ];
    expect(order(channels, ranking({ affinity: ({ affinity }) => affinity }))).toBe('abcde');
  });

  test('puts weight 0 last within its priority, whatever the strategy', () => {
    const idle = channel('z', { weight: 0, cost: 0n, firstByteMs: 1 });
    const busy = channel('a', { cost: 9n, firstByteMs: 900, inFlight: 50 });
    for (const strategy of STRATEGIES) {
      expect(order([idle, busy, channel('l', { priority: 1 })], ranking({ strategy }))).toBe('azl');
    }
  });

  test('returns its input if there is nothing to order', () => {
    const none: Channel[] = [];
    const one = [channel('a')];
    expect(orderTargets(none, ranking())).toBe(none);
    expect(orderTargets(one, ranking())).toBe(one);
  });
});

describe('weighted', () => {
  const three = [channel('a', { weight: 5 }), channel('b', { weight: 3 }), channel('c', { weight: 2 })];

  test('splits the first places of 1,000 requests 5:3:2', () => {
    const heads = countHeads(three, ranking(), 1_000);
    expect(Math.abs((heads.a ?? 0) - 500)).toBeLessThanOrEqual(2);
    expect(Math.abs((heads.b ?? 0) - 300)).toBeLessThanOrEqual(2);
    expect(Math.abs((heads.c ?? 0) - 200)).toBeLessThanOrEqual(2);
  });

  test('draws the remaining places by weight', () => {
    const by = ranking();
    const seconds: Record<string, number> = {};
    for (let request = 0; request < 10_000; request++) {
      const [head, second = ''] = ids(three, by);
      if (head === 'a') seconds[second] = (seconds[second] ?? 0) + 1;
    }
    // Half of all requests, of which three in five go to b next; three standard deviations are 104.
    expect(Math.abs((seconds.b ?? 0) - 3_000)).toBeLessThan(104);
  });

  test('draws lower priorities by weight too', () => {
    const channels = [channel('x', { priority: -1 }), ...three];
    const by = ranking();
    let first = 0;
    for (let request = 0; request < 10_000; request++) if (ids(channels, by)[1] === 'a') first++;
    expect(Math.abs(first - 5_000)).toBeLessThan(150);
  });

  test('does not advance for a request that affinity routes', () => {
    const rotation = new SmoothRotation(() => 0.5);
    const affine = ranking({ rotation, affinity: ({ id }) => (id === 'c' ? 1 : 0) });
    const alone = (requests: number) => Array.from({ length: requests }, () => ids(three, ranking({ rotation }))[0]);
    const undisturbed = new SmoothRotation(() => 0.5);
    const expected = Array.from({ length: 20 }, () => ids(three, ranking({ rotation: undisturbed }))[0]);
    const heads = alone(7);
    expect(countHeads(three, affine, 51).c).toBeUndefined();
    expect([...heads, ...alone(13)]).toEqual(expected);
  });

  test('draws by weight among several with equal affinity', () => {
    const heads = countHeads(three, ranking({ affinity: ({ id }) => (id === 'a' ? 1 : 0) }), 10_000);
    expect(heads.a).toBeUndefined();
    expect(Math.abs((heads.b ?? 0) - 6_000)).toBeLessThan(150);
  });

  test('is unchanged if all have the same affinity', () => {
    const heads = countHeads(three, ranking({ affinity: () => 7 }), 1_000);
    expect(Math.abs((heads.a ?? 0) - 500)).toBeLessThanOrEqual(2);
  });
});

describe('the other strategies', () => {
  test('lowest-cost puts the cheapest first and unknown costs last', () => {
    const channels = [channel('c'), channel('b', { cost: 10n ** 20n }), channel('a', { cost: 5n })];
    expect(order(channels, ranking({ strategy: 'lowest-cost' }))).toBe('abc');
  });

  test('lowest-latency puts unmeasured channels first, then the fastest', () => {
    const channels = [channel('c', { firstByteMs: 300 }), channel('b', { firstByteMs: 0 }), channel('a')];
    expect(order(channels, ranking({ strategy: 'lowest-latency' }))).toBe('abc');
  });

  test('least-busy weighs requests in flight against the weight', () => {
    const channels = [
      channel('c', { inFlight: 3 }),
      channel('b', { inFlight: 8, weight: 4 }),
      channel('a', { inFlight: 9, weight: 9 }),
    ];
    expect(order(channels, ranking({ strategy: 'least-busy' }))).toBe('abc');
  });

  test.each(STRATEGIES)('%p splits the first places of equals by weight', (strategy) => {
    const channels = [channel('a', { weight: 3 }), channel('b', { weight: 1 }), channel('c', { priority: 1 })];
    const heads = countHeads(channels, ranking({ strategy }), 400);
    expect(Math.abs((heads.a ?? 0) - 300)).toBeLessThanOrEqual(2);
    expect(heads.c).toBeUndefined();
  });

  test('come after private channels and priority', () => {
    const channels = [
      channel('c', { cost: 1n, priority: 1 }),
      channel('b', { cost: 5n }),
      channel('a', { cost: 9n, isPrivate: true }),
    ];
    expect(order(channels, ranking({ strategy: 'lowest-cost' }))).toBe('abc');
  });
});

test('every order is a valid permutation, and the same under the same seed', () => {
  const someChannel = fc.record({
    priority: fc.nat({ max: 2 }),
    weight: fc.constantFrom(0, 0.001, 1, 100),
    isPrivate: fc.boolean(),
    affinity: fc.nat({ max: 2 }),
    cost: fc.option(fc.bigInt({ min: 0n, max: 3n })),
    firstByteMs: fc.option(fc.nat({ max: 3 })),
    inFlight: fc.nat({ max: 3 }),
  });
  const channelLists = fc.array(someChannel, { maxLength: 8 });
  fc.assert(
    fc.property(channelLists, fc.constantFrom(...STRATEGIES), fc.integer(), (chosen, strategy, seed) => {
      const channels = chosen.map((of, at) => channel(`${at}`, of));
      const bySeed = () => {
        const random = seededRandom(seed);
        const rotation = new SmoothRotation(random);
        return orderTargets(channels, ranking({ strategy, random, rotation, affinity: ({ affinity }) => affinity }));
      };
      const ordered = bySeed();
      expect(bySeed()).toEqual(ordered);
      expect(ordered.map(({ id }) => id).sort()).toEqual(channels.map(({ id }) => id).sort());
      const ranks = ordered.map(
        ({ affinity, isPrivate, priority }) => affinity * 100 + (isPrivate ? 0 : 10) + priority,
      );
      expect(ranks).toEqual(ranks.toSorted((left, right) => left - right));
    }),
  );
});

import { describe, expect, test } from 'bun:test';
import type { Channel } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { TextTarget } from '../directory/target.ts';
import { type PlanInput, plan } from './plan.ts';
import { channelOf, directoryOf, MODEL } from './testing/sample-routes.ts';

const NOW = 1_000;
const cost = (usd: string) => ({ [MODEL]: { input_per_1m: usd, output_per_1m: usd } }) as Channel['costs'];

/** Returns the order in which these channels would be asked. */
function planned(
  channels: readonly Channel[],
  input: Partial<PlanInput<TextTarget>> = {},
  prepare = (_: readonly TextTarget[]) => {},
) {
  const ways = directoryOf(channels).routesTo(MODEL, 'acme', 'openai-chat');
  if (ways === null) throw new Error('there is no way to the model');
  prepare(ways.targets);
  const common = { accountId: 'acme', strategy: 'weighted', stream: false, affinity: null, nowMs: NOW } as const;
  return plan({ ways, ...common, random: () => 0, ...input }).map(({ channel }) => channel.id);
}

const of = (targets: readonly TextTarget[], id: string) => targets.find(({ channel }) => channel.id === id)!.health;
const block = (health: TextTarget['health']) => {
  health.channel.block = { atMs: 0, reason: 'The key is wrong.' };
};

describe('a plan', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((id) => channelOf(id, 'chatting')) as [Channel, Channel, Channel];

  test('has only targets that admit a request of the account now', () => {
    const prepare = (targets: readonly TextTarget[]) => {
      block(of(targets, 'a'));
      const failure = new Failure('rate_limit_exceeded', { message: 'Wait.' });
      of(targets, 'b').breaker.begin('acme', NOW)?.rested(failure, NOW, 500);
    };
    expect(planned([a, b, c], {}, prepare)).toEqual(['c']);
    expect(planned([a, b, c], { nowMs: NOW + 500 }, prepare).sort()).toEqual(['b', 'c']);
    expect(planned([a, b], {}, prepare)).toEqual([]);
  });

  test('puts lower priorities first, and the account’s own channels before shared ones', () => {
    const second = channelOf('b', 'chatting', { priority: 1 });
    const own = channelOf('c', 'chatting', { owner: 'acme', priority: 9 });
    expect(planned([second, a])).toEqual(['a', 'b']);
    expect(planned([second, a, own])).toEqual(['c', 'a', 'b']);
  });

  test('puts the target with affinity first, whatever the priority', () => {
    const second = channelOf('b', 'chatting', { priority: 1 });
    const affinity = ({ channel }: TextTarget) => (channel.id === 'b' ? 0 : 1);
    expect(planned([a, second], { affinity })).toEqual(['b', 'a']);
  });

  test('rotates by weight', () => {
    const ways = directoryOf([a, channelOf('b', 'chatting', { weight: 3 })]).routesTo(MODEL, 'acme', 'openai-chat')!;
    const common = { accountId: 'acme', strategy: 'weighted', stream: false, affinity: null, nowMs: NOW } as const;
    const heads = Array.from({ length: 8 }, () => plan({ ways, ...common, random: () => 0 })[0]?.channel.id);
    expect(heads.filter((id) => id === 'b')).toHaveLength(6);
  });

  test('puts the cheapest first, and those without a price last', () => {
    const dear = channelOf('b', 'chatting', { costs: cost('2') });
    const cheap = channelOf('c', 'chatting', { costs: cost('1') });
    expect(planned([a, dear, cheap], { strategy: 'lowest-cost' })).toEqual(['c', 'b', 'a']);
  });

  test('puts the one with the fewest requests in flight first', () => {
    const prepare = (targets: readonly TextTarget[]) => {
      of(targets, 'a').channel.inFlight = 2;
      of(targets, 'b').channel.inFlight = 1;
    };
    expect(planned([a, b, c], { strategy: 'least-busy' }, prepare)).toEqual(['c', 'b', 'a']);
  });

  test('puts the fastest of the requested kind first, and an unmeasured one before all', () => {
    const measure = (targets: readonly TextTarget[]) => {
      of(targets, 'a').firstByteMs.stream.add(10, NOW);
      of(targets, 'b').firstByteMs.stream.add(20, NOW);
      of(targets, 'a').firstByteMs.whole.add(20, NOW);
      of(targets, 'b').firstByteMs.whole.add(10, NOW);
    };
    const fastest = { strategy: 'lowest-latency' } as const;
    expect(planned([a, b], { ...fastest, stream: true }, measure)).toEqual(['a', 'b']);
    expect(planned([a, b], { ...fastest, stream: false }, measure)).toEqual(['b', 'a']);
    expect(planned([a, b, c], fastest, measure)).toEqual(['c', 'b', 'a']);
    const measuring = (targets: readonly TextTarget[]) => {
      measure(targets);
      of(targets, 'c').inFlight = 1;
    };
    expect(planned([a, b, c], fastest, measuring)).toEqual(['b', 'a', 'c']);
  });
});

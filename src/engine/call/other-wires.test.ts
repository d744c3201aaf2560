import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { OtherWires } from './other-wires.ts';
import { channelOf, targetOf } from './testing/sample-routes.ts';

const failureOf = (kind: string) => new Failure('upstream_error', { kind, message: 'No.' });
const [NOT_THERE, DOWN] = [failureOf('http_404'), failureOf('http_503')];

/** A channel with two wires, of which the first is preferred; several accounts use it. */
function channelWithTwo(fields: Parameters<typeof channelOf>[2] = {}) {
  const target = targetOf(channelOf('k', 'keeping', fields), 'openai-responses');
  target.health.breaker.isShared = true;
  const [other] = target.alternatives;
  if (other === undefined) throw new Error('there is no other wire');
  return { wires: new OtherWires(), target, other };
}

describe('after a failure', () => {
  test.each(['http_404', 'http_405', 'garbage', 'empty_stream', 'loss_refused'])(
    'that shows that the wire is missing or unsuitable the others are tried: %s',
    (kind) => {
      const { wires, target, other } = channelWithTwo();
      const candidates = wires.after(wires.candidate(target, 'acme'), failureOf(kind));
      expect(candidates).toEqual([{ target: other, first: target }]);
    },
  );

  test.each(['http_503', 'reset', 'first_byte_timeout'])('of another kind no other wire is tried: %s', (kind) => {
    const { wires, target } = channelWithTwo();
    expect(wires.after(wires.candidate(target, 'acme'), failureOf(kind))).toEqual([]);
  });

  test('of an alternative wire no other is tried', () => {
    const { wires, target, other } = channelWithTwo();
    expect(wires.after({ target: other, first: target }, NOT_THERE)).toEqual([]);
  });

  test("at the provider's own address another wire is tried only for what this one cannot carry", () => {
    const { wires, target } = channelWithTwo({ baseUrl: null });
    const candidate = wires.candidate(target, 'acme');
    expect(wires.after(candidate, NOT_THERE)).toEqual([]);
    expect(wires.after(candidate, failureOf('loss_refused'))).toHaveLength(1);
  });

  test('of a rare wire the others are tried, whatever the address', () => {
    const { wires, target } = channelWithTwo({ baseUrl: null });
    const rare = { ...target, wire: { ...target.wire, relayOnly: true as const } };
    expect(wires.after(wires.candidate(rare, 'acme'), NOT_THERE)).toHaveLength(1);
  });
});

describe('a wire that worked', () => {
  test('is tried first from then on for the account that used it, and no other', () => {
    const { wires, target, other } = channelWithTwo();
    wires.answered({ target: other, first: target }, NOT_THERE, 'acme');
    expect(wires.candidate(target, 'acme')).toEqual({ target: other, first: target });
    expect(wires.candidate(target, 'umbrella')).toEqual({ target, first: target });
  });

  test('is tried first for all accounts once a second one used it', () => {
    const { wires, target, other } = channelWithTwo();
    wires.answered({ target: other, first: target }, NOT_THERE, 'acme');
    wires.answered({ target: other, first: target }, NOT_THERE, 'umbrella');
    expect(wires.candidate(target, 'third').target).toBe(other);
  });

  test('is tried first at once if only one account uses the channel', () => {
    const { wires, target, other } = channelWithTwo();
    target.health.breaker.isShared = false;
    wires.answered({ target: other, first: target }, NOT_THERE, 'acme');
    expect(wires.candidate(target, 'umbrella').target).toBe(other);
  });

  test.each([
    ['after a different failure', DOWN],
    ['without a failure', null],
    ['because the request could not be carried', failureOf('loss_refused')],
  ])('as an alternative %s does not count for the address', (_, failure) => {
    const { wires, target, other } = channelWithTwo();
    wires.answered({ target: other, first: target }, failure, 'acme');
    expect(wires.candidate(target, 'acme').target).toBe(target);
  });

  test('itself is present, whatever another request suggests', () => {
    const { wires, target, other } = channelWithTwo();
    wires.answered({ target, first: target }, null, 'umbrella');
    wires.answered({ target: other, first: target }, NOT_THERE, 'acme');
    expect(wires.candidate(target, 'acme').target).toBe(target);
  });

  test('at one channel does not count for another', () => {
    const { wires, target, other } = channelWithTwo();
    wires.answered({ target: other, first: target }, NOT_THERE, 'acme');
    const second = targetOf(channelOf('k2', 'keeping'), 'openai-responses');
    expect(wires.candidate(second, 'acme').target).toBe(second);
  });
});

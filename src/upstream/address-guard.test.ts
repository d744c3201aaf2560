import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { parseAddressRange } from '../domain/access/network-address.ts';
import { until } from '../domain/testing/until.ts';
import { AddressGuard, type Resolve, type Verdict } from './address-guard.ts';

// Time stands still unless a test advances it.
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const NEVER = new AbortController().signal;

function guardWith(resolve: Resolve): AddressGuard {
  const loopback = parseAddressRange('127.0.0.0/8');
  if (!loopback.ok) throw new Error(loopback.problem);
  return new AddressGuard({ allowedRanges: [loopback.range], deniedRanges: [], resolve, ownAddresses: () => [] });
}

describe('a name is refused', () => {
  test.each<[string, Resolve]>([
    ['that does not exist', () => Promise.reject(new Error('ENOTFOUND'))],
    ['that has no address', async () => []],
    ['that has an inner address', async () => ['10.1.2.3']],
    ['that has an inner address beside an open one', async () => ['8.8.8.8', '10.1.2.3']],
    ['that has an inner address of an unknown form', async () => ['nonsense']],
  ])('%s, after the same time', async (_name, resolve) => {
    let verdict: Verdict | null = null;
    const checking = guardWith(resolve)
      .check('host.example', NEVER)
      .then((value) => {
        verdict = value;
      });
    jest.advanceTimersByTime(499);
    // Anything that does not wait for the clock has finished once this admission has.
    await guardWith(async () => ['8.8.8.8']).check('other.example', NEVER);
    expect(verdict).toBeNull();
    jest.advanceTimersByTime(1);
    await checking;
    expect(verdict).toEqual({ kind: 'refused' } as never);
  });

  test('at once when the signal fires, also before a name server has responded', async () => {
    const abort = new AbortController();
    const asked: string[] = [];
    const checking = guardWith((name) => {
      asked.push(name);
      return new Promise(() => {});
    }).check('host.example', abort.signal);
    await until('the name servers are asked', () => asked.length === 1);
    abort.abort();
    expect(await checking).toEqual({ kind: 'refused' });
  });
});

test('a literal address is refused at once, and a permitted name is admitted at once', async () => {
  expect(await guardWith(async () => []).check('[::ffff:10.0.0.1]', NEVER)).toEqual({ kind: 'refused' });
  expect(await guardWith(async () => ['127.0.0.1']).check('host.example', NEVER)).toMatchObject({ kind: 'admitted' });
});

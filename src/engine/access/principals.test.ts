import { describe, expect, test } from 'bun:test';
import type { Principal } from '../../domain/access/principal.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import { Principals } from './principals.ts';

function principalOf(accountId: string): Principal {
  return { account: sampleAccount({ id: accountId }), credential: sampleCredential({ accountId }) };
}

/** Makes a store that records lookups, and answers them on demand. */
function waitingStore() {
  const asked: string[] = [];
  const answers: ((principal: Principal | null) => void)[] = [];
  const principal = (hash: string) => {
    asked.push(hash);
    return new Promise<Principal | null>((resolve) => answers.push(resolve));
  };
  return { asked, answers, principal };
}

describe('a synchronous store', () => {
  const asked: string[] = [];
  const store = {
    principal: (hash: string) => {
      asked.push(hash);
      return hash === 'none' ? null : principalOf(hash);
    },
  };

  test('is read once for a known key, and every time for an unknown one', () => {
    const principals = new Principals(store);
    const first = principals.find('a');
    expect(principals.find('a')).toBe(first);
    expect([principals.find('none'), principals.find('none')]).toEqual([null, null]);
    expect(asked.splice(0)).toEqual(['a', 'none', 'none']);
  });

  test('is read again for the keys of changed accounts only', () => {
    const principals = new Principals(store);
    for (const hash of ['a', 'b']) void principals.find(hash);
    principals.forget(['a', 'ghost']);
    for (const hash of ['a', 'b']) void principals.find(hash);
    expect(asked.splice(0)).toEqual(['a', 'b', 'a']);
    principals.forget(null);
    void principals.find('b');
    expect(asked.splice(0)).toEqual(['b']);
  });

  test('has at most two generations cached, and keys in use stay', () => {
    const principals = new Principals(store, 2);
    for (const hash of ['a', 'b', 'c', 'a', 'd', 'e', 'a', 'f', 'g']) void principals.find(hash);
    asked.splice(0);
    void principals.find('a');
    void principals.find('b');
    expect(asked.splice(0)).toEqual(['b']);
  });
});

describe('an asynchronous store', () => {
  test('is read once for concurrent lookups of one key', async () => {
    const store = waitingStore();
    const principals = new Principals(store);
    const both = [principals.find('a'), principals.find('a')];
    const found = principalOf('a');
    store.answers[0]?.(found);
    expect(await Promise.all(both)).toEqual([found, found]);
    expect(principals.find('a')).toBe(found);
    expect(store.asked).toEqual(['a']);
  });

  test('does not have a result cached that was requested before a change', async () => {
    const store = waitingStore();
    const principals = new Principals(store);
    const before = principals.find('a');
    principals.forget(['a']);
    const after = principals.find('a');
    const [old, current] = [principalOf('a'), principalOf('a')];
    store.answers[1]?.(current);
    expect(await after).toBe(current);
    store.answers[0]?.(old);
    expect(await before).toBe(old);
    expect(principals.find('a')).toBe(current);
  });

  test('is read again after a failure', async () => {
    let fails = true;
    const principals = new Principals({
      principal: async (hash) => {
        if (fails) throw new Error('away');
        return principalOf(hash);
      },
    });
    await expect(Promise.resolve(principals.find('a'))).rejects.toThrow('away');
    fails = false;
    expect(await principals.find('a')).toMatchObject({ account: { id: 'a' } });
  });
});

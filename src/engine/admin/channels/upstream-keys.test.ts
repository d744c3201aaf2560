import { describe, expect, test } from 'bun:test';
import type { UpstreamKey } from '../../../domain/catalog/upstream-key.ts';
import { sampleChannel } from '../../ports/testing/samples.ts';
import { keysToStore, withKeptKeys } from './upstream-keys.ts';

const KEY = { weight: 1, enabled: true, spendCap: null, block: null, resetAtMs: null };
const FIRST: UpstreamKey = { ...KEY, id: 'k1', name: 'first', key: 'sk-first', block: { atMs: 1, reason: 'Refused.' } };
const SECOND: UpstreamKey = { ...KEY, id: 'k2', name: 'second', key: 'sk-second', weight: 3, enabled: false };
const CHANNEL = sampleChannel({ apiKey: null, apiKeys: [FIRST, SECOND] });
const WANTED = { weight: 1, enabled: null, spendCap: null, renameFrom: null };

describe('a change of api_keys', () => {
  test('keeps what it does not give, so that no credential is sent again', () => {
    const change = {
      api_keys: [
        { name: 'second', weight: 2 },
        { name: 'new-name', rename_from: 'first' },
      ],
    };
    expect(withKeptKeys(CHANNEL, change)).toMatchObject({
      api_key: null,
      api_keys: [
        { name: 'second', key: 'sk-second', weight: 2, enabled: false },
        { name: 'new-name', rename_from: 'first', key: 'sk-first', weight: 1 },
      ],
    });
  });

  test('gives the only key of before to the first new key without a credential', () => {
    const single = sampleChannel({ apiKey: 'sk-only' });
    const change = { api_keys: [{ name: 'main' }, { name: 'more', key: 'sk-more' }] };
    expect(withKeptKeys(single, change)).toEqual({
      api_key: null,
      api_keys: [
        { name: 'main', key: 'sk-only' },
        { name: 'more', key: 'sk-more' },
      ],
    });
    const [main] = keysToStore(single, { apiKeys: [{ ...WANTED, name: 'main', key: 'sk-only' }] }, true) ?? [];
    expect(main?.id).toBeNull();
  });

  test('gives a new key the name from which another one is renamed, but nothing else of it', () => {
    const change = {
      api_keys: [
        { name: 'second', key: 'sk-new' },
        { name: 'old', rename_from: 'second' },
      ],
    };
    expect(withKeptKeys(CHANNEL, change)).toMatchObject({
      api_keys: [change.api_keys[0], { name: 'old', key: 'sk-second', weight: 3, enabled: false }],
    });
    const apiKeys = [
      { ...WANTED, name: 'second', key: 'sk-new' },
      { ...WANTED, name: 'old', renameFrom: 'second', key: 'sk-second' },
    ];
    const [added, renamed] = keysToStore(CHANNEL, { apiKeys }, true) ?? [];
    expect(renamed?.id).toBe('k2');
    expect(['k1', 'k2', null]).not.toContain(added!.id);
    expect(added!.enabled).toBe(true);
    // A file that still has `rename_from` is applied again.
    const renamedChannel = sampleChannel({ apiKey: null, apiKeys: [added!, renamed!] });
    expect(keysToStore(renamedChannel, { apiKeys }, true)).toEqual([added!, renamed!]);
  });

  test('is undone by api_key', () => {
    expect(withKeptKeys(CHANNEL, { api_key: 'sk-one' })).toEqual({ api_key: 'sk-one', api_keys: null });
  });
});

describe('a stored key', () => {
  test('keeps its id, switch and block under its name, a new name, or by its credential', () => {
    for (const one of [{ name: 'first' }, { name: 'x', renameFrom: 'first' }, { name: 'y' }]) {
      const [stored] = keysToStore(CHANNEL, { apiKeys: [{ ...WANTED, key: 'sk-first', ...one }] }, true) ?? [];
      expect(stored).toEqual({ ...FIRST, name: one.name });
    }
    const [second] = keysToStore(CHANNEL, { apiKeys: [{ ...WANTED, name: 'second', key: 'sk-second' }] }, true) ?? [];
    expect(second?.enabled).toBe(false);
  });

  test('loses its block with a new credential or address, and an unknown one gets a new id', () => {
    const block = (key: string, isAskedAsBefore: boolean) =>
      keysToStore(CHANNEL, { apiKeys: [{ ...WANTED, name: 'first', key }] }, isAskedAsBefore)?.[0]?.block;
    expect([block('sk-other', true), block('sk-first', false), block('sk-first', true)]).toEqual([
      null,
      null,
      FIRST.block,
    ]);
    const [unknown] = keysToStore(CHANNEL, { apiKeys: [{ ...WANTED, name: 'third', key: 'sk-3' }] }, true) ?? [];
    expect(unknown).toMatchObject({ enabled: true, block: null });
    expect(['k1', 'k2', null]).not.toContain(unknown!.id);
  });
});

import { expect, test } from 'bun:test';
import { sampleConfiguration } from '../engine/admin/testing/sample-configuration.ts';
import { checkMemory } from './cli/doctor/check-files.ts';
import { availableMemory, describeMemory, memoryInForce } from './memory.ts';

const MIB = 1024 ** 2;
const BARE = sampleConfiguration({});

test('the memory of this machine is known', () => {
  expect(availableMemory({})).toBeGreaterThan(64 * MIB);
});

test('SWITCHYARD_MEMORY overrides the memory of the machine', () => {
  expect(availableMemory({ SWITCHYARD_MEMORY: '768MiB' })).toBe(768 * MIB);
  expect(availableMemory({ SWITCHYARD_MEMORY: '2GiB' })).toBe(2048 * MIB);
  for (const SWITCHYARD_MEMORY of ['1MiB', '512', '512mb', '-1GiB', '1.5GiB', '99999999GiB', 'all']) {
    expect(() => availableMemory({ SWITCHYARD_MEMORY })).toThrow(
      /^SWITCHYARD_MEMORY: must be a size of at least 64MiB/,
    );
  }
});

test('a configured limit overrides the default', () => {
  const configuration = { ...BARE, server: { ...BARE.server, bodyMemoryBytes: 7 * MIB } };
  const memory = memoryInForce(configuration, 1, 1024 * MIB);
  expect(memory.bounds).toEqual({ ...memory.defaults, bodyMemoryBytes: 7 * MIB });
});

test('the start reports the chosen limits', () => {
  expect(describeMemory(memoryInForce(null, 1, 1024 * MIB))).toBe(
    '1 GiB available; request bodies may use 307 MiB (the largest body is 30 MiB), responses 153 MiB, fetched media 153 MiB',
  );
});

test('doctor warns of limits above the memory, counting every worker', () => {
  expect(checkMemory(BARE, {}, 512 * MIB).level).toBe('ok');
  const configuration = { ...BARE, server: { ...BARE.server, maxHeldAnswerBytes: 300 * MIB } };
  expect(checkMemory(configuration, {}, 1024 * MIB).level).toBe('ok');
  expect(checkMemory(configuration, { SWITCHYARD_WORKERS: '4' }, 1024 * MIB)).toMatchObject({
    level: 'warn',
    message: expect.stringContaining('1 GiB is available: lower server.body_memory_bytes'),
  });
});

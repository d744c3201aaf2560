import { describe, expect, test } from 'bun:test';
import { LARGEST_MEMORY_BOUNDS, MEMORY_PER_BODY_BYTE, memoryBoundsFor } from './settings.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

describe('the default memory limits', () => {
  test('are the maximum on a machine with enough memory', () => {
    expect(memoryBoundsFor(16 * GIB, 1)).toEqual(LARGEST_MEMORY_BOUNDS);
  });

  test('fit a container with 512 MiB', () => {
    expect(memoryBoundsFor(512 * MIB, 1)).toEqual({
      maxBodyBytes: 10 * MIB,
      bodyMemoryBytes: 102 * MIB,
      maxHeldAnswerBytes: 51 * MIB,
      maxHeldMediaBytes: 51 * MIB,
    });
  });

  test('leave memory for the process, for any container size and number of workers', () => {
    for (const bytes of [512 * MIB, 768 * MIB, GIB, 2 * GIB, 4 * GIB, 64 * GIB]) {
      for (const processes of [1, 2, 4, 8]) {
        const each = bytes / processes;
        if (each < 342 * MIB) continue;
        const { bodyMemoryBytes, maxHeldAnswerBytes, maxHeldMediaBytes } = memoryBoundsFor(bytes, processes);
        const held = bodyMemoryBytes + maxHeldAnswerBytes + maxHeldMediaBytes;
        expect(held).toBeLessThanOrEqual(each - 256 * MIB);
      }
    }
  });

  test("leave room for one body of the maximum size in an account's half", () => {
    for (const bytes of [128 * MIB, 256 * MIB, 512 * MIB, GIB, 3 * GIB, 64 * GIB]) {
      const { bodyMemoryBytes, maxBodyBytes } = memoryBoundsFor(bytes, 1);
      expect(maxBodyBytes).toBeGreaterThanOrEqual(MIB);
      expect(maxBodyBytes * MEMORY_PER_BODY_BYTE).toBeLessThanOrEqual(bodyMemoryBytes / 2);
    }
  });
});

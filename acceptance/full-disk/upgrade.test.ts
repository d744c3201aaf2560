import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { SmallDisk } from '../../src/stores/shared/testing/small-disk.ts';
import { planFileUpgrade } from '../../src/stores/sqlite/plan-upgrade.ts';
import { copyOldDatabase } from '../../src/stores/sqlite/testing/2026-11-28/index.ts';
import { upgradeFile } from '../../src/stores/sqlite/upgrade-file.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };

test('an upgrade that fills the disk says so and changes nothing, and works once there is space', async () => {
  const disk = new SmallDisk(4 * 1024 * 1024);
  try {
    const path = join(disk.folder, 'switchyard.sqlite');
    await copyOldDatabase(path);
    const before = await planFileUpgrade(path);
    disk.fill();
    await expect(upgradeFile({ path, logger })).rejects.toThrow(
      `Cannot open the database ${path}: the disk is full; free some space and start again.`,
    );
    disk.free();
    expect(await planFileUpgrade(path)).toEqual(before);
    expect((await upgradeFile({ path, logger })).state).toBe('due');
    expect((await planFileUpgrade(path)).state).toBe('current');
  } finally {
    disk.remove();
  }
});

import { sqliteQuery } from '../../conformance/money/books.ts';
import { SmallDisk } from '../../src/stores/shared/testing/small-disk.ts';
import { describeUnwritable } from '../money/unwritable.ts';

const DISK_BYTES = 16 * 1024 * 1024;

describeUnwritable('a full disk', async () => {
  const disk = new SmallDisk(DISK_BYTES);
  return {
    reason: /^the disk is full$/,
    env: { SWITCHYARD_DATA: disk.folder },
    query: sqliteQuery(`${disk.folder}/switchyard.sqlite`),
    begin: async () => disk.fill(),
    end: async () => disk.free(),
    remove: async () => disk.remove(),
  };
});

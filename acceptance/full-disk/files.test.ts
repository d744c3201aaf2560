import { expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWholeFile } from '../../src/main/cli/whole-file.ts';
import { SmallDisk } from '../../src/stores/shared/testing/small-disk.ts';

test('a file that does not fit is not there, and the old one stays', async () => {
  const disk = new SmallDisk(1024 * 1024);
  try {
    const path = join(disk.folder, 'export.jsonl');
    const options = { replaces: true, isPrivate: true };
    await writeWholeFile(path, 'old', options);
    await expect(writeWholeFile(path, 'x'.repeat(2 * 1024 * 1024), options)).rejects.toThrow('the disk is full');
    expect((await readdir(disk.folder)).filter((name) => name.startsWith('export'))).toEqual(['export.jsonl']);
    expect(await Bun.file(path).text()).toBe('old');
  } finally {
    disk.remove();
  }
});

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { FolderShelf } from '../../../src/stores/media/folder-shelf.ts';
import { mediaOver, streamOf } from '../../../src/stores/media/testing/media-contract.ts';

/* Stores an endless file until it is killed, and prints its length whenever a part is on the disk. */

const [folder = ''] = process.argv.slice(2);
const unfinished = join(folder, 'unfinished');
const clock = new FakeClock();
const media = mediaOver(new FolderShelf({ folder, minFreeBytes: 0, clock }), clock, {
  maxBytes: 2 ** 40,
  maxBytesPerAccount: 2 ** 40,
});
const { content } = streamOf(2 ** 34, { maxBytes: 2 ** 40 });
setInterval(() => {
  const [name] = existsSync(unfinished) ? readdirSync(unfinished) : [];
  const bytes = name === undefined ? 0 : statSync(join(unfinished, name)).size;
  if (bytes > 100_000) process.stdout.write(`${bytes}\n`);
}, 5);
await media.put({ accountId: 'acme', content, mediaType: 'video/mp4' });

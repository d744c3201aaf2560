import { FakeClock } from '../../../engine/admin/testing/fake-clock.ts';
import { FolderShelf } from '../folder-shelf.ts';
import { mediaOver, streamOf } from './media-contract.ts';

/* Stores a file that never ends, to be killed meanwhile. */

const [folder = ''] = process.argv.slice(2);
const clock = new FakeClock();
const media = mediaOver(new FolderShelf({ folder, minFreeBytes: 0, clock }), clock, {
  maxBytes: 2 ** 40,
  maxBytesPerAccount: 2 ** 40,
});
const { content } = streamOf(2 ** 34, { maxBytes: 2 ** 40 });
await media.put({ accountId: 'acme', content, mediaType: 'video/mp4' });

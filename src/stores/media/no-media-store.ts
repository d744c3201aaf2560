import type { Failure } from '../../domain/failure/failure.ts';
import { type MediaStore, mediaRefused, type NewMedia } from '../../engine/ports/media-store.ts';

/** A store that refuses every file, for operators who want nothing to be stored. Files are then returned in the response where possible. */
export class NoMediaStore implements MediaStore {
  private refused = 0;

  async put({ content }: NewMedia): Promise<Failure> {
    this.refused += 1;
    if (content.kind === 'stream') await content.stream.cancel().catch(() => undefined);
    return mediaRefused('media_store_off');
  }

  link(): string {
    throw new Error('nothing was stored');
  }

  async open(): Promise<null> {
    return null;
  }

  async openStored(): Promise<null> {
    return null;
  }

  async removeFiles(): Promise<void> {}

  async place(): Promise<string> {
    return 'none';
  }

  setSplitFrom(): void {}

  figures() {
    return { bytes: 0, files: 0, refused: new Map([['media_store_off', this.refused]]) };
  }

  async removeOf(): Promise<void> {}

  async close(): Promise<void> {}
}

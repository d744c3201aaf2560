import { Failure } from '../../../domain/failure/failure.ts';
import type { MediaStore, NewMedia, StoredMedia } from '../../ports/media-store.ts';

const EXPIRES_AT_MS = 3_600_000;

/** Keeps bytes in memory without a limit. Set `failure` to make it refuse. */
export class FakeMediaStore implements MediaStore {
  readonly stored: (StoredMedia & { readonly accountId: string; readonly bytes: Uint8Array<ArrayBuffer> })[] = [];
  failure: Failure | null = null;
  splitFrom: readonly string[] = [];

  async put({ accountId, content, mediaType, expiresAtMs = EXPIRES_AT_MS }: NewMedia): Promise<StoredMedia | Failure> {
    if (this.failure !== null) return this.failure;
    const bytes =
      content.kind === 'bytes' ? content.bytes : new Uint8Array(await new Response(content.stream).arrayBuffer());
    if (content.kind === 'stream' && bytes.length > content.maxBytes) {
      return new Failure('upstream_error', { kind: 'media_too_large', message: 'The file is too large.' });
    }
    const media = { id: `media-${this.stored.length + 1}`, expiresAtMs, size: bytes.length, mediaType };
    this.stored.push({ ...media, accountId, bytes });
    return media;
  }

  link({ id, expiresAtMs }: Pick<StoredMedia, 'id' | 'expiresAtMs'>, origin: string): string {
    return `${origin}/media/${id}?expires=${expiresAtMs / 1000}`;
  }

  async open(): Promise<null> {
    return null;
  }

  async openStored(): Promise<null> {
    return null;
  }

  async removeFiles(): Promise<void> {}

  async removeOf(): Promise<void> {}

  async place(): Promise<string> {
    return 'memory';
  }

  setSplitFrom(hosts: readonly string[]): void {
    this.splitFrom = hosts;
  }

  figures() {
    return { bytes: 0, files: this.stored.length, refused: new Map<string, number>() };
  }

  async close(): Promise<void> {}
}

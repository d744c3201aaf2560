import path from 'node:path';
import { Failure } from '../../src/domain/failure/failure.ts';
import type { Clock } from '../../src/engine/ports/clock.ts';
import type { MediaStore } from '../../src/engine/ports/media-store.ts';
import { createLogger } from '../../src/main/logging/logger.ts';
import { openMediaStore } from '../../src/main/open-stores.ts';
import { systemClock } from '../../src/main/system.ts';
import type { Serving } from './serving.ts';
import { Workspace } from './workspace.ts';

export const MEDIA_SECRET = 'a master secret that two nodes share';

/** Two nodes with the same secret and media store: the test itself, which stores files, and a gateway, which serves them. */
export class MediaNodes {
  private constructor(
    private readonly space: Workspace,
    private readonly serving: Serving,
    readonly media: MediaStore,
  ) {}

  static async open(clock: Clock = systemClock): Promise<MediaNodes> {
    const space = await Workspace.create();
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      ...{ sandbox: true, media_store: { folder: space.path('media') } },
    });
    const serving = await space.serve({ clock, env: { SWITCHYARD_CONFIG, SWITCHYARD_SECRET: MEDIA_SECRET } });
    return new MediaNodes(space, serving, storeIn(space.folder, MEDIA_SECRET, clock));
  }

  get origin(): string {
    return this.serving.origin;
  }

  /** Returns a store of the same files with a secret that the gateway does not know. */
  foreignStore(): MediaStore {
    return storeIn(this.space.folder, `${MEDIA_SECRET}!`, systemClock);
  }

  /** Stores a file, and resolves to the link by which the gateway serves it. */
  async linkTo(
    content: Uint8Array<ArrayBuffer>,
    mediaType: string,
    { store = this.media, expiresAtMs }: { readonly store?: MediaStore; readonly expiresAtMs?: number } = {},
  ): Promise<string> {
    const made = await store.put({
      ...{ accountId: 'acme', content: { kind: 'bytes', bytes: content }, mediaType },
      ...(expiresAtMs !== undefined && { expiresAtMs }),
    });
    if (made instanceof Failure) throw new Error(made.message);
    return store.link(made, this.origin);
  }

  async close(): Promise<void> {
    await this.media.close();
    await this.space.remove();
  }
}

function storeIn(folder: string, secret: string, clock: Clock): MediaStore {
  const logger = createLogger('silent');
  return openMediaStore({ clock, configuration: null, dataDirectory: path.resolve(folder), secret, logger });
}

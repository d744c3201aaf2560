import type { DelegatedCredential } from '../../engine/access/caller.ts';
import type { ClientRequest, Connections } from './route.ts';

/** The parts that differ from the original request. */
export interface Readdressing {
  /** A path with its query. */
  readonly url: string;
  readonly modelInPath?: string;
  readonly isOpenRouters?: boolean;
  readonly headers?: Headers;
  readonly delegated?: DelegatedCredential;
}

/** Presents a request under another address; everything else is the original's. */
export class ReaddressedRequest implements ClientRequest {
  readonly url: string;
  readonly modelInPath?: string;
  readonly isOpenRouters?: boolean;
  readonly headers: Headers;
  readonly delegated?: DelegatedCredential;

  constructor(
    private readonly original: ClientRequest,
    { url, modelInPath, isOpenRouters, headers, delegated }: Readdressing,
  ) {
    this.url = url;
    this.headers = headers ?? original.headers;
    if (modelInPath !== undefined) this.modelInPath = modelInPath;
    if (isOpenRouters !== undefined) this.isOpenRouters = isOpenRouters;
    if (delegated !== undefined) this.delegated = delegated;
  }

  get method() {
    return this.original.method;
  }
  get body() {
    return this.original.body;
  }
  get signal() {
    return this.original.signal;
  }
  bytes() {
    return this.original.bytes();
  }
}

/** Maps a readdressed request back to the original, since the server knows connections only by its own request objects. */
export class OriginalConnections implements Connections {
  constructor(
    private readonly connections: Connections,
    private readonly original: ClientRequest,
  ) {}

  timeout(_: ClientRequest, seconds: number): void {
    this.connections.timeout(this.original, seconds);
  }

  upgrade(_: ClientRequest, options: Parameters<Connections['upgrade']>[1]): boolean {
    return this.connections.upgrade(this.original, options);
  }

  requestIP(): { readonly address: string } | null {
    return this.connections.requestIP(this.original);
  }
}

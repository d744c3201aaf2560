import type { DelegatedCredential } from '../../engine/access/caller.ts';
import { PathTable } from './path-table.ts';
import { OriginalConnections, ReaddressedRequest } from './readdressed-request.ts';
import type { ClientRequest, Connections, RouteHandler, Routes } from './route.ts';

/** Headers that describe the browser and the person, or that would open a WebSocket; they are not part of the call. */
const NOT_OF_THE_CALL =
  /^(?:cookie|origin|referer|upgrade|connection|authorization|proxy-authorization|(?:x-)?api-key|x-goog-api-key|sec-.*)$/;

/** A call of a person without an API key: its endpoint, and the key that it runs under. */
export interface DelegatedCall {
  /** The endpoint's path, with its query. */
  readonly url: string;
  readonly key: DelegatedCredential;
}

/**
 * Serves the endpoints that ask models for calls whose key is delegated for rather than sent. The endpoints' own handlers answer them; only
 * the key and the browser's headers are replaced.
 */
export class DelegatedCalls {
  private readonly table: PathTable;

  constructor(routes: Routes) {
    this.table = new PathTable(routes);
  }

  /** Returns the handler for an endpoint's path as the contract writes it, without any tolerance. */
  find(path: string): RouteHandler | null {
    return path.includes('//') ? null : (this.table.handlerOf(path) ?? null);
  }

  answer(
    handler: RouteHandler,
    { url, key }: DelegatedCall,
    request: ClientRequest,
    connections: Connections,
  ): Response | Promise<Response> {
    const headers = new Headers();
    for (const [name, value] of request.headers) if (!NOT_OF_THE_CALL.test(name)) headers.append(name, value);
    const call = new ReaddressedRequest(request, { url, headers, delegated: key });
    return handler(call, new OriginalConnections(connections, request));
  }
}

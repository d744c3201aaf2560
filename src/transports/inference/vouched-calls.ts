import type { Vouched } from '../../engine/access/vouched-key.ts';
import { PathTable } from './path-table.ts';
import { OriginalConnections, ReaddressedRequest } from './readdressed-request.ts';
import type { ClientRequest, Connections, RouteHandler, Routes } from './route.ts';

/** What a browser says of itself and of the person, and what would make a WebSocket: none of it is the call's. */
const NOT_OF_THE_CALL =
  /^(?:cookie|origin|referer|upgrade|connection|authorization|proxy-authorization|(?:x-)?api-key|x-goog-api-key|sec-.*)$/;

/** A call as somebody asks for it who has no key: at which endpoint, and with which key. */
export interface VouchedCall {
  /** Of the endpoint, with its query. */
  readonly url: string;
  readonly key: Vouched;
}

/**
 * The endpoints that ask models, for calls with a key that is vouched for, not sent. They are answered by the very handlers of these
 * endpoints; only the key, and what the browser has added of itself, is another.
 */
export class VouchedCalls {
  private readonly table: PathTable;

  constructor(routes: Routes) {
    this.table = new PathTable(routes);
  }

  /** Of the path of an endpoint, as it is written in the contract: nothing is guessed here. */
  find(path: string): RouteHandler | null {
    return path.includes('//') ? null : (this.table.handlerOf(path) ?? null);
  }

  answer(
    handler: RouteHandler,
    { url, key }: VouchedCall,
    request: ClientRequest,
    connections: Connections,
  ): Response | Promise<Response> {
    const headers = new Headers();
    for (const [name, value] of request.headers) if (!NOT_OF_THE_CALL.test(name)) headers.append(name, value);
    const call = new ReaddressedRequest(request, { url, headers, vouched: key });
    return handler(call, new OriginalConnections(connections, request));
  }
}

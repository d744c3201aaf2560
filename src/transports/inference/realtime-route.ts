import { Failure } from '../../domain/failure/failure.ts';
import type { Realtime } from '../../engine/relay/realtime.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import type { ClientAddresses } from './client-address.ts';
import { echoedIds } from './echoed-ids.ts';
import { failureResponse } from './failure-response.ts';
import { type RouteHandler, requestLine } from './route.ts';
import { isUpgrade } from './socket-route.ts';

/** The API's subprotocol, and the prefix of the one in which a browser, which cannot set headers, sends its key. */
const PROTOCOL = 'realtime';
const KEY_PROTOCOL = 'openai-insecure-api-key.';

export interface RealtimeRouteOptions {
  readonly realtime: Realtime;
  readonly newRequestId: () => string;
  readonly addresses: ClientAddresses;
}

/** Serves `GET /v1/realtime` with an upgrade. Errors are reported over HTTP, before there is a WebSocket. */
export function realtimeRoute({
  realtime,
  newRequestId,
  addresses,
}: RealtimeRouteOptions): Record<string, RouteHandler> {
  const handler: RouteHandler = async (request, connections) => {
    const { headers, url } = request;
    if (!isUpgrade(request))
      return failureResponse(openaiChat, wantsUpgrade(), newRequestId(), { upgrade: 'websocket' });
    const protocols = (headers.get('sec-websocket-protocol') ?? '').split(',').map((one) => one.trim());
    const opening = await realtime.open({
      envelope: openaiChat,
      secret: openaiChat.secret(headers, url) ?? keyIn(protocols),
      address: () => addresses.of(request, connections),
      line: () => requestLine(request, '/v1/realtime'),
      header: (name) => headers.get(name),
      query: requestTarget(url).query,
      signal: request.signal,
    });
    if (!('session' in opening)) return new Response(opening.body, opening);
    const { session } = opening;
    const chosen = protocols.includes(PROTOCOL) ? { 'sec-websocket-protocol': PROTOCOL } : {};
    const echoed = echoedIds(opening.headers['x-request-id'] ?? '', headers);
    if (connections.upgrade(request, { data: session, headers: { ...echoed, ...opening.headers, ...chosen } })) {
      // The server has already answered the handshake and ignores this response.
      return new Response(null, { status: 204 });
    }
    session.closed(1000, '');
    return failureResponse(openaiChat, wantsUpgrade(), newRequestId(), { upgrade: 'websocket' });
  };
  return { '/v1/realtime': handler };
}

function keyIn(protocols: readonly string[]): string | null {
  return protocols.find((one) => one.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length) ?? null;
}

function wantsUpgrade(): Failure {
  return new Failure('invalid_value', {
    message:
      '/v1/realtime requires a WebSocket handshake (RFC 6455, section 4.1). For a browser’s key, send a POST to /v1/realtime/client_secrets.',
    param: 'Upgrade',
  });
}

import packageJson from '../../package.json' with { type: 'json' };
import { requestTarget } from '../formats/shared/request/request-target.ts';
import type { ClientAddresses } from '../transports/inference/client-address.ts';
import { publicOrigin } from '../transports/inference/public-origin.ts';
import type { ServerHandler } from '../transports/inference/route.ts';
import type { SocketHandler } from '../transports/inference/socket-route.ts';
import { Probe } from '../transports/ops/probe.ts';
import type { GatewayOptions } from './gateway-options.ts';

/** Closes a WebSocket as soon as it is open. */
const CLOSING_SOCKET: SocketHandler = {
  opened: (socket) => socket.close(1000, ''),
  message: () => {},
  drained: () => {},
  closed: () => {},
};

export interface CreatedProbe {
  /** Returns whether a request comes from `switchyard doctor`. */
  admits(path: string, query: URLSearchParams): boolean;
  readonly handler: ServerHandler;
}

/** Creates the handler of the requests that `switchyard doctor` sends through a reverse proxy. */
export function createProbe(
  { probeTokens: tokens, publicUrl, maxBodyBytes, sleep }: GatewayOptions,
  addresses: ClientAddresses,
): CreatedProbe {
  const probe = new Probe({ tokens, version: packageJson.version, publicUrl, maxBodyBytes, sleep });
  return {
    admits: (path, query) => probe.admits(path, query),
    handler: (request, connections) => {
      const { path, query } = requestTarget(request.url);
      if (query.has('socket') && connections.upgrade(request, { data: CLOSING_SOCKET, headers: {} })) {
        // The server has already answered the handshake and ignores this response.
        return new Response(null, { status: 204 });
      }
      return probe.answer(request, path, query, {
        peer: connections.requestIP(request)?.address ?? null,
        client: addresses.of(request, connections),
        isPeerTrusted: addresses.isProxied(request, connections),
        origin: publicOrigin(request, connections, { addresses, publicUrl: null }),
      });
    },
  };
}

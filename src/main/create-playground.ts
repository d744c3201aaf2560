import { DelegatedKey, DelegatedReader } from '../engine/access/caller.ts';
import type { DelegatedCalls } from '../transports/inference/delegated-calls.ts';
import type { ServerHandler } from '../transports/inference/route.ts';
import type { RequestFacts } from '../transports/management/management.ts';
import { Playground, type PlaygroundPorts } from '../transports/management/playground.ts';
import { unavailable } from './unavailable.ts';

type Answering = (
  request: Request,
  connections: Parameters<ServerHandler>[1],
  facts: RequestFacts,
) => Promise<Response> | null;

/**
 * Answers calls of signed-in people: they are admitted like requests of the management API, and answered by the endpoints themselves. This
 * is the only place where a key is delegated for.
 */
export function createPlayground(ports: PlaygroundPorts, calls: DelegatedCalls): Answering {
  const playground = new Playground(ports);
  return (request, connections, facts) => {
    const path = playground.pathOf(request);
    return path === null ? null : answer(path);

    async function answer(path: string): Promise<Response> {
      const endpoint = calls.find(path);
      if (endpoint === null) return playground.unknown(request, path);
      const call = await playground.admit(request, path, facts).catch(unavailable);
      if (call instanceof Response) return call;
      const { by } = call;
      const key = 'credential' in by ? new DelegatedKey(by.credential.secretHash) : new DelegatedReader(by.reader);
      return await calls.answer(endpoint, { url: call.url, key }, request, connections);
    }
  };
}

import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { RelayedApiName } from '../../providers/shared/relayed-apis.ts';
import { authenticate } from '../access/authenticate.ts';
import { type AdmittedCallPorts, admittedCall } from '../call/admitted-call.ts';
import type { Directory } from '../directory/directory.ts';
import type { RelayedAnswer, RelayedCall } from '../relay/relayed-call.ts';
import type { Relays } from '../relay/relays.ts';

/** An API over stored objects that the gateway serves itself. */
export interface ServedApi {
  /** Whether the gateway has given the account the object with this id. */
  has(id: string, accountId: string): Promise<boolean>;
  answer(call: RelayedCall, principal: Principal): Promise<ServedAnswer | Failure>;
}

export type ServedAnswer = Pick<RelayedAnswer, 'body'> & Partial<Pick<RelayedAnswer, 'headers'>>;

export interface ServedApisPorts extends AdmittedCallPorts {
  readonly relays: Pick<Relays, 'run'>;
  readonly directory: () => Pick<Directory, 'relayChannels'>;
  readonly newRequestId: () => string;
  readonly apis: Partial<Readonly<Record<RelayedApiName, ServedApi>>>;
}

/**
 * Serves files and batches itself, unless the account has an own channel whose provider has the API: then they are passed through to it,
 * except for objects that the gateway itself has made (docs/batches.md).
 */
export class ServedApis {
  constructor(private readonly ports: ServedApisPorts) {}

  async run(call: RelayedCall): Promise<RelayedAnswer> {
    const { ports } = this;
    const api = ports.apis[call.api];
    if (api === undefined) return ports.relays.run(call);
    const principal = await authenticate(ports.principals, call.secret, ports.clock.nowMs());
    // The relays answer a wrong key, as for every other API.
    if (principal instanceof Failure || (await this.isRelayed(call, api, principal))) return ports.relays.run(call);
    const requestId = ports.newRequestId();
    const { result, headers } = await admittedCall(ports, call, (admitted) => api.answer(call, admitted));
    const own = { 'x-request-id': requestId, ...headers };
    if (result instanceof Failure) {
      const refused = call.envelope.encodeFailure(result, requestId);
      return { ...refused, headers: { ...refused.headers, ...own }, isEventStream: false };
    }
    const usual = { 'content-type': 'application/json', 'cache-control': 'no-store' };
    return { status: 200, headers: { ...usual, ...result.headers, ...own }, body: result.body, isEventStream: false };
  }

  private async isRelayed(call: RelayedCall, api: ServedApi, { account }: Principal): Promise<boolean> {
    const own = this.ports.directory().relayChannels(account.id);
    if (!own.some((channel) => channel.addressOf(call.api) !== null)) return false;
    const [, id = ''] = call.tail.split('/');
    return id === '' || !(await api.has(id, account.id));
  }
}

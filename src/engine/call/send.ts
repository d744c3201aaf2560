import type { CallTimeouts } from '../../domain/catalog/channel.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { Target } from '../directory/target.ts';
import type { Upstream, UpstreamAnswer, WaitingClient } from '../ports/upstream.ts';
import type { LaneRequest } from './lane.ts';

/** Bounds on reading an upstream's error body, in bytes and milliseconds. */
const ERROR_BOUNDS = { limitBytes: 256 * 1024, withinMs: 10_000 };

export interface SendInput {
  readonly target: Pick<Target, 'signer' | 'secrets' | 'local' | 'isGuarded'>;
  /** Excludes the suffix that the lane adds. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly prepared: LaneRequest;
  /** Further headers: the ids that the upstream gets; `null` for none. */
  readonly ids: Readonly<Record<string, string>> | null;
  readonly timeouts: CallTimeouts;
  readonly client: WaitingClient;
}

/** Sends the request that the lane made, with the provider's signature. */
export function send(upstream: Upstream, input: SendInput): Promise<UpstreamAnswer | Failure> {
  const { target, url, prepared, timeouts, client, ids } = input;
  const { local, isGuarded } = target;
  const { body, method = 'POST' } = prepared;
  if (prepared.suffix !== undefined) {
    const { suffix, ...rest } = prepared;
    return sendChanged(upstream, { ...input, url: withSuffix(url, suffix), prepared: rest });
  }
  // The common case: no headers are added per request, so nothing is copied or awaited.
  if (ids === null && prepared.headers === null && target.signer === null && body !== null) {
    return upstream.send({ url, method, headers: input.headers, body, timeouts, local, isGuarded, client });
  }
  return sendChanged(upstream, input);
}

async function sendChanged(upstream: Upstream, input: SendInput): Promise<UpstreamAnswer | Failure> {
  const { target, url, prepared, timeouts, client } = input;
  const { body, method = 'POST' } = prepared;
  let headers: Record<string, string> = { ...input.headers, ...prepared.headers, ...input.ids };
  if (body === null) delete headers['content-type'];
  if (target.signer !== null) {
    const signed = await target.signer({ method, url, headers, body });
    if (signed instanceof Failure) return signed;
    target.secrets.sent(signed);
    headers = { ...headers, ...signed };
  }
  const { local, isGuarded } = target;
  return await upstream.send({ url, method, headers, body, timeouts, local, isGuarded, client });
}

/** Turns an upstream's error response into a failure. */
export async function refused(target: Pick<Target, 'wire'>, answer: UpstreamAnswer): Promise<Failure> {
  const bytes = await answer.body.readAll(ERROR_BOUNDS);
  if (!(bytes instanceof Failure)) return target.wire.decodeFailure(answer.status, answer.headers, bytes);
  // If the upstream failed to deliver its error body, only the status counts. Other failures, such as a client that left, stay as they are.
  if (bytes.side !== 'upstream') return bytes;
  return target.wire.decodeFailure(answer.status, answer.headers, new Uint8Array(0));
}

/** Adds the suffix to the path. Its query joins one that the URL already has (an API version). */
function withSuffix(url: string, suffix: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url + suffix;
  const [path = '', query] = suffix.split('?', 2);
  return url.slice(0, at) + path + url.slice(at) + (query === undefined ? '' : `&${query}`);
}

const signal = new AbortController().signal;

/** Returns a client that never disconnects, for work that continues whether or not a client waits for it. */
export function detachedClient(accountId: string): WaitingClient {
  return { signal, accountId };
}

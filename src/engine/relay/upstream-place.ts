import { Failure } from '../../domain/failure/failure.ts';
import { percentDecoded } from '../../domain/text/percent-decoded.ts';
import { RELAYED_APIS } from '../../providers/shared/relayed-apis.ts';
import type { RelayAddress } from '../directory/relay-channel.ts';
import type { RelayedCall } from './relayed-call.ts';

const LONGEST_TAIL = 2_048;
/** The client's credentials, and parameters without a meaning here. */
const NOT_PASSED = ['key', 'access_token', 'oauth_token', 'api-version'];

/**
 * Returns the upstream URL of a call. The client's path stays below the API: no segment is empty or leads up, in any spelling, and none
 * hides a slash.
 */
export function upstreamUrl(call: RelayedCall, { baseUrl }: RelayAddress): string {
  const { path } = RELAYED_APIS[call.api];
  const base = call.isUpload ? uploadBase(baseUrl) : baseUrl;
  const query = passedQuery(call.query);
  return `${base}/${path}${call.tail}${query === '' ? '' : `?${query}`}`;
}

/** Turns `https://host/v1beta` into `https://host/upload/v1beta`. */
export function uploadBase(baseUrl: string): string {
  return baseUrl.replace(/\/[^/]+$/, (version) => `/upload${version}`);
}

export function passedQuery(query: URLSearchParams): string {
  const passed = new URLSearchParams(query);
  for (const name of NOT_PASSED) passed.delete(name);
  return passed.toString();
}

/** Returns why a path below an API is refused; `null` if it is allowed. */
export function tailProblem({ tail, method }: Pick<RelayedCall, 'tail' | 'method'>): Failure | null {
  if (tail.length <= LONGEST_TAIL && (tail === '' || /^[/:]/.test(tail)) && segmentsOf(tail).every(isPlain))
    return null;
  return new Failure('unknown_url', {
    message: `There is nothing at this URL for ${method}: a segment of its path is empty, is \`..\`, or has a character that is not allowed in an id.`,
    hint: 'Send the id exactly as an earlier response gave it.',
  });
}

/** Returns the unescaped segments between the slashes. */
export function segmentsOf(tail: string): string[] {
  if (tail === '') return [];
  return tail
    .replace(/^\//, '')
    .split('/')
    .map((segment) => percentDecoded(segment) ?? '');
}

/** Returns whether an unescaped segment is plain. No client needs double escapes. */
function isPlain(segment: string): boolean {
  return /^[\w.~:@!$&'()*+,;=-]{1,512}$/.test(segment) && !/^\.+$/.test(segment);
}

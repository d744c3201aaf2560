import type { Caller } from '../../engine/access/caller.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import type { ClientRequest } from './route.ts';

/** Returns the request's credential: the delegated key, or the key in the place where clients of this format put it. */
export function secretOf(format: Pick<ClientFormat, 'secret'>, request: ClientRequest): Caller['secret'] {
  return request.delegated ?? format.secret(request.headers, request.url);
}

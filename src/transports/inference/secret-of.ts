import type { Caller } from '../../engine/access/caller.ts';
import type { ClientFormat } from '../../formats/format.ts';
import type { ClientRequest } from './route.ts';

/** What a request shows to be let in: its key, in the place where clients of this format have it. */
export function secretOf(format: Pick<ClientFormat, 'secret'>, request: ClientRequest): Caller['secret'] {
  return request.vouched ?? format.secret(request.headers, request.url);
}

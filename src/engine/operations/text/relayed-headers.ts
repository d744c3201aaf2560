import { Failure } from '../../../domain/failure/failure.ts';
import type { ClientFormat } from '../../../formats/text/format.ts';
import type { Inbound } from '../../call/operation.ts';

export type ClientHeaders = Pick<Inbound, 'header'>;

/** Returns the client's headers that belong to its format; `null` for none. */
export function relayedHeaders(format: ClientFormat, client: ClientHeaders): Record<string, string> | null {
  let headers: Record<string, string> | null = null;
  for (const { name } of format.relayedHeaders) {
    const value = client.header(name);
    if (value === null || value === '') continue;
    headers ??= {};
    headers[name] = value;
  }
  return headers;
}

/** Checks these headers, before a lane is chosen. Returns a failure (400), or `null` if they are valid. */
export function headerProblem(format: ClientFormat, client: ClientHeaders): Failure | null {
  for (const { name, value, rule } of format.relayedHeaders) {
    const sent = client.header(name);
    if (sent === null || sent === '' || value.test(sent)) continue;
    return new Failure('invalid_value', { message: `The header \`${name}\` must be ${rule}.`, param: name });
  }
  return null;
}

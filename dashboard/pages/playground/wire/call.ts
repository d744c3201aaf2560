import { ownError } from '../../../api/client.ts';
import { isObject, type JsonObject, listOf, objectOf, parseJson, textOf } from '../../shared/json.ts';
import { refusalOf } from './refusal.ts';

/** A part of a form. */
export type Part = readonly [name: string, value: string | File];

/** A request as a client with a key would send it; the page sends the same one with its session. */
export interface Call {
  /** The endpoint's path, such as `/v1/chat/completions`. */
  readonly path: string;
  readonly body: { readonly json: JsonObject } | { readonly form: readonly Part[] };
  readonly headers?: Readonly<Record<string, string>>;
}

/** The account, and the key, that a request is charged to. */
export interface Payer {
  readonly accountId: string;
  /** `null` for the account's own playground key. */
  readonly keyId: string | null;
}

export interface Routing {
  readonly channel: string | null;
  readonly provider: string | null;
  readonly isOwn: boolean;
  readonly isCached: boolean;
  readonly retryCount: number;
}

export interface Loss {
  readonly field: string;
  readonly verdict: string;
  readonly why: string;
}

/** The facts in an answer's headers. */
export interface Facts {
  readonly requestId: string | null;
  readonly routing: Routing | null;
  readonly losses: readonly Loss[];
}

/** Returns the playground address of an endpoint. It is correct under a proxy's path. */
export function addressOf(path: string, { accountId, keyId }: Payer): string {
  const address = new URL(`v1/management/playground${path}`, document.baseURI);
  address.searchParams.set('account_id', accountId);
  if (keyId !== null) address.searchParams.set('key_id', keyId);
  return address.href;
}

/** Sends the call. Throws a `Refusal` for an error status, and an `ApiError` if the gateway is not reached. */
export async function send(call: Call, payer: Payer, signal?: AbortSignal): Promise<Response> {
  const isJson = 'json' in call.body;
  return await reach(addressOf(call.path, payer), {
    method: 'POST',
    headers: { ...call.headers, ...(isJson && { 'content-type': 'application/json' }) },
    body: 'json' in call.body ? JSON.stringify(call.body.json) : formOf(call.body.form),
    cache: 'no-store',
    signal,
  });
}

/** Reads from an endpoint of the playground: models, tasks. */
export async function read(path: string, payer: Payer, signal?: AbortSignal): Promise<unknown> {
  const answer = await reach(addressOf(path, payer), { cache: 'no-store', signal });
  return await answer.json();
}

async function reach(address: string, request: RequestInit): Promise<Response> {
  const answer = await fetch(address, request).catch((error: unknown) => {
    if (request.signal?.aborted === true) throw error;
    throw ownError('unreachable');
  });
  if (!answer.ok) throw await refusalOf(answer);
  return answer;
}

function formOf(parts: readonly Part[]): FormData {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, value.name);
  }
  return form;
}

export function factsOf(headers: Headers): Facts {
  return {
    requestId: headers.get('x-request-id'),
    routing: routingIn(parseJson(headers.get('x-routing') ?? '')),
    losses: listOf(parseJson(headers.get('x-switchyard-losses') ?? ''))
      .filter(isObject)
      .map(({ field, verdict, why }) => ({ field: textOf(field), verdict: textOf(verdict), why: textOf(why) })),
  };
}

/** Parses the routing in a header, or the `_routing` of an answer. */
export function routingIn(value: unknown): Routing | null {
  if (!isObject(value)) return null;
  const channel = objectOf(value.channel);
  return {
    channel: textOf(channel.name) || textOf(channel.id) || null,
    provider: textOf(channel.provider) || null,
    isOwn: channel.channelType === 'PRIVATE',
    isCached: value.cached === true,
    retryCount: typeof value.retryCount === 'number' ? value.retryCount : 0,
  };
}

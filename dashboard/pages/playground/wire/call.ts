import { ownError } from '../../../api/client.ts';
import { isObject, type JsonObject, listOf, objectOf, parseJson, textOf } from '../../shared/json.ts';
import { refusalOf } from './refusal.ts';

/** A part of a form. */
export type Part = readonly [name: string, value: string | File];

/** A request as a client with a key would send it; the page sends the very same one by its session. */
export interface Call {
  /** Of the endpoint: `/v1/chat/completions`. */
  readonly path: string;
  readonly body: { readonly json: JsonObject } | { readonly form: readonly Part[] };
  readonly headers?: Readonly<Record<string, string>>;
}

/** Who pays. */
export interface Payer {
  readonly accountId: string;
  /** None: the account's own key for the playground. */
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

/** What the headers of an answer say about it. */
export interface Facts {
  readonly requestId: string | null;
  readonly routing: Routing | null;
  readonly losses: readonly Loss[];
}

/** The address of an endpoint below the playground. Holds below a proxy's path. */
export function addressOf(path: string, { accountId, keyId }: Payer): string {
  const address = new URL(`v1/management/playground${path}`, document.baseURI);
  address.searchParams.set('account_id', accountId);
  if (keyId !== null) address.searchParams.set('key_id', keyId);
  return address.href;
}

/** Sends it. Throws a `Refusal` for what is no success, and an `ApiError` where the gateway is not reached. */
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

/** Reads what an endpoint of the playground has: models, tasks. */
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

/** Of a header, or of the `_routing` of an answer. */
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

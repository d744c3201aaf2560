import { type Operations, PATHS } from './schema.ts';

export type OperationId = keyof Operations;

/** What an operation is called with: members that it has not are left out. */
export interface Input<Id extends OperationId> {
  readonly params?: Operations[Id]['params'];
  readonly query?: Operations[Id]['query'];
  readonly body?: Operations[Id]['body'];
  /** The `ETag` of what is changed. */
  readonly ifMatch?: string | undefined;
  /** Sent again under the same key it is done once: for what a second press must not do again. */
  readonly idempotencyKey?: string | undefined;
  /** An answer that is so many seconds old will do, which pages that ask for the same then share. */
  readonly maxAgeSeconds?: number | undefined;
}

export type Answer<Id extends OperationId> = Operations[Id]['answer'];

/** What the gateway answered instead, in its own words. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** 0 where the gateway was not reached. */
    readonly status: number,
    readonly code: string,
    /** The member of the body, or the parameter, that is wrong. */
    readonly param: string | null,
    readonly requestId: string | null,
    /** What to do next. */
    readonly hint: string | null = null,
  ) {
    super(message);
  }

  /** Nobody has signed in, or the session has ended. */
  get isSignedOut(): boolean {
    return this.status === 401;
  }
}

/** What the page finds itself, without an answer that would say it: `kitText.failures` has the words, in the reader's language. */
export type OwnFailure = 'unreachable' | 'incomplete';

export function ownError(code: OwnFailure, requestId: string | null = null): ApiError {
  return new ApiError('', 0, code, null, requestId);
}

/** An answer, and the `ETag` to change it with. */
export interface Tagged<Value> {
  readonly value: Value;
  readonly etag: string | undefined;
}

/** Without `crypto.randomUUID`, which a page has only with TLS. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The address of an operation, for what a browser fetches itself: downloads, events. Holds below a proxy's path. */
export function addressOf<Id extends OperationId>(id: Id, { params, query }: Input<Id> = {}): string {
  const [, path] = PATHS[id];
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown> | undefined)?.[name])),
  );
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  const asked = search.size === 0 ? '' : `?${search}`;
  return new URL(filled.slice(1) + asked, document.baseURI).href;
}

/** Calls an operation of the management API. Throws `ApiError`. */
export async function call<Id extends OperationId>(
  id: Id,
  input: Input<Id> = {},
  signal?: AbortSignal,
): Promise<Answer<Id>> {
  return (await callTagged(id, input, signal)).value;
}

/** The same, with the `ETag` of what came. */
export async function callTagged<Id extends OperationId>(
  id: Id,
  input: Input<Id> = {},
  signal?: AbortSignal,
): Promise<Tagged<Answer<Id>>> {
  const [method] = PATHS[id];
  const { body, ifMatch, idempotencyKey, maxAgeSeconds } = input;
  const request = {
    method: method.toUpperCase(),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(maxAgeSeconds !== undefined && { 'cache-control': `max-age=${maxAgeSeconds}` }),
    },
    cache: 'no-store',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  } satisfies RequestInit;
  const answer = await reach(addressOf(id, input), request);
  if (!answer.ok) throw await errorOf(answer);
  const value = answer.status === 204 ? undefined : await answer.json();
  return { value: value as Answer<Id>, etag: answer.headers.get('etag') ?? undefined };
}

async function reach(address: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(address, request);
  } catch (error) {
    if (request.signal?.aborted === true) throw error;
    throw ownError('unreachable');
  }
}

/** What an answer that is not a success says. */
export async function errorOf(answer: Response): Promise<ApiError> {
  const { status } = answer;
  const requestId = answer.headers.get('x-request-id');
  const text = await answer.text().catch(() => '');
  try {
    const body: {
      error?: { message?: string; code?: string; param?: string | null; hint?: string | null };
      message?: string;
      code?: string;
      param?: null;
      hint?: null;
    } = JSON.parse(text);
    // Sign-in has an envelope of its own.
    const { message = `HTTP ${status}`, code = 'unknown', param = null, hint = null } = body.error ?? body;
    return new ApiError(message, status, code, param, requestId, hint);
  } catch {
    return new ApiError(`HTTP ${status}`, status, 'unknown', null, requestId);
  }
}

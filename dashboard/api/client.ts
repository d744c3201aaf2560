import { type Operations, PATHS } from './schema.ts';

export type OperationId = keyof Operations;

/** The input of an operation: members that it does not have are omitted. */
export interface Input<Id extends OperationId> {
  readonly params?: Operations[Id]['params'];
  readonly query?: Operations[Id]['query'];
  readonly body?: Operations[Id]['body'];
  /** The `ETag` of the object to change. */
  readonly ifMatch?: string | undefined;
  /** An idempotency key, for actions that a second press must not repeat. */
  readonly idempotencyKey?: string | undefined;
  /** The accepted age of the answer in seconds; pages that read the same then share it. */
  readonly maxAgeSeconds?: number | undefined;
}

export type Answer<Id extends OperationId> = Operations[Id]['answer'];

/** An error that the gateway has answered, in its own words. */
export class ApiError extends Error {
  constructor(
    message: string,
    /** 0 if the gateway was not reached. */
    readonly status: number,
    readonly code: string,
    /** The invalid member of the body, or parameter. */
    readonly param: string | null,
    readonly requestId: string | null,
    /** The suggested next step. */
    readonly hint: string | null = null,
  ) {
    super(message);
  }

  /** Whether nobody is signed in, or the session has ended. */
  get isSignedOut(): boolean {
    return this.status === 401;
  }
}

/** A failure that the page detects itself; `kitText.failures` has its message in the reader's language. */
export type OwnFailure = 'unreachable' | 'incomplete';

export function ownError(code: OwnFailure, requestId: string | null = null): ApiError {
  return new ApiError('', 0, code, null, requestId);
}

/** An answer, with the `ETag` for changing it. */
export interface Tagged<Value> {
  readonly value: Value;
  readonly etag: string | undefined;
}

/** Avoids `crypto.randomUUID`, which pages have only with TLS. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the address of an operation, for requests by the browser itself: downloads, events. It is correct under a proxy's path. */
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

/** Does the same, and returns the answer's `ETag`, too. */
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

/** Returns the error in an answer. */
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
    // Sign-in has its own envelope.
    const { message = `HTTP ${status}`, code = 'unknown', param = null, hint = null } = body.error ?? body;
    return new ApiError(message, status, code, param, requestId, hint);
  } catch {
    return new ApiError(`HTTP ${status}`, status, 'unknown', null, requestId);
  }
}

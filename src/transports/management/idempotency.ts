import { createHash } from 'node:crypto';
import type { Requester } from '../../domain/access/actor.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { IdempotencyStore, IdempotentRequest, KeptAnswer } from '../../engine/ports/idempotency-store.ts';

const KEY = /^[\x21-\x7e]{1,200}$/;

/** Returns the identity of a request that may be repeated; `null` without an `Idempotency-Key` header. */
export function idempotentRequest(
  headers: Headers,
  requester: Requester,
  asked: { readonly method: string; readonly target: string; readonly input: unknown },
): IdempotentRequest | Failure | null {
  const key = headers.get('idempotency-key');
  if (key === null) return null;
  if (!KEY.test(key)) {
    return new Failure('invalid_value', {
      message: '`Idempotency-Key` must be 1 to 200 ASCII characters without spaces.',
      param: 'Idempotency-Key',
    });
  }
  const said = JSON.stringify([asked.method, asked.target, asked.input]);
  const fingerprint = createHash('sha256').update(said).digest('base64url');
  return { scope: scopeOf(requester), key, fingerprint };
}

/** Returns a short key, which differs between callers. */
export function keyOf({ scope, key }: IdempotentRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([scope, key]))
    .digest('base64url');
}

/** Returns the caller's scope, since callers choose their keys themselves and two may choose the same. */
function scopeOf(requester: Requester): string {
  return requester.kind === 'person'
    ? `person:${requester.userId}`
    : `token:${requester.accountId}/${requester.tokenId}`;
}

/**
 * Performs a request at most once per key: a repetition gets the first answer. A failed request releases the key, since it changed nothing;
 * the outcome of an interrupted one is unknown.
 */
export async function once(
  store: IdempotencyStore,
  request: IdempotentRequest,
  nowMs: number,
  work: () => Promise<KeptAnswer | Failure>,
): Promise<KeptAnswer | Failure> {
  const state = await store.begin(request, nowMs);
  if (state.kind === 'done') {
    return { ...state.answer, headers: { ...state.answer.headers, 'idempotent-replayed': 'true' } };
  }
  if (state.kind === 'other') return reused();
  if (state.kind === 'running') return underWay();
  const answer = await work();
  if (answer instanceof Failure) await store.abandon(request);
  else await store.finish(request, answer);
  return answer;
}

function reused(): Failure {
  return new Failure('conflict', {
    kind: 'idempotency_key_reused',
    message: 'This `Idempotency-Key` was used for another request in the last 24 hours. Choose a new one.',
    param: 'Idempotency-Key',
  });
}

function underWay(): Failure {
  return new Failure('conflict', {
    kind: 'idempotent_request_running',
    message:
      'A request with this `Idempotency-Key` is in progress, or was interrupted. Check whether it took effect before you send it with a new key.',
    param: 'Idempotency-Key',
  });
}

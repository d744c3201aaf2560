import { createHash } from 'node:crypto';
import type { Principal } from '../../domain/access/principal.ts';
import { type CacheControl, policyOf } from '../../domain/cache/cache.ts';
import { after } from '../../domain/concurrency/after.ts';
import { sortedJson } from '../../domain/text/json-text.ts';
import { LARGE_BODY_BYTES } from '../../formats/shared/json/large-json.ts';
import { atOnce, inTurns, type Steps } from '../../formats/shared/request/steps.ts';
import type { Inbound, OpenCall } from '../call/operation.ts';
import type { Ways } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { AnswerCache, CacheUse } from './answer-cache.ts';
import type { CachePlan } from './cache-plan.ts';
import { type FoundHit, hitOf, isSharedBy, planFor, scopeOf, targetOf } from './cached-call.ts';

/** The encoding of an operation's cached answers. */
export interface AnswerCodec<Answer> {
  /** Returns whether the whole answer can be cached. */
  fits(answer: Answer): boolean;
  /** Returns a lower estimate of the encoded size. */
  sizeOf(answer: Answer): number;
  encode(answer: Answer): Steps<Uint8Array<ArrayBuffer>>;
  decode(bytes: Uint8Array): Steps<Answer>;
}

/** A request that is a list of inputs and always has the same answer. */
export interface InputRequest {
  readonly modelId: string;
  /** Everything besides the model and the inputs that can change the answer, including the name of the operation. */
  readonly settings: unknown;
  readonly inputs: readonly DigestedInput[];
  /** The request's cache controls; `null` for none. */
  readonly cacheControl: CacheControl | null;
  /** Whether an upstream reads the body as the gateway does. */
  readonly isUnambiguous: boolean;
}

/** The caller, and the targets that can answer. */
export interface InputCall {
  readonly inbound: Pick<Inbound, 'signal'>;
  readonly outcome: Pick<OpenCall['outcome'], 'whenOver' | 'toldSteps'>;
  readonly principal: Principal;
  readonly ways: Ways<Target>;
}

/** The cache for one request of an operation with whole, repeatable answers: embeddings and rerank. */
export class WholeAnswers<Answer> {
  private use: CacheUse | null = null;
  /** The latest target's answer. */
  private answer: Answer | null = null;

  private constructor(
    private readonly cache: AnswerCache,
    private readonly codec: AnswerCodec<Answer>,
    private readonly request: InputRequest,
    private readonly call: InputCall,
    private readonly plan: CachePlan,
  ) {}

  /** Returns `null` if the cache takes no part in the request. */
  static of<Answer>(
    cache: AnswerCache,
    codec: AnswerCodec<Answer>,
    request: InputRequest,
    call: InputCall,
  ): WholeAnswers<Answer> | null {
    const { ways, principal } = call;
    const policy = policyOf(cache.settings.policy, ways.model.cache, principal.account.cache);
    const plan = planFor(cache, request.cacheControl, policy, () => true);
    if (plan === null) return null;
    if (request.isUnambiguous) return new WholeAnswers(cache, codec, request, call, plan);
    cache.ports.metrics.cacheSkipped('request');
    return null;
  }

  /** Resolves to the answer to an equal request; `null` for none. */
  async find(): Promise<(FoundHit<Target> & { readonly answer: Answer }) | null> {
    const { cache, codec, call, plan } = this;
    const { modelId, inputs } = this.request;
    const { principal, ways, inbound, outcome } = call;
    const accountId = principal.account.id;
    const isShared = isSharedBy(cache, ways);
    const settings = [scopeOf(isShared, accountId), modelId, this.request.settings];
    const size = inputs.reduce((sum, { length }) => sum + length, 0);
    this.use = cache.open({
      ...{ plan, accountId, modelId, isShared, question: null },
      key: await worked(inputDigest(settings, inputs), size),
      signal: () => inbound.signal,
      whenOver: (release) => outcome.whenOver(release),
      mayUse: (entry) => targetOf(ways, entry) !== undefined,
    });
    const found = await this.use.find();
    const target = found === null ? undefined : targetOf(ways, found.entry);
    if (found === null || target === undefined) return null;
    const { answer } = found.entry;
    try {
      return {
        ...hitOf(cache, target, found, outcome.toldSteps),
        answer: await worked(codec.decode(answer), answer.length),
      };
    } catch (error) {
      return cache.unusable(found.entry, error);
    }
  }

  /** Remembers a target's answer. */
  note(answer: Answer): void {
    this.answer = answer;
  }

  /** Stores a charged answer if it came from this target and not from the cache. */
  completed({ routing: { channel }, upstreamModel }: Target): void {
    const { use, answer, codec, cache } = this;
    if (use?.keeps !== true || answer === null) return;
    const size = codec.sizeOf(answer);
    if (!codec.fits(answer)) use.notKept('unfit');
    else if (size > cache.settings.maxEntryBytes) use.notKept('too_large');
    else {
      const by = { channel, upstreamModel };
      void after(worked(codec.encode(answer), size), (bytes) => use.keep(bytes, by));
    }
  }
}

/** Spreads large work over several turns of the event loop. */
function worked<Result>(steps: Steps<Result>, size: number): Result | Promise<Awaited<Result>> {
  return size > LARGE_BODY_BYTES ? inTurns(steps) : atOnce(steps);
}

/** A text, or the ids of its tokens. */
export type DigestedInput = string | readonly number[];

/** Hashing a piece takes less than a millisecond. */
const PIECE = 128 * 1024;

/**
 * Returns the digest (43 characters of base64url) of a request that is a list of inputs. Two digests are the same exactly if their inputs
 * are equal, and their `settings` regardless of the order of members. Token ids are below 2^32. One step for each piece of an input.
 */
export function* inputDigest(settings: unknown, inputs: readonly DigestedInput[]): Steps<string> {
  const digest = createHash('sha256');
  // The lengths mark the boundaries of the inputs.
  digest.update(sortedJson([settings, inputs.map((input) => [typeof input, input.length])]));
  for (const input of inputs) {
    for (let at = 0; at < input.length; at += PIECE) {
      const piece = input.slice(at, at + PIECE);
      // UTF-16 preserves unpaired surrogates, which UTF-8 all turns into the same character.
      if (typeof piece === 'string') digest.update(piece, 'utf16le');
      else digest.update(Uint32Array.from(piece));
      yield;
    }
  }
  return digest.digest('base64url');
}

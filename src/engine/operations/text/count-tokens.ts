import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ClientFormat, ParsedRequest } from '../../../formats/format.ts';
import { isRecord } from '../../../formats/shared/record.ts';
import { relayCount } from '../../../formats/shared/relay-pieces.ts';
import type { HeldBytes } from '../../call/answer-memory.ts';
import { refused, send } from '../../call/attempt.ts';
import type { LaneRequest } from '../../call/lane.ts';
import type { Target } from '../../directory/target.ts';
import type { Upstream, WaitingClient } from '../../ports/upstream.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { type ExtrasInput, extrasOf } from './extras.ts';
import { type ClientHeaders, relayLane } from './relay-lane.ts';
import type { Translation } from './translation.ts';

const MAX_ANSWER_BYTES = 1024 * 1024;

export interface CountInput {
  readonly accountId: string;
  readonly upstream: Upstream;
  readonly format: ClientFormat;
  readonly request: ParsedRequest;
  readonly targets: readonly Target[];
  /** What the client gets where none may be asked now. */
  readonly withoutTarget: () => Failure;
  readonly extrasInput: ExtrasInput;
  readonly translation: Translation;
  /** What of the request a target gets: one that knows the earlier turns itself gets none of them. */
  readonly requestFor: (target: Target) => ParsedRequest;
  /** Its bytes may go up to this target. */
  readonly mayRelay: (target: Target) => boolean;
  readonly client: WaitingClient & ClientHeaders;
  readonly held: HeldBytes;
  readonly routingOf: (target: Target) => RoutingFacts;
  /** A target that counts has failed; the next one, or the tokenizer, is asked. */
  readonly onFailure: (target: Target, failure: Failure) => void;
}

export interface Counted {
  readonly target: Target;
  readonly body: Uint8Array<ArrayBuffer> | string;
}

/**
 * The tokens of a prompt: counted by the first target whose provider can, else by the tokenizer and marked as an estimate.
 * What the upstream calls the client's own mistake stays one, and what no target may get for this
 * account is refused as its generation would be.
 */
export async function countTokens(input: CountInput): Promise<Counted | Failure> {
  let refusal: Failure | null = null;
  for (const target of input.targets) {
    if (target.countUrl === null) continue;
    const result = await countAt(input, target, target.countUrl);
    if ('refusal' in result) {
      refusal ??= result.refusal;
      continue;
    }
    if ('body' in result) return { target, body: result.body };
    const counted = target.secrets.cleaned(result);
    if (counted.side === 'client' && counted.retry === 'never') return counted;
    input.onFailure(target, counted);
  }
  if (refusal !== null) return refusal;
  const [target] = input.targets;
  const request = input.translation.request();
  if (request instanceof Failure) return request;
  if (!target) return input.withoutTarget();
  const patch = { publicModel: input.request.model, routing: input.routingOf(target) };
  const body = input.format.encodeTokenCount?.(await estimateTokens(input.accountId, request), true, patch);
  return body === undefined ? cannotCount(input.format) : { target, body };
}

type CountedAt = Pick<Counted, 'body'> | Failure | { readonly refusal: Failure };

async function countAt(input: CountInput, target: Target, url: string): Promise<CountedAt> {
  const { format, request, translation } = input;
  const routing = input.routingOf(target);
  const { counting } = target.upstream;
  const relays = input.mayRelay(target);
  if (!relays && !counting) return cannotCount(format);
  const prepared = relays
    ? await relayLane(format, input.requestFor(target), target, input.client, routing, () =>
        translation.lane(target, routing),
      ).request()
    : await translation.encode(
        target,
        (decoded, encoding) => counting?.encodeRequest(decoded, encoding) ?? cannotCount(format),
      );
  if (prepared instanceof Failure) return prepared;
  const refusal = refusalOf(input, target, prepared);
  if (refusal !== null) return { refusal };
  const { headers } = target;
  const timeouts = target.timeouts.whole;
  const answer = await send(input.upstream, { target, url, headers, prepared, timeouts, client: input.client });
  if (answer instanceof Failure) return answer;
  if (answer.status < 200 || answer.status > 299) return refused(target, answer);
  const bytes = await answer.body.readAll({ limitBytes: MAX_ANSWER_BYTES, hold: input.held.hold });
  if (bytes instanceof Failure) return bytes;
  const tokens = counting?.decodeAnswer(bytes) ?? null;
  if (tokens === null) {
    return new Failure('upstream_error', {
      kind: 'garbage',
      message: 'The upstream answered a count without a number.',
    });
  }
  const relayed = relays ? relayCount(bytes, routing) : null;
  if (relayed !== null) return { body: relayed };
  const body = format.encodeTokenCount?.(tokens, false, { publicModel: request.model, routing });
  return body === undefined ? cannotCount(format) : { body };
}

function cannotCount(format: ClientFormat): Failure {
  return new Failure('internal_error', {
    message: `The format ${format.name} has no token count.`,
    retry: 'other-target',
  });
}

/** Why the target may not get it, as its generation would be refused; looks at the request that is counted, which the body may be or hold. */
function refusalOf({ extrasInput }: CountInput, target: Target, prepared: LaneRequest): Failure | null {
  const { value, names } = prepared;
  const found = extrasOf(target, prepared, extrasInput);
  if (found instanceof Failure) return found;
  const wrapper = target.upstream.counting?.wrapper?.(value) ?? null;
  const wrapped = wrapper === null ? null : value[wrapper];
  if (!isRecord(wrapped)) return null;
  const duplicates = names.duplicates.filter(([first]) => first === wrapper).map(([, ...path]) => path);
  // Which model it names is for the gateway to say, and it writes that over it.
  const { model: _, ...request } = wrapped;
  const within = extrasOf(target, { ...prepared, value: request, names: { ...names, duplicates } }, extrasInput);
  return within instanceof Failure ? within : null;
}

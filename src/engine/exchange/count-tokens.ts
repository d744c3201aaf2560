import { Failure } from '../../domain/failure/failure.ts';
import type { ClientFormat, ParsedRequest } from '../../formats/format.ts';
import type { Upstream, WaitingClient } from '../ports/upstream.ts';
import { estimateTokens } from '../shared/estimate-tokens.ts';
import type { Target } from '../shared/target.ts';
import { refused, send } from './attempt.ts';
import { type ClientHeaders, relayLane } from './relay-lane.ts';
import type { Translation } from './translation.ts';

const MAX_ANSWER_BYTES = 1024 * 1024;

export interface CountInput {
  readonly upstream: Upstream;
  readonly format: ClientFormat;
  readonly request: ParsedRequest;
  readonly targets: readonly Target[];
  /** What the client gets where none may be asked now. */
  readonly withoutTarget: () => Failure;
  readonly translation: Translation;
  /** The request's own bytes may go up where the target speaks its format. */
  readonly mayRelay: boolean;
  readonly client: WaitingClient & ClientHeaders;
  readonly routingJsonOf: (target: Target) => string;
  /** A target that counts has failed; the next one, or the tokenizer, is asked. */
  readonly onFailure: (target: Target, failure: Failure) => void;
}

export interface Counted {
  readonly target: Target;
  readonly body: Uint8Array<ArrayBuffer> | string;
}

/**
 * The tokens of a prompt: counted by the first target whose provider can, else by the tokenizer and marked as an estimate.
 * What the upstream calls the client's own mistake stays one.
 */
export async function countTokens(input: CountInput): Promise<Counted | Failure> {
  for (const target of input.targets) {
    if (target.countUrl === null) continue;
    const counted = await countAt(input, target, target.countUrl);
    if (!(counted instanceof Failure)) return { target, body: counted };
    if (counted.side === 'client' && counted.retry === 'never') return counted;
    input.onFailure(target, counted);
  }
  const [target] = input.targets;
  const request = input.translation.request();
  if (request instanceof Failure) return request;
  if (!target) return input.withoutTarget();
  const patch = { publicModel: input.request.model, routingJson: input.routingJsonOf(target) };
  const body = input.format.encodeTokenCount?.(await estimateTokens(request), true, patch);
  return body === undefined ? cannotCount(input.format) : { target, body };
}

async function countAt(
  input: CountInput,
  target: Target,
  url: string,
): Promise<Uint8Array<ArrayBuffer> | string | Failure> {
  const { format, request, translation } = input;
  const routingJson = input.routingJsonOf(target);
  const { counting } = target.upstream;
  const relays = input.mayRelay && target.upstream.name === format.name;
  if (!relays && !counting) return cannotCount(format);
  const prepared = relays
    ? await relayLane(format, request, target, input.client, routingJson, () =>
        translation.lane(target, routingJson),
      ).request()
    : await translation.encode(
        target,
        (decoded, encoding) => counting?.encodeRequest(decoded, encoding) ?? cannotCount(format),
      );
  if (prepared instanceof Failure) return prepared;
  const { headers, channel } = target;
  const { timeouts } = channel;
  const answer = await send(input.upstream, { target, url, headers, prepared, timeouts, client: input.client });
  if (answer instanceof Failure) return answer;
  if (answer.status < 200 || answer.status > 299) return refused(target, answer);
  const bytes = await answer.body.readAll(MAX_ANSWER_BYTES);
  if (bytes instanceof Failure) return bytes;
  const patch = { publicModel: request.model, routingJson };
  if (relays) {
    const relayed = format.relayAnswer(bytes, patch);
    return relayed instanceof Failure ? relayed : relayed.bytes;
  }
  const tokens = counting?.decodeAnswer(bytes) ?? null;
  if (tokens === null) {
    return new Failure('upstream_error', {
      kind: 'garbage',
      message: 'The upstream answered a count without a number.',
    });
  }
  return format.encodeTokenCount?.(tokens, false, patch) ?? cannotCount(format);
}

function cannotCount(format: ClientFormat): Failure {
  return new Failure('internal_error', {
    message: `The format ${format.name} has no token count.`,
    retry: 'other-target',
  });
}

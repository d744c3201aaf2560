import { inNaturalPieces } from '../../../domain/exchange/natural-pieces.ts';
import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import type { ServedAs } from '../../../domain/exchange/served-as.ts';
import { billableOf, type Usage } from '../../../domain/exchange/usage.ts';
import { type Billable, NOTHING_BILLABLE } from '../../../domain/money/quantity.ts';
import { LARGE_BODY_BYTES } from '../../../formats/shared/json/large-json.ts';
import type { Produced, StreamDecoder, StreamRelay } from '../../../formats/text/format.ts';
import type { KnownStream, WholeResponse } from '../../call/lane.ts';
import { roughTokensOfPrompt } from './estimate-tokens.ts';
import type { TextJobInput } from './text-job.ts';
import { TranslatedStream } from './translated-stream.ts';

const NO_INPUT: StreamDecoder = { push: () => [], end: () => [] };

/**
 * Returns an earlier answer in the client's format, whole or as a stream, with a new id and time. Its state is remembered like that of any
 * answer.
 */
export function replayedAnswer(
  { services, inbound, turn, principal }: TextJobInput,
  request: ExchangeRequest,
  answer: ExchangeResponse,
  routing: RoutingFacts,
): WholeResponse | KnownStream<StreamRelay> {
  const { format } = inbound;
  const { states } = services.memory;
  const { clock, newId } = services.ports;
  const accountId = principal.account.id;
  const response: ExchangeResponse = { ...answer, id: null, created: null };
  const context = {
    publicModel: turn.whole.model,
    routing,
    parsed: turn.whole,
    request,
    isLarge: turn.bodyBytes > LARGE_BODY_BYTES,
    created: Math.floor(clock.nowMs() / 1000),
    estimatedPromptTokens: () => roughTokensOfPrompt(request),
    newId,
  };
  const { usage, model = null, serviceTier = null } = response;
  const served = { model, serviceTier };
  if (turn.sent.stream) {
    const written = new TranslatedStream(NO_INPUT, format.encodeStream(context), states.observer(accountId, request));
    const bytes = written.writeWhole(inNaturalPieces(partsOfResponse(response)));
    return { relay: new FinishedRelay(usage, served, written.answerJson), bytes };
  }
  states.rememberAnswer(accountId, request, response);
  const { billable } = new FinishedRelay(usage, served, null);
  return { body: format.encodeAnswer(response, context), billable, served };
}

const EMPTY = new Uint8Array(0);
const NOTHING: Produced = {
  ...{ bytes: 0, isPastReport: false, webSearches: 0, drawn: null },
  sample: () => ({ text: '', bytes: 0 }),
};

/** The stream of a cached answer, already completely encoded. It holds no other resources, and can be reused. */
export class FinishedRelay implements StreamRelay {
  readonly failure = null;
  readonly finished = true;
  readonly started = true;
  readonly produced = NOTHING;

  constructor(
    readonly usage: Usage | null,
    readonly served: ServedAs,
    readonly answerJson: string | null,
  ) {}

  /** The usage at the time when it was made. */
  get billable(): Billable {
    return this.usage === null ? NOTHING_BILLABLE : billableOf(this.usage);
  }

  push(): Uint8Array {
    return EMPTY;
  }

  end(): Uint8Array {
    return EMPTY;
  }
}

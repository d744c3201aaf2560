import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { withMember } from '../../shared/stream/relay-pieces.ts';
import { KEEP_ALIVE } from '../../shared/stream/sse.ts';
import type { ClientFormat } from '../format.ts';
import { openaiLimitHeaders } from '../shared/headers.ts';
import { COMMON_TOOL_NAMES } from '../shared/tool-names.ts';
import { wantsUsageCost } from '../shared/usage-cost.ts';
import { decodeAnswer, decodeTokenCount } from './answer.decode.ts';
import { encodeAnswer, encodeTokenCount } from './answer.encode.ts';
import { carries } from './capabilities.ts';
import { compacting } from './compaction.ts';
import { conversation, endpoints, outputBound, relayedHeaders, secret } from './endpoints.ts';
import { encodeFailure, errorEvent } from './failure.ts';
import { fields } from './fields.ts';
import { media, needsBytes } from './media.ts';
import { objects } from './objects.ts';
import { issuing } from './reasoning.ts';
import { relayAnswer } from './relay.answer.ts';
import { relayBreach, relayEdits } from './relay.request.ts';
import { ResponsesStreamRelay } from './relay.stream.ts';
import { decodeRequest, decodeSteps, GOVERNED, parseRequest } from './request.decode.ts';
import { encodeCountRequest, encodeRequest, encodeSteps } from './request.encode.ts';
import { FORMAT } from './schema.ts';
import { searchWriting } from './search.ts';
import { storing } from './storing.ts';
import { ResponsesStreamDecoder } from './stream.decode.ts';
import { ResponsesStreamEncoder } from './stream.encode.ts';
import { usageJson } from './usage.ts';

/** OpenAI's Responses API: the contract's POST /v1/responses, with its token count and compaction endpoints. */
export const openaiResponses: ClientFormat = {
  name: FORMAT,
  stateFamily: 'openai-responses',
  carries,
  // The limit in the published document of FunctionToolParam.
  toolNames: { ...COMMON_TOOL_NAMES, maxLength: 128 },
  needsBytes,
  encodeRequest,
  encodeSteps,
  decodeAnswer,
  decodeStream: (source) => new ResponsesStreamDecoder(source),
  decodeFailure,
  counting: { encodeRequest: encodeCountRequest, decodeAnswer: decodeTokenCount },
  endpoints,
  fields,
  secret,
  relayedHeaders,
  processingHeader: 'openai-processing-ms',
  limitHeaders: openaiLimitHeaders,
  parseRequest,
  objects,
  namesFallbacks: true,
  media,
  conversation,
  outputBound,
  relayBreach,
  wantsUsageCost,
  relayEdits,
  relayAnswer,
  withUsage: (answer, usage) => withMember(answer, 'usage', usageJson(usage)),
  relayStream: (_request, patch) => new ResponsesStreamRelay(patch),
  decodeRequest,
  decodeSteps,
  ownNames: GOVERNED,
  encodeAnswer,
  encodeStream: (context) => new ResponsesStreamEncoder(context),
  streamContentType: () => 'text/event-stream',
  storing,
  compacting,
  issuing,
  encodeTokenCount,
  encodeFailure,
  encodeStreamFailure: (failure) => errorEvent(failure, 0),
  searching: searchWriting,
  ping: KEEP_ALIVE,
};

import { encodeFailure, encodeStreamFailure } from '../../shared/failure/openai-failure.ts';
import { encodeOpenRouterStreamFailure } from '../../shared/failure/openrouter-failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { withMember } from '../../shared/stream/relay-pieces.ts';
import { KEEP_ALIVE } from '../../shared/stream/sse.ts';
import type { ClientFormat } from '../format.ts';
import { relayAnswer } from '../shared/choice-relay.ts';
import { openaiLimitHeaders } from '../shared/headers.ts';
import { encodeUsage } from '../shared/openai-usage.ts';
import { COMMON_TOOL_NAMES } from '../shared/tool-names.ts';
import { wantsUsageCost } from '../shared/usage-cost.ts';
import { decodeAnswer } from './answer.decode.ts';
import { encodeAnswer } from './answer.encode.ts';
import { carries } from './capabilities.ts';
import { cacheControl, conversation, endpoints, outputBound, relayedHeaders, secret } from './endpoints.ts';
import { fields } from './fields.ts';
import { media, needsBytes } from './media.ts';
import { objects } from './objects.ts';
import { relayBreach, relayEdits } from './relay.request.ts';
import { ChatStreamRelay, dialect } from './relay.stream.ts';
import { decodeRequest, decodeSteps, GOVERNED, parseRequest } from './request.decode.ts';
import { encodeRequest, encodeSteps } from './request.encode.ts';
import { FORMAT } from './schema.ts';
import { searchWriting } from './search.ts';
import { ChatStreamDecoder } from './stream.decode.ts';
import { ChatStreamEncoder } from './stream.encode.ts';

/** OpenAI chat completions: the contract's POST /v1/chat/completions, and the format of most providers. */
export const openaiChat: ClientFormat = {
  name: FORMAT,
  stateFamily: 'openai-chat',
  carries,
  toolNames: COMMON_TOOL_NAMES,
  needsBytes,
  encodeRequest,
  encodeSteps,
  decodeAnswer,
  decodeStream: (source) => new ChatStreamDecoder(source),
  decodeFailure,
  endpoints,
  fields,
  secret,
  relayedHeaders,
  processingHeader: 'openai-processing-ms',
  limitHeaders: openaiLimitHeaders,
  parseRequest,
  objects,
  media,
  namesFallbacks: true,
  cacheControl,
  conversation,
  outputBound,
  relayBreach,
  wantsUsageCost,
  relayEdits,
  relayAnswer: (bytes, patch) => relayAnswer(dialect, bytes, patch),
  withUsage: (answer, usage) => withMember(answer, 'usage', encodeUsage(usage)),
  relayStream: (request, patch) => new ChatStreamRelay(request, patch),
  decodeRequest,
  decodeSteps,
  ownNames: GOVERNED,
  encodeAnswer,
  encodeStream: (context) => new ChatStreamEncoder(context),
  streamContentType: () => 'text/event-stream; charset=utf-8',
  encodeFailure,
  encodeStreamFailure: (failure, request, place) =>
    request?.omitsNullUsage === true
      ? encodeOpenRouterStreamFailure(failure, request.model, place?.requestId)
      : encodeStreamFailure(failure),
  searching: searchWriting,
  ping: KEEP_ALIVE,
};

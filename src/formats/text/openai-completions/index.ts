import { encodeFailure, encodeStreamFailure } from '../../shared/failure/openai-failure.ts';
import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { MediaFields } from '../../shared/media/media-fields.ts';
import { withMember } from '../../shared/stream/relay-pieces.ts';
import { KEEP_ALIVE } from '../../shared/stream/sse.ts';
import type { ClientFormat } from '../format.ts';
import { relayAnswer } from '../shared/choice-relay.ts';
import { ChoiceStreamRelay } from '../shared/choice-stream-relay.ts';
import { openaiLimitHeaders } from '../shared/headers.ts';
import { encodeUsage } from '../shared/openai-usage.ts';
import { COMMON_TOOL_NAMES } from '../shared/tool-names.ts';
import { wantsUsageCost } from '../shared/usage-cost.ts';
import { decodeAnswer } from './answer.decode.ts';
import { encodeAnswer } from './answer.encode.ts';
import { carries } from './capabilities.ts';
import { conversation, endpoints, outputBound, relayedHeaders, secret } from './endpoints.ts';
import { fields } from './fields.ts';
import { dialect, relayEdits } from './relay.ts';
import { decodeRequest, decodeSteps, GOVERNED, parseRequest } from './request.decode.ts';
import { encodeRequest } from './request.encode.ts';
import { FORMAT } from './schema.ts';
import { CompletionStreamDecoder } from './stream.decode.ts';
import { CompletionStreamEncoder } from './stream.encode.ts';

/** OpenAI's older text completions: a prompt goes in, and a text comes out. */
export const openaiCompletions: ClientFormat = {
  name: FORMAT,
  relayOnly: true,
  stateFamily: 'openai-chat',
  carries,
  toolNames: COMMON_TOOL_NAMES,
  needsBytes: () => false,
  encodeRequest,
  decodeAnswer,
  decodeStream: () => new CompletionStreamDecoder(),
  decodeFailure,
  endpoints,
  fields,
  secret,
  relayedHeaders,
  processingHeader: 'openai-processing-ms',
  limitHeaders: openaiLimitHeaders,
  parseRequest,
  // A text prompt refers to no objects at a provider.
  objects: { named: () => [], mayIssue: () => false, issued: () => [] },
  media: new MediaFields([]),
  conversation,
  outputBound,
  wantsUsageCost,
  relayEdits,
  relayAnswer: (bytes, patch) => relayAnswer(dialect, bytes, patch),
  withUsage: (answer, usage) => withMember(answer, 'usage', encodeUsage(usage)),
  relayStream: (request, patch) => new ChoiceStreamRelay(dialect, request, patch),
  decodeRequest,
  decodeSteps,
  ownNames: GOVERNED,
  encodeAnswer,
  encodeStream: (context) => new CompletionStreamEncoder(context),
  streamContentType: () => 'text/event-stream; charset=utf-8',
  encodeFailure,
  encodeStreamFailure,
  ping: KEEP_ALIVE,
};

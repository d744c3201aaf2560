import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import { withMember } from '../../shared/stream/relay-pieces.ts';
import type { ClientFormat } from '../format.ts';
import { anthropicLimitHeaders } from '../shared/headers.ts';
import { COMMON_TOOL_NAMES } from '../shared/tool-names.ts';
import { decodeAnswer, decodeTokenCount } from './answer.decode.ts';
import { encodeAnswer, encodeTokenCount } from './answer.encode.ts';
import { carries } from './capabilities.ts';
import { conversation, endpoints, outputBound, relayedHeaders, secret } from './endpoints.ts';
import { encodeFailure, encodeStreamFailure } from './failure.ts';
import { fields } from './fields.ts';
import { media, needsBytes } from './media.ts';
import { keeping, objects } from './objects.ts';
import { relayAnswer } from './relay.answer.ts';
import { relayBreach, relayEdits } from './relay.request.ts';
import { MessagesStreamRelay } from './relay.stream.ts';
import { decodeRequest, decodeSteps, GOVERNED, parseRequest } from './request.decode.ts';
import { encodeCountRequest, encodeRequest, encodeSteps } from './request.encode.ts';
import { FORMAT } from './schema.ts';
import { searchWriting } from './search.ts';
import { MessagesStreamDecoder } from './stream.decode.ts';
import { MessagesStreamEncoder } from './stream.encode.ts';
import { encodeUsage } from './usage.ts';

/** Anthropic's Messages API: the contract's POST /v1/messages, and its token count. */
export const anthropicMessages: ClientFormat = {
  name: FORMAT,
  stateFamily: 'anthropic',
  carries,
  // The pattern for tool names in the published document.
  toolNames: { ...COMMON_TOOL_NAMES, maxLength: 128 },
  needsBytes,
  encodeRequest,
  encodeSteps,
  decodeAnswer,
  decodeStream: (source) => new MessagesStreamDecoder(source),
  decodeFailure,
  counting: { encodeRequest: encodeCountRequest, decodeAnswer: decodeTokenCount },
  endpoints,
  fields,
  secret,
  relayedHeaders,
  requestIdHeader: 'request-id',
  limitHeaders: anthropicLimitHeaders,
  parseRequest,
  objects,
  media,
  keeping,
  answersInText: true,
  conversation,
  outputBound,
  relayBreach,
  relayEdits,
  relayAnswer,
  withUsage: (answer, usage) => withMember(answer, 'usage', encodeUsage(usage, null)),
  relayStream: (_request, patch) => new MessagesStreamRelay(patch),
  decodeRequest,
  decodeSteps,
  ownNames: GOVERNED,
  encodeAnswer,
  encodeStream: (context) => new MessagesStreamEncoder(context),
  streamContentType: () => 'text/event-stream; charset=utf-8',
  encodeTokenCount,
  encodeFailure,
  encodeStreamFailure,
  searching: searchWriting,
  ping: 'event: ping\ndata: {"type": "ping"}\n\n',
};

import type { ClientFormat } from '../format.ts';
import { COMMON_TOOL_NAMES } from '../shared/tool-names.ts';
import { decodeFailure } from '../shared/upstream-failure.ts';
import { carries } from './carries.ts';
import { encodeRequest } from './encode-request.ts';
import { conversation, endpoints, outputBound, relayedHeaders, secret } from './endpoints.ts';
import { encodeFailure, errorEvent } from './failure.ts';
import { fields } from './fields.ts';
import { issuing } from './issuing.ts';
import { needsBytes } from './media.ts';
import { ResponsesStreamRelay, relayAnswer, relayRequest } from './relay.ts';
import { decodeRequest, parseRequest } from './request.ts';
import { decodeAnswer, encodeAnswer } from './response.ts';
import { FORMAT } from './schema.ts';
import { storing } from './storing.ts';
import { ResponsesStreamDecoder } from './stream-decoder.ts';
import { ResponsesStreamEncoder } from './stream-encoder.ts';

/** OpenAI's Responses: the contract's POST /v1/responses. */
export const openaiResponses: ClientFormat = {
  name: FORMAT,
  stateFamily: 'openai-responses',
  carries,
  // The published document of FunctionToolParam.
  toolNames: { ...COMMON_TOOL_NAMES, maxLength: 128 },
  needsBytes,
  encodeRequest,
  decodeAnswer,
  decodeStream: (source) => new ResponsesStreamDecoder(source),
  decodeFailure,
  endpoints,
  fields,
  secret,
  relayedHeaders,
  parseRequest,
  conversation,
  outputBound,
  relayRequest,
  relayAnswer,
  relayStream: (_request, patch) => new ResponsesStreamRelay(patch),
  decodeRequest,
  encodeAnswer,
  encodeStream: (context) => new ResponsesStreamEncoder(context),
  streamContentType: () => 'text/event-stream',
  storing,
  issuing,
  encodeFailure,
  encodeStreamFailure: (failure) => errorEvent(failure, 0),
};

import type { ClientFormat } from '../format.ts';
import { carries, needsBytes } from './carries.ts';
import { encodeCountRequest, encodeRequest } from './encode-request.ts';
import { conversation, endpoints, outputBound, relayedHeaders, secret } from './endpoints.ts';
import { decodeFailure, encodeFailure, encodeStreamFailure } from './failure.ts';
import { fields } from './fields.ts';
import { GeminiStreamRelay, relayAnswer, relayRequest } from './relay.ts';
import { decodeRequest, parseRequest } from './request.ts';
import { decodeAnswer, decodeTokenCount, encodeAnswer, encodeTokenCount } from './response.ts';
import { FORMAT } from './schema.ts';
import { GeminiStreamDecoder } from './stream-decoder.ts';
import { GeminiStreamEncoder } from './stream-encoder.ts';

/** Google's generateContent, v1beta: the Gemini API, and with few quirks Vertex. */
export const gemini: ClientFormat = {
  name: FORMAT,
  stateFamily: 'google',
  carries,
  // The document of FunctionDeclaration: letters, digits, underscores, colons, dots and dashes, 64 at most.
  toolNames: { forbidden: /[^a-zA-Z0-9_:.-]/g, maxLength: 64 },
  needsBytes,
  encodeRequest,
  decodeAnswer,
  decodeStream: (source) => new GeminiStreamDecoder(source),
  decodeFailure,
  counting: { encodeRequest: encodeCountRequest, decodeAnswer: decodeTokenCount },
  endpoints,
  fields,
  secret,
  relayedHeaders,
  parseRequest,
  conversation,
  outputBound,
  relayRequest,
  relayAnswer,
  relayStream: (request, patch) => new GeminiStreamRelay(request, patch),
  decodeRequest,
  encodeAnswer,
  encodeStream: (context) => new GeminiStreamEncoder(context),
  streamContentType: ({ call }) => (call.framing === 'sse' ? 'text/event-stream' : 'application/json; charset=UTF-8'),
  encodeTokenCount,
  encodeFailure,
  encodeStreamFailure,
};

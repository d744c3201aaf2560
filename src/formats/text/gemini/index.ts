import { withMember } from '../../shared/stream/relay-pieces.ts';
import type { ClientFormat } from '../format.ts';
import { LETTER_FIRST } from '../shared/tool-names.ts';
import { decodeAnswer, decodeTokenCount } from './answer.decode.ts';
import { encodeAnswer, encodeTokenCount } from './answer.encode.ts';
import { carries } from './capabilities.ts';
import { conversation, endpoints, outputBound, relayedHeaders, secret } from './endpoints.ts';
import { decodeFailure, encodeFailure, encodeStreamFailure } from './failure.ts';
import { fields } from './fields.ts';
import { media, needsBytes } from './media.ts';
import { objects } from './objects.ts';
import { relayAnswer } from './relay.answer.ts';
import { relayBreach, relayEdits } from './relay.request.ts';
import { GeminiStreamRelay } from './relay.stream.ts';
import { decodeRequest, decodeSteps, GOVERNED, parseRequest, wrapper } from './request.decode.ts';
import { encodeCountRequest, encodeRequest, encodeSteps } from './request.encode.ts';
import { FORMAT } from './schema.ts';
import { searchWriting } from './search.ts';
import { GeminiStreamDecoder } from './stream.decode.ts';
import { GeminiStreamEncoder } from './stream.encode.ts';
import { encodeUsage } from './usage.ts';

/** Google's generateContent, v1beta: the Gemini API, and Vertex with a few quirks. */
export const gemini: ClientFormat = {
  name: FORMAT,
  stateFamily: 'google',
  carries,
  // FunctionDeclaration.name of the Gemini API: letters, digits, underscores, colons, dots and dashes, 64 at most.
  // Vertex AI also documents the rule for the first character, which the Gemini API enforces as well.
  toolNames: { forbidden: /[^a-zA-Z0-9_:.-]/g, first: LETTER_FIRST, maxLength: 64 },
  needsBytes,
  encodeRequest,
  encodeSteps,
  decodeAnswer,
  decodeStream: (source) => new GeminiStreamDecoder(source),
  decodeFailure,
  counting: { encodeRequest: encodeCountRequest, decodeAnswer: decodeTokenCount, wrapper },
  endpoints,
  fields,
  secret,
  relayedHeaders,
  parseRequest,
  objects,
  media,
  conversation,
  outputBound,
  relayBreach,
  relayEdits,
  relayAnswer,
  withUsage: (answer, usage) => withMember(answer, 'usageMetadata', JSON.stringify(encodeUsage(usage, null))),
  relayStream: (request, patch) => new GeminiStreamRelay(request, patch),
  decodeRequest,
  decodeSteps,
  ownNames: GOVERNED,
  encodeAnswer,
  encodeStream: (context) => new GeminiStreamEncoder(context),
  streamContentType: ({ call }) => (call.framing === 'sse' ? 'text/event-stream' : 'application/json; charset=UTF-8'),
  encodeTokenCount,
  encodeFailure,
  encodeStreamFailure,
  // Google's Python SDK parses every non-empty line as JSON, even a comment. In an array a blank line is white space.
  searching: searchWriting,
  ping: '\r\n',
};

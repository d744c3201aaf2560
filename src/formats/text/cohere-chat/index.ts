import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { UpstreamFormat } from '../format.ts';
import { LETTER_FIRST } from '../shared/tool-names.ts';
import { decodeAnswer } from './answer.decode.ts';
import { carries } from './capabilities.ts';
import { encodeRequest } from './request.encode.ts';
import { FORMAT } from './schema.ts';
import { CohereStreamDecoder } from './stream.decode.ts';

/** Cohere's own chat API, version 2 (docs.cohere.com, "Chat" and "Chat with streaming"). */
export const cohereChat: UpstreamFormat = {
  name: FORMAT,
  stateFamily: 'cohere',
  carries,
  // Cohere's reference for tools: letters, digits and underscores, and the first character is not a digit.
  toolNames: { forbidden: /[^a-zA-Z0-9_]/g, first: LETTER_FIRST, maxLength: 64 },
  // Images may be sent as URLs. A text document given by URL has to be fetched first.
  needsBytes: (part) => part.type !== 'image' && part.source.kind === 'url',
  encodeRequest,
  decodeAnswer,
  decodeStream: (source) => new CohereStreamDecoder(source),
  decodeFailure,
};

import type { UpstreamFormat } from '../format.ts';
import { COMMON_TOOL_NAMES } from '../shared/tool-names.ts';
import { decodeAnswer, decodeTokenCount } from './answer.decode.ts';
import { carries } from './capabilities.ts';
import { isS3 } from './content.encode.ts';
import { decodeFailure } from './failure.ts';
import { encodeCountRequest, encodeRequest } from './request.encode.ts';
import { FORMAT } from './schema.ts';
import { ConverseStreamDecoder } from './stream.decode.ts';

/**
 * Amazon Bedrock's Converse API, which works for all of Bedrock's chat models (Bedrock API reference, "Converse" and
 * "ConverseStream").
 */
export const bedrockConverse: UpstreamFormat = {
  name: FORMAT,
  stateFamily: 'anthropic',
  carries,
  toolNames: COMMON_TOOL_NAMES,
  needsBytes: (part) => part.source.kind === 'url' && !isS3(part),
  encodeRequest,
  decodeAnswer,
  decodeStream: (source) => new ConverseStreamDecoder(source),
  decodeFailure,
  counting: { encodeRequest: encodeCountRequest, decodeAnswer: decodeTokenCount },
};

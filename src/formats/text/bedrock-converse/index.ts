import type { UpstreamFormat } from '../../format.ts';
import { COMMON_TOOL_NAMES } from '../shared/tool-names.ts';
import { carries } from './carries.ts';
import { decodeFailure } from './failure.ts';
import { isS3 } from './messages.ts';
import { encodeCountRequest, encodeRequest } from './request.ts';
import { decodeAnswer, decodeTokenCount } from './response.ts';
import { FORMAT } from './schema.ts';
import { ConverseStreamDecoder } from './stream.ts';

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

import type { UpstreamFormat } from '../format.ts';
import { isRecord } from '../shared/record.ts';
import { COMMON_TOOL_NAMES } from '../shared/tool-names.ts';
import { carries } from './carries.ts';
import { decodeFailure } from './failure.ts';
import { isS3 } from './messages.ts';
import { encodeCountRequest, encodeRequest } from './request.ts';
import { decodeAnswer } from './response.ts';
import { FORMAT } from './schema.ts';
import { ConverseStreamDecoder } from './stream.ts';

/** Amazon Bedrock's Converse API, which all its chat models speak (Bedrock API reference, "Converse" and "ConverseStream"). */
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
  counting: { encodeRequest: encodeCountRequest, decodeAnswer: decodeCount },
};

function decodeCount(bytes: Uint8Array): number | null {
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isRecord(body) && typeof body.inputTokens === 'number' ? body.inputTokens : null;
  } catch {
    return null;
  }
}

import type { ExchangeRequest } from '../../../domain/exchange/request.ts';
import { Unwritten } from '../../shared/json/json-writer.ts';
import type { EncodedRequest, EncodeTarget } from '../format.ts';

/**
 * Returns the gateway's own small request that tests a channel. No other format's request is translated into this format
 * (`relayOnly`).
 */
export function encodeRequest(request: ExchangeRequest, { upstreamModel, stream }: EncodeTarget): EncodedRequest {
  const texts = request.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? part.text : [])),
  );
  const value = {
    model: upstreamModel,
    prompt: texts.join('\n'),
    ...(request.maxOutputTokens === null ? {} : { max_tokens: request.maxOutputTokens }),
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  };
  return { body: new Unwritten(value), value, losses: [] };
}

import type { Format } from '../format.ts';
import { decodeFailure, encodeFailure, encodeStreamFailure } from './failure.ts';
import { relayAnswer, relayRequest } from './relay.ts';
import { parseRequest } from './request.ts';
import { ChatStreamRelay } from './stream.ts';

/** OpenAI chat completions: the contract's POST /v1/chat/completions. */
export const openaiChat: Format = {
  name: 'openai-chat',
  path: '/v1/chat/completions',
  parseRequest,
  relayRequest,
  relayAnswer,
  relayStream: (request, patch) => new ChatStreamRelay(request, patch),
  decodeFailure,
  encodeFailure,
  encodeStreamFailure,
};

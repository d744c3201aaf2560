import { decodeFailure } from '../shared/upstream-failure.ts';
import type { OperationWire } from '../wire.ts';

/** OpenAI's moderations, which Mistral has taken over: requests and answers pass through as they are. */
export const openaiModerations: OperationWire = { name: 'openai-moderations', operation: 'moderations', decodeFailure };

import { decodeFailure } from '../../shared/failure/upstream-failure.ts';
import type { OperationWire } from '../../wire.ts';

/** OpenAI's moderations format, which Mistral also uses: requests and answers pass through unchanged. */
export const openaiModerations: OperationWire = {
  name: 'openai-moderations',
  operations: ['moderations'],
  decodeFailure,
};

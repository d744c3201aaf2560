import type { FileBatchRules } from '../shared/batch-rules.ts';
import { BATCHES_OF_100_MB, OPENAI_BATCHES } from '../shared/batches.ts';

/** Groq's published document (`createBatch`): chat completions only, in files of up to 100 MB. */
export const GROQ_BATCHES: FileBatchRules = {
  ...OPENAI_BATCHES,
  wires: ['openai-chat'],
  mostBytes: BATCHES_OF_100_MB,
};

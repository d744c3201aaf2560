import type { FileBatchRules } from '../shared/batch-rules.ts';
import { BATCHES_OF_100_MB, OPENAI_BATCHES } from '../shared/batches.ts';

/**
 * Together's published document (`/files/upload`, `CreateBatchRequest`, `BatchJobWithWarning`) and its page "Batch inference": chat
 * completions, without metadata, in files of up to 100 MB. A line has neither a method nor a path.
 */
export const TOGETHER_BATCHES: FileBatchRules = {
  ...OPENAI_BATCHES,
  wires: ['openai-chat'],
  mostBytes: BATCHES_OF_100_MB,
  line: 'body',
  upload: { path: '/files/upload', purpose: 'batch-api', hasFileName: true },
  creationOf: ({ fileId, endpoint }) => ({ input_file_id: fileId, endpoint, completion_window: '24h' }),
  createdIn: 'job',
  list: 'whole',
};

import type { FileBatchRules, MessageBatchRules } from './batch-rules.ts';

/** OpenAI's files and batches (developers.openai.com, "Batch API"). Other providers state what differs. */
export const OPENAI_BATCHES: FileBatchRules = {
  kind: 'files',
  wires: ['openai-chat', 'openai-responses', 'openai-completions', 'openai-embeddings', 'openai-moderations'],
  line: 'request',
  upload: { path: '/files', purpose: 'batch' },
  api: 'batches',
  creationOf: ({ id, fileId, endpoint }) => ({
    ...{ input_file_id: fileId, endpoint, completion_window: '24h' },
    metadata: { relay: id },
  }),
  list: 'after',
  members: { input: 'input_file_id', results: ['output_file_id', 'error_file_id'] },
  ended: ['completed', 'failed', 'expired', 'cancelled'],
};

/** Anthropic's message batches (platform.claude.com, "Batch processing"). */
export const ANTHROPIC_BATCHES: MessageBatchRules = { kind: 'messages', wires: ['anthropic-messages'] };

/** The limit of 100 MB that several providers state, with room for what they add. */
export const BATCHES_OF_100_MB = 95_000_000;

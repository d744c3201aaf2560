import { asArray } from '../../shared/json.ts';
import type { StrictUpstream } from '../rule.ts';
import { inputsIn, mostTexts, type TextsIn } from '../shared/search-rules.ts';

const REPORT = {
  url: 'https://github.com/huggingface/text-embeddings-inference/issues/378',
  checked: '2026-11-28',
};
/** The default of `--max-client-batch-size`. */
const MOST = 32;
const message = (count: number) => `batch size ${count} > maximum allowed batch size ${MOST}`;
const envelope = (error: string) => ({ error, error_type: 'Validation' });
const RANKED: TextsIn = { of: ({ texts }) => asArray(texts), as: (texts) => ({ texts }) };

export const teiEmbeddings: StrictUpstream = {
  name: 'tei-embeddings',
  label: 'Text Embeddings Inference, embeddings',
  provider: 'tei',
  wire: 'openai-embeddings',
  models: ['BAAI/bge-m3'],
  rules: [mostTexts({ id: 'batch-size', texts: inputsIn('input'), most: MOST, source: REPORT, status: 413, message })],
  envelope,
};

export const teiRerank: StrictUpstream = {
  name: 'tei-rerank',
  label: 'Text Embeddings Inference, rerank',
  provider: 'tei',
  wire: 'tei-rerank',
  models: ['BAAI/bge-reranker-v2-m3'],
  rules: [mostTexts({ id: 'batch-size', texts: RANKED, most: MOST, source: REPORT, status: 413, message })],
  envelope,
};

import type { StrictUpstream } from '../rule.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';
import { onlyValues } from '../shared/search-rules.ts';

/** A server known only to be compatible with OpenAI. */
export const anyEmbeddings: StrictUpstream = {
  name: 'any-embeddings',
  label: 'Any OpenAI-compatible API, embeddings',
  provider: 'openai-compatible',
  wire: 'openai-embeddings',
  models: ['some-embedding'],
  rules: [
    onlyValues(
      'encoding_format',
      ['float'],
      { url: 'https://github.com/stevereiner/flexible-graphrag/issues/17', checked: '2026-11-28' },
      "Unsupported value: 'encoding_format' must be 'float'.",
    ),
  ],
  envelope: openaiEnvelope,
};

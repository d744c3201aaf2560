import type { Rule, StrictUpstream } from '../rule.ts';
import { inputsIn, mostTexts, mostTokens, noOtherMembers, textsOnly } from '../shared/search-rules.ts';

const DOCUMENT = { url: 'specs/mistral.openapi.yaml', checked: '2026-11-28' };
const RECORDING = {
  url: 'recordings/mistral/embeddings/001-one-request-over-mistrals-batch-cap-is-rejected.json',
  checked: '2026-11-28',
};
const REPORT = { url: 'https://github.com/dust-tt/dust/pull/10654', checked: '2026-11-28' };
const INPUT = inputsIn('input');

/** Returns FastAPI's envelope for what violates the document, otherwise the service's own. */
function envelope(message: string, { status }: Rule): object {
  if (status === 422) return { detail: [{ type: 'value_error', loc: ['body'], msg: message }] };
  return { object: 'error', message, type: 'invalid_request_prompt', param: null, code: '3210', raw_status_code: 400 };
}

export const mistralEmbeddings: StrictUpstream = {
  name: 'mistral-embeddings',
  label: 'Mistral, embeddings',
  provider: 'mistral',
  wire: 'openai-embeddings',
  models: ['mistral-embed', 'codestral-embed'],
  rules: [
    noOtherMembers(
      ['model', 'input', 'metadata', 'output_dimension', 'output_dtype', 'encoding_format'],
      { source: DOCUMENT, status: 422, message: () => 'Extra inputs are not permitted' },
      [{ body: { user: 'u' } }, { body: { dimensions: 64 } }, { body: { input_type: 'query' } }],
    ),
    { ...textsOnly('token-ids', INPUT, DOCUMENT, 'Input should be a valid string'), status: 422 },
    mostTexts({
      ...{ id: 'inputs', texts: INPUT, most: 256, source: RECORDING },
      message: () => 'Too many inputs in request, split into more batches.',
    }),
    mostTokens({
      ...{ id: 'tokens', texts: INPUT, most: 16_384, source: REPORT },
      message: (count) => `Too many tokens in batch. Max is 16384 got ${count}`,
    }),
  ],
  envelope,
};

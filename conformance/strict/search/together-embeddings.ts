import type { StrictUpstream } from '../rule.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';
import { inputsIn, noOtherMembers, textsOnly } from '../shared/search-rules.ts';

const DOCUMENT = { url: 'specs/together.openapi.yaml', checked: '2026-11-28' };

export const togetherEmbeddings: StrictUpstream = {
  name: 'together-embeddings',
  label: 'Together, embeddings',
  provider: 'together',
  wire: 'openai-embeddings',
  models: ['BAAI/bge-base-en-v1.5', 'intfloat/multilingual-e5-large-instruct'],
  rules: [
    noOtherMembers(
      ['model', 'input'],
      { source: DOCUMENT, message: (name) => `Unrecognized key(s) in object: '${name}'` },
      [{ body: { user: 'u' } }, { body: { encoding_format: 'base64' } }, { body: { dimensions: 64 } }],
    ),
    textsOnly('token-ids', inputsIn('input'), DOCUMENT, 'Invalid type. Expected: string, given: array'),
  ],
  envelope: openaiEnvelope,
};

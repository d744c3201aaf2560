import type { StrictUpstream } from '../rule.ts';
import { openaiEnvelope } from '../shared/openai-envelope.ts';
import { inputsIn, mostTexts, onlyValues, textsOnly } from '../shared/search-rules.ts';

const PAGE = { url: 'https://docs.qwencloud.com/api-reference/text-embedding/openai-embedding', checked: '2026-11-28' };
const OLDER_PAGE = {
  url: 'https://help.aliyun.com/en/model-studio/embedding-interfaces-compatible-with-openai',
  checked: '2026-11-28',
};
const REPORT = { url: 'https://github.com/memodb-io/memobase/issues/142', checked: '2026-11-28' };
const INPUT = inputsIn('input');
const rows = (most: number) =>
  `<400> InternalError.Algo.InvalidParameter: Value error, batch size is invalid, it should not be larger than ${most}.: input.contents`;

export const dashscopeEmbeddings: StrictUpstream = {
  name: 'dashscope-embeddings',
  label: 'Alibaba Cloud Model Studio, embeddings',
  provider: 'alibaba',
  wire: 'openai-embeddings',
  models: ['text-embedding-v4', 'text-embedding-v3', 'text-embedding-v2'],
  rules: [
    onlyValues('encoding_format', ['float'], PAGE, '<400> InvalidParameter: encoding_format only supports float'),
    textsOnly('token-ids', INPUT, PAGE, '<400> InvalidParameter: input.contents is neither str nor list of str'),
    mostTexts({
      ...{ id: 'rows', texts: INPUT, most: 10, source: REPORT, message: () => rows(10) },
      family: { label: 'The third and fourth generation', models: /^text-embedding-v[34]$/ },
    }),
    mostTexts({
      ...{ id: 'rows-of-older', texts: INPUT, most: 25, source: OLDER_PAGE, message: () => rows(25) },
      family: { label: 'The first and second generation', models: /^text-embedding-v[12]$/ },
    }),
  ],
  envelope: openaiEnvelope,
};

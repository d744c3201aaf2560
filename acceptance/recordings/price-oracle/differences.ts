import type { Prices } from '../../../src/domain/money/pricing.ts';

/** A usage that the product prices differently from the oracle. */
export interface Difference {
  readonly file: string;
  readonly provider: string;
  readonly api: string;
  /** In nano-USD; `null` if no price is known. */
  readonly ours: bigint | null;
  readonly oracle: bigint;
  readonly right: 'ours' | 'oracle';
  readonly why: string;
  /** Prices with which the product arrives at the oracle's amount. */
  readonly prices?: Prices;
}

const GOOGLE = 'models/cassettes/test_google/test_google_';
const IMAGES =
  'The oracle has separate prices for image and text tokens; the price file has only that of images. ' +
  'With both prices configured, the product arrives at the same amount.';

const ADVISOR = 'models/cassettes/test_anthropic/test_anthropic_advisor_tool_';
const ADVISORS: readonly (readonly [name: string, provider: string, api: string, ours: bigint, oracle: bigint])[] = [
  ['message_replay', 'anthropic', 'default', 11_602_000n, 6_164_000n],
  ['message_replay', 'aws', 'anthropic', 12_762_200n, 6_780_400n],
  ['message_replay', 'azure', 'anthropic', 11_602_000n, 6_164_000n],
  ['message_replay', 'google', 'anthropic', 11_602_000n, 6_164_000n],
  ['redacted', 'anthropic', 'default', 12_742_000n, 6_624_000n],
  ['redacted', 'aws', 'anthropic', 14_016_200n, 7_286_400n],
  ['redacted', 'azure', 'anthropic', 12_742_000n, 6_624_000n],
  ['redacted', 'google', 'anthropic', 12_742_000n, 6_624_000n],
];

export const DIFFERENCES: readonly Difference[] = [
  ...ADVISORS.map(([name, provider, api, ours, oracle]) => ({
    ...{ file: `${ADVISOR}${name}.yaml`, provider, api, ours, oracle },
    right: 'ours' as const,
    why:
      'Anthropic reports an advisor in `iterations` only, and bills it; the oracle reads the totals. The product charges ' +
      "it at the price of the request's own model, the only one that is known.",
  })),
  {
    file: `${GOOGLE}image_generation_with_web_search.yaml`,
    provider: 'google',
    api: 'default',
    ours: 277_146_000n,
    oracle: 148_734_000n,
    right: 'oracle',
    why: IMAGES,
    prices: { input_per_1m: '2', output_per_1m: '12', image_output_per_1m: '120' },
  },
  {
    file: `${GOOGLE}vertexai_image_generation.yaml`,
    provider: 'google',
    api: 'default',
    ours: 38_852_700n,
    oracle: 38_715_200n,
    right: 'oracle',
    why: IMAGES,
    prices: { input_per_1m: '0.30', output_per_1m: '2.50', image_output_per_1m: '30' },
  },
  {
    file: `${GOOGLE}image_and_text_output.yaml`,
    provider: 'google',
    api: 'default',
    ours: 40_085_100n,
    oracle: 38_820_100n,
    right: 'oracle',
    why: IMAGES,
    prices: { input_per_1m: '0.30', output_per_1m: '2.50', image_output_per_1m: '30' },
  },
  {
    file: 'models/cassettes/test_openai_prompt_cache/test_openai_responses_prompt_cache_e2e.yaml',
    provider: 'azure',
    api: 'responses',
    ours: 25_265_000n,
    oracle: 20_250_000n,
    right: 'ours',
    why:
      'According to the response, 4012 of the 4020 prompt tokens were written to the cache, for which this model has a price. ' +
      "The oracle ignores `cache_write_tokens` in Azure's responses but not in OpenAI's, where it prices the same " +
      'response as the product does.',
  },
  {
    file: 'models/cassettes/test_multimodal_tool_returns/test_multimodal_tool_return_matrix[direct-url_force_download-video-google_2_5].yaml',
    provider: 'google',
    api: 'default',
    ours: 602_140n,
    oracle: 622_020n,
    right: 'oracle',
    why:
      '284 of the cached tokens are audio, for which Google charges $0.10 per million instead of $0.03. The product has ' +
      'one price for all cached tokens.',
  },
  {
    file: 'models/cassettes/test_openai/test_openai_model_cerebras_provider_qwen_3_coder.yaml',
    provider: 'cerebras',
    api: 'chat',
    ours: null,
    oracle: 0n,
    right: 'ours',
    why: 'The file lists the model without a price. An unknown price is not a price of zero.',
  },
];

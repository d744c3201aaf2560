import { asObject } from '../../../conformance/shared/json.ts';
import { readRecording, recordedExchanges } from '../../../conformance/shared/recordings.ts';
import { type RecordedUsage, recordedUsages } from '../../../conformance/usage/recorded.ts';
import { billableOf } from '../../../src/domain/exchange/usage.ts';
import { PriceSheet } from '../../../src/domain/money/price-sheet.ts';
import type { Prices } from '../../../src/domain/money/pricing.ts';
import { nanoUsd } from './amounts.ts';
import { OracleModels } from './oracle.ts';
import { pricingOf } from './pricing.ts';

/** The cost that an upstream reports in its response, next to the product's result for the same response. */
export interface Bill {
  readonly file: string;
  readonly model: string;
  /** In nano-USD. */
  readonly upstream: bigint;
  /** `null` if the price file lacks the model. */
  readonly ours: bigint | null;
  reprice(prices: Prices): bigint | null;
}

/** The price file's names for the providers with exact bills. Perplexity also sends bills, with each part rounded to 5 decimals. */
const PROVIDERS: Readonly<Record<string, string>> = { openrouter: 'openrouter', xai: 'x-ai' };

const RECORDED_AT_MS = Date.UTC(2026, 7, 1);

export function recordedBills(): readonly Bill[] {
  const models = new OracleModels();
  const exchanges = recordedExchanges();
  const rows = new Map(exchanges.map((row) => [row.file, row]));
  return recordedUsages(exchanges).flatMap(({ file, provider, usage }) => {
    const [row, providerId, upstream] = [rows.get(file), PROVIDERS[provider], billOf(usage)];
    if (row === undefined || providerId === undefined || upstream === null) return [];
    const [, model = ''] = /"model":\s?"([^"]+)"/.exec(readRecording(row).responseBody) ?? [];
    const found = models.find(providerId, model) ?? models.find(providerId, row.model ?? '');
    const sheet = found === undefined ? null : PriceSheet.parse(pricingOf(found, {}));
    const ours = sheet?.costNanoUsd(billableOf(usage), RECORDED_AT_MS) ?? null;
    const reprice = (prices: Prices) =>
      PriceSheet.parse(prices)?.costNanoUsd(billableOf(usage), RECORDED_AT_MS) ?? null;
    return [{ file, model, upstream, ours, reprice }];
  });
}

/** Returns the billed amount: OpenRouter reports USD, xAI ticks of 1e-10 USD. */
function billOf({ raw }: RecordedUsage['usage']): bigint | null {
  const { cost_details: details, cost_in_usd_ticks: ticks } = asObject(raw);
  const { upstream_inference_cost: usd } = asObject(details);
  if (typeof usd === 'number') return nanoUsd([String(usd)]);
  return typeof ticks === 'number' ? nanoUsd([`${ticks}E-10`]) : null;
}

export interface OtherBill {
  readonly file: string;
  readonly why: string;
  /** The prices that explain the bill, if there are any. */
  readonly prices?: Prices;
}

const HOST = "OpenRouter's host of that day had other prices for the model than the price file.";

export const OTHER_BILLS: readonly OtherBill[] = [
  {
    file: 'openrouter/chat/006-audio-analysis-prompt.json',
    why: 'The file has no price for audio at OpenRouter; Google has one.',
    prices: { input_per_1m: '0.30', audio_input_per_1m: '1.00', output_per_1m: '2.50' },
  },
  {
    file: 'openrouter/chat/009-provider-selection-scenarios.json',
    why: HOST,
    prices: { input_per_1m: '0.26', output_per_1m: '0.38' },
  },
  {
    file: 'openrouter/chat/089-openrouter-anthropic-claude-3-5-sonnet-20241022.json',
    why: HOST,
    prices: { input_per_1m: '6', output_per_1m: '30' },
  },
  {
    file: 'openrouter/chat/090-openrouter-anthropic-claude-3-5-sonnet-20241022.json',
    why: HOST,
    prices: { input_per_1m: '6', output_per_1m: '30' },
  },
  {
    file: 'openrouter/chat/091-test-openrouter-chat-model-complete-function-call-openai-str.json',
    why: HOST,
    prices: { input_per_1m: '0.77', output_per_1m: '0.77' },
  },
  {
    file: 'openrouter/chat/092-test-openrouter-chat-model-complete-image-bytes.json',
    why: HOST,
    prices: { input_per_1m: '0.18', output_per_1m: '0.68' },
  },
  {
    file: 'xai/responses/051-xai-image-generation-tool-1.json',
    why: 'The recorder replaced the bill with 123456 ticks.',
  },
  {
    file: 'xai/responses/052-xai-image-generation-tool-1.json',
    why: 'The recorder replaced the bill with 123456 ticks.',
  },
];

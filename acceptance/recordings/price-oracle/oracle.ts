import { readFileSync } from 'node:fs';
import path from 'node:path';
import { sharedFolder } from '../../../conformance/shared/recordings.ts';

/*
 * The workload `priced-usages.json`: usage objects of recorded responses, with the interpretation and price by a third party for each
 * provider. `model-prices.json` has its prices. Both are data beside the project, in the shape of pydantic's `genai-prices`.
 */

const usagesFile = path.join(sharedFolder, 'workloads', 'priced-usages.json');
const pricesFile = path.join(sharedFolder, 'workloads', 'model-prices.json');

export interface OracleEntry {
  readonly model?: string;
  readonly body: {
    /** The path of the recording. */
    readonly file: string;
    readonly usage?: unknown;
    readonly usageMetadata?: unknown;
  };
  readonly extracted: readonly { readonly extractors: readonly OraclePrice[] }[];
}

/** A provider's price for one of its APIs, in USD; absent if the provider lacks the model. */
export interface OraclePrice {
  readonly provider_id: string;
  readonly api_flavor: string;
  readonly input_price?: string;
  readonly output_price?: string;
  /** Present only if something besides tokens has a price, such as web searches. */
  readonly total_price?: string;
}

export interface OracleProvider {
  readonly id: string;
  readonly models: readonly OracleModel[];
  /** Providers whose models it also offers at their prices. */
  readonly fallback_model_providers?: readonly string[];
}

export interface OracleModel {
  readonly id: string;
  readonly match: Match;
  readonly prices: OraclePrices | readonly ConditionalPrices[];
}

/** `{}` if no prices are known. */
export type OraclePrices = Readonly<Record<string, number | TieredPrice>>;

interface TieredPrice {
  readonly base: number;
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

interface ConditionalPrices {
  readonly constraint?: { readonly start_date?: string; readonly start_time?: string };
  readonly prices: OraclePrices;
}

type Match =
  | { readonly or: readonly Match[] }
  | { readonly and: readonly Match[] }
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly ends_with: string }
  | { readonly contains: string }
  | { readonly regex: string };

export function oracleEntries(): readonly OracleEntry[] {
  return JSON.parse(readFileSync(usagesFile, 'utf8')) as readonly OracleEntry[];
}

export class OracleModels {
  private readonly providers: ReadonlyMap<string, OracleProvider>;

  constructor() {
    const providers = JSON.parse(readFileSync(pricesFile, 'utf8')) as readonly OracleProvider[];
    this.providers = new Map(providers.map((provider) => [provider.id, provider]));
  }

  find(providerId: string, model: string): OracleModel | undefined {
    const provider = this.providers.get(providerId);
    if (provider === undefined) return undefined;
    const own = provider.models.find((one) => matches(one.match, model) || matches(one.match, model.toLowerCase()));
    if (own !== undefined) return own;
    for (const other of provider.fallback_model_providers ?? []) {
      const found = this.find(other, model);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function matches(match: Match, model: string): boolean {
  if ('or' in match) return match.or.some((one) => matches(one, model));
  if ('and' in match) return match.and.every((one) => matches(one, model));
  if ('equals' in match) return model === match.equals;
  if ('starts_with' in match) return model.startsWith(match.starts_with);
  if ('ends_with' in match) return model.endsWith(match.ends_with);
  if ('contains' in match) return model.includes(match.contains);
  return new RegExp(match.regex).test(model);
}

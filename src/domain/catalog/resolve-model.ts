import type { ModelPricing, PriceSource } from '../money/pricing.ts';
import { type Capabilities, NOTHING_KNOWN } from './capabilities.ts';
import type { CatalogModel } from './catalog-model.ts';
import type { DeclaredModel, Model } from './model.ts';
import { USUAL_OPERATIONS } from './model-operation.ts';

export interface ModelSources {
  /** The facts that a configuration or an operator has declared. */
  readonly declared: DeclaredModel | undefined;
  readonly known: CatalogModel | undefined;
  /** The provider of the first channel that serves it; `null` if none does. */
  readonly provider: string | null;
}

/** Returns everything known about a public model id; declared facts override the catalog's one by one. */
export function resolveModel(id: string, { declared, known, provider }: ModelSources): Model {
  const category = declared?.category ?? known?.category ?? 'chat';
  // The catalog's operations apply only with its own category.
  const knownOperations = known?.category === category ? known.operations : undefined;
  return {
    id,
    name: declared?.name ?? known?.name ?? id,
    description: declared?.description ?? known?.description ?? null,
    category,
    ownedBy: declared?.ownedBy ?? known?.ownedBy ?? provider ?? 'unknown',
    status: declared?.status ?? 'public',
    ...priceOf(declared, known),
    strategy: declared?.strategy ?? null,
    cache: declared?.cache ?? null,
    tags: declared?.tags ?? known?.tags ?? [],
    capabilities: capabilitiesOf(declared, known),
    ...(declared?.capabilities?.features && { statedFeatures: declared.capabilities.features }),
    operations: declared?.operations ?? knownOperations ?? USUAL_OPERATIONS[category],
    parameters: known?.parameters ?? {},
    ...(declared?.rules && { rules: declared.rules }),
    ...(declared !== undefined && declared.fallbacks.length > 0 && { fallbacks: declared.fallbacks }),
    ...(declared?.guards !== undefined && { guards: declared.guards }),
    ...(declared?.search !== undefined && { search: declared.search }),
    ...(declared?.batchPricePercent != null && { batchPricePercent: declared.batchPricePercent }),
    createdAtMs: known?.releasedAtMs ?? declared?.createdAtMs ?? listedAt(known) ?? 0,
  };
}

/** Returns the day on which the catalog or a price list described the model, if its release date is unknown. */
function listedAt(known: CatalogModel | undefined): number | null {
  const day = known?.priceSource?.date ?? null;
  return known?.listedAtMs ?? (day === null ? null : Date.parse(day));
}

function priceOf(
  declared: DeclaredModel | undefined,
  known: CatalogModel | undefined,
): { readonly pricing: ModelPricing; readonly priceSource: PriceSource | null } {
  const stated = declared?.pricing ?? null;
  if (stated === 'unknown') return { pricing: null, priceSource: null };
  if (stated !== null) return { pricing: stated, priceSource: { url: null, date: null } };
  return { pricing: known?.pricing ?? null, priceSource: known?.priceSource ?? null };
}

function capabilitiesOf(declared: DeclaredModel | undefined, known: CatalogModel | undefined): Capabilities | null {
  if (!declared?.capabilities) return known?.capabilities ?? null;
  return { ...(known?.capabilities ?? NOTHING_KNOWN), ...declared.capabilities };
}

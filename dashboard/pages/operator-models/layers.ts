import type { ShownModel } from '../../api/schema.ts';

const CAPABILITIES = ['input', 'output', 'features', 'context', 'max_output', 'dimensions'] as const;
const FIELDS = [
  'name',
  'description',
  'category',
  'owned_by',
  'pricing',
  ...CAPABILITIES,
  'operations',
  'tags',
  'fallbacks',
  'search',
  'guards',
  'batch_price_percent',
  'strategy',
  'rules',
  'cache',
  'released',
] as const;

export type LayerName = 'shipped' | 'synced' | 'stated';

export interface LayerRow {
  readonly field: (typeof FIELDS)[number];
  /** The value of each layer; undefined if it has none. */
  readonly values: Readonly<Record<LayerName, unknown>>;
  /** The layer whose value is in force. */
  readonly holds: LayerName | null;
}

/** Names of fields in the catalog that differ from the configuration's. */
const IN_CATALOG: Readonly<Record<string, string>> = { context: 'context_tokens', max_output: 'max_output_tokens' };

/** Returns the values of each layer by field; fields without any value are omitted. */
export function layerRows({
  layers,
  price_layer: priceLayer,
}: Pick<ShownModel, 'layers' | 'price_layer'>): readonly LayerRow[] {
  const { shipped = null, synced = null, stated = null } = layers ?? {};
  return FIELDS.flatMap((field) => {
    const values = {
      shipped: factOf(shipped, field),
      synced: factOf(synced?.facts ?? null, field),
      stated: factOf(stated, field),
    };
    if (Object.values(values).every((value) => value === undefined)) return [];
    const last = (['stated', 'synced', 'shipped'] as const).find((name) => values[name] !== undefined) ?? null;
    // The newest price is in force, whichever layer it is in.
    return [{ field, values, holds: field === 'pricing' ? (priceLayer ?? last) : last }];
  });
}

function factOf(layer: Readonly<Record<string, unknown>> | null, field: string): unknown {
  const isCapability = (CAPABILITIES as readonly string[]).includes(field);
  const from = isCapability ? layer?.capabilities : layer;
  if (typeof from !== 'object' || from === null) return undefined;
  const members = from as Readonly<Record<string, unknown>>;
  const value = members[field] ?? members[IN_CATALOG[field] ?? field];
  return value === null || (Array.isArray(value) && value.length === 0) ? undefined : value;
}

import { z } from 'zod';
import { CHAT_OPERATIONS, type ModelOperation, OPERATIONS } from '../../../domain/catalog/model-operation.ts';
import { operationWires, upstreamFormats } from '../../../formats/index.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';

/** Returns a provider as JSON, with everything needed to draw a form for a channel to it. */
export function providerView(manifest: ProviderManifest) {
  return {
    id: manifest.name,
    name: manifest.label,
    formats: manifest.formats.map(({ format, optIn }) => ({ name: format, only_if_named: optIn === true })),
    operations: operationsOf(manifest),
    base_url: manifest.local === undefined ? manifest.baseUrl : null,
    base_url_required: manifest.baseUrl === null && manifest.baseUrlOf === undefined && manifest.local === undefined,
    api_key: {
      required: manifest.keyRequired,
      pattern: manifest.keyPattern?.source ?? null,
      environment_variables: manifest.keyVariables,
    },
    settings: settingsSchema(manifest),
    built_in: manifest.local !== undefined,
    discovered: manifest.discovery !== undefined,
    lists_models: manifest.modelList !== undefined,
    models_known: manifest.models?.().length ?? 0,
    relays: manifest.relays ?? [],
    relays_batches: manifest.batches !== undefined,
  };
}

/** Returns the operations in the order of the contract. */
function operationsOf({ formats, wires }: ProviderManifest): readonly ModelOperation[] {
  const served = new Set<ModelOperation>();
  if (formats.some(({ format }) => upstreamFormats.has(format))) {
    for (const operation of CHAT_OPERATIONS) served.add(operation);
  }
  for (const { wire } of wires ?? []) {
    for (const operation of operationWires.get(wire)?.operations ?? []) served.add(operation);
  }
  return OPERATIONS.filter((operation) => served.has(operation));
}

/** Returns a JSON Schema in the dialect of OpenAPI 3.0, or `null` if the provider has no settings. */
function settingsSchema({ settings }: ProviderManifest): Readonly<Record<string, unknown>> | null {
  if (settings === undefined) return null;
  return z.toJSONSchema(settings, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' });
}

import type { ProviderManifest } from '../../../providers/manifest.ts';

/** The providers that the product supports, by name. */
export type Providers = ReadonlyMap<string, ProviderManifest>;

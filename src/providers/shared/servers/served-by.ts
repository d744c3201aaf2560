import { entryOf } from '../../../formats/shared/json/record.ts';
import type { ProviderManifest } from '../../manifest.ts';
import type { ServerFamily } from './server-family.ts';

/** The manifest with the rules of a server in the place of its own, for each format and wire that the server has rules for. */
export function servedBy(manifest: ProviderManifest, family: ServerFamily): ProviderManifest {
  const { formats, wires = [] } = manifest;
  return {
    ...manifest,
    formats: formats.map((one) => {
      const quirks = entryOf(family.quirks, one.format);
      return quirks === undefined ? one : { ...one, quirks };
    }),
    wires: wires.map((one) => ({ ...one, ...entryOf(family.wires, one.wire) })),
  };
}

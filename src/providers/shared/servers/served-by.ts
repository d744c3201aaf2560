import { entryOf } from '../../../formats/shared/json/record.ts';
import type { ProviderManifest } from '../../manifest.ts';
import type { ServerFamily } from './server-family.ts';

/** Returns the manifest with a server's rules in place of its own, for each format and wire for which the server has rules. */
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

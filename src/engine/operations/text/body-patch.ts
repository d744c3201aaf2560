import { type Edit, removeMembers } from '../../../formats/shared/json/json-patch.ts';
import { MemberNames, scanObject } from '../../../formats/shared/json/json-scan.ts';
import type { BodyPatch } from '../../../providers/manifest.ts';

/**
 * Returns the edits that make the provider's changes to top-level members of a body; every other byte stays. `betas` is
 * the `anthropic-beta` list of the client or the encoder, for a provider that reads it from the body.
 */
export function bodyEdits(bytes: Uint8Array, patch: BodyPatch, betas: string | undefined): readonly Edit[] {
  const added: Record<string, string> = { ...patch.add };
  if (patch.betaMember !== undefined && betas) {
    added[patch.betaMember] = JSON.stringify(betas.split(',').map((beta) => beta.trim()));
  }
  const object = scanObject(bytes, 0, new MemberNames(...patch.remove, ...Object.keys(added)));
  if (!object) throw new Error('a request body is a JSON object');
  const text = Object.entries(added)
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    .join(',');
  const { edits, isEmpty } = removeMembers(bytes, object, object.members);
  const at = object.start + 1;
  return [{ start: at, end: at, text: isEmpty || text === '' ? text : `${text},` }, ...edits];
}

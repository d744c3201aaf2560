/** Returns JSON that also fits into an HTTP header: everything beyond printable ASCII is escaped. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns JSON text with members ordered by name, so that equal values have equal texts. `undefined` counts as absent. */
export function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (JSON.isRawJSON(value)) return JSON.stringify(Number(value.rawJSON));
  let text = '{';
  for (const name of Object.keys(value).sort()) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (member !== undefined) text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${sortedJson(member)}`;
  }
  return `${text}}`;
}

declare global {
  interface JSON {
    /** Returns whether `JSON.rawJSON` made it; TypeScript's own declarations do not have it yet. */
    isRawJSON(value: object): value is { readonly rawJSON: string };
  }
}

/** The format's name in registries. It also marks raw values that only this format can read. */
export const FORMAT = 'cohere-chat';

/**
 * The kind of a reasoning part in Cohere's API, as the `data` of its state: a thinking block of the reasoning models, or the
 * plan that other models write before they call tools. Each goes back to its own place.
 */
export const THINKING = '';
export const TOOL_PLAN = 'tool_plan';

/** Returns the id of the n-th document of a request. Citations refer to it. */
export function documentId(index: number): string {
  return `document_${index}`;
}

export function indexOfDocument(id: unknown): number | null {
  const digits = typeof id === 'string' ? /^document_(\d{1,6})$/.exec(id)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}

/** The format's name in registries, and beside whatever only this format understands. */
export const FORMAT = 'cohere-chat';

/**
 * Which of Cohere's two kinds of reasoning a part was, as the `data` of its state: a thinking block of the reasoning models,
 * or the plan that the others write before they call tools. Each goes back to its own place.
 */
export const THINKING = '';
export const TOOL_PLAN = 'tool_plan';

/** The id of the n-th document of a request; citations name it. */
export function documentId(index: number): string {
  return `document_${index}`;
}

export function indexOfDocument(id: unknown): number | null {
  const digits = typeof id === 'string' ? /^document_(\d{1,6})$/.exec(id)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}

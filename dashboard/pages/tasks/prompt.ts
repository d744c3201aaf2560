const LONGEST = 600;
const NAMES = ['prompt', 'text', 'lyrics'] as const;

export interface Excerpt {
  readonly text: string;
  readonly isCut: boolean;
}

/** Returns the beginning of the prompt in a captured body; `null` if the body has none, or is not whole. */
export function promptIn(body: string, longest: number = LONGEST): Excerpt | null {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return null;
  }
  if (typeof json !== 'object' || json === null) return null;
  const fields = json as Readonly<Record<string, unknown>>;
  const found = NAMES.map((name) => fields[name]).find((value) => typeof value === 'string' && value.trim() !== '');
  if (typeof found !== 'string') return null;
  const text = found.trim();
  return { text: text.slice(0, longest).toWellFormed(), isCut: text.length > longest };
}

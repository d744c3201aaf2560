/** A primary subtag and whatever may follow it (RFC 5646). */
const CODE = /^([a-z]{2,3})(?:[-_][a-z0-9]{1,8})*$/i;

/** Made on first use, because its tables take 2 ms to load. */
let names: Intl.DisplayNames | null = null;

/**
 * Returns the English name of a language in lower case, as OpenAI writes it (`english` for `en`, `eng` and `en-US`). An unknown
 * code stays as it is, in lower case.
 */
export function languageName(said: string): string {
  const [, primary] = CODE.exec(said) ?? [];
  names ??= new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const name = primary === undefined ? undefined : names.of(primary.toLowerCase());
  return (name ?? said).toLowerCase();
}

/** Mandarin has a separate code, which some lists of languages use instead of `zh`. */
const MANDARIN = 'cmn';

/**
 * Returns the ISO 639-1 code of a language in lower case (`pt` for `pt-BR`, `de` for `deu`), or its three-letter code if there is
 * none. Anything else stays as it is, in lower case.
 */
export function primaryLanguage(code: string): string {
  const primary = (CODE.exec(code)?.[1] ?? code).toLowerCase();
  if (primary.length !== 3) return primary;
  const [canonical = primary] = Intl.getCanonicalLocales(primary);
  return primary === MANDARIN ? 'zh' : canonical.length === 2 ? canonical : primary;
}

/**
 * Returns the provider's `offered` code for a language: the same code in any spelling, otherwise the first one with the same
 * primary language, otherwise `null`.
 */
export function closestLanguage(code: string, offered: readonly string[]): string | null {
  const wanted = comparable(code);
  const primary = primaryLanguage(code);
  return (
    offered.find((one) => comparable(one) === wanted) ?? offered.find((one) => primaryLanguage(one) === primary) ?? null
  );
}

/** Returns whether a code has more than the language: a region or a script. */
export function hasSubtag(code: string): boolean {
  return /[-_]/.test(code);
}

function comparable(code: string): string {
  return code.toLowerCase().replaceAll('_', '-');
}

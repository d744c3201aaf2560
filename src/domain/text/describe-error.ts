/** The part of an exception that may be logged: its message may quote text from a client or an upstream. */
export type DescribedError = {
  readonly error: string;
  /** The place in the code, without the message that usually precedes it. */
  readonly stack?: string;
};

const LONGEST_MESSAGE = 500;
const MOST_FRAMES = 20;

/** Describes an exception for a log, without keys, and without the query of any URL, where some clients put them. */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { error: withoutSecrets(String(error)) };
  const described = { error: withoutSecrets(`${error.name}: ${error.message}`) };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return frames.length === 0 ? described : { ...described, stack: frames.slice(0, MOST_FRAMES).join('\n') };
}

/** Masks secrets. Each pattern reads a character once, because the text is not trusted. */
export function withoutSecrets(text: string): string {
  return text
    .slice(0, LONGEST_MESSAGE)
    .replace(/\?[^\s"'`]+/g, '?…')
    .replace(/\b(sk|mt)-[\w.-]+/g, '$1-…')
    .replace(/\b(Bearer|Basic)\s+\S+/gi, '$1 …');
}

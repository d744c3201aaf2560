/** The part of an exception that may be logged: its message may quote what a client or an upstream has sent. */
export type DescribedError = {
  readonly error: string;
  /** Where in the code, without the message that usually stands above. */
  readonly stack?: string;
};

const LONGEST_MESSAGE = 500;
const MOST_FRAMES = 20;

/** An exception for a log: without keys, and without the query of any address, which is where some clients put them. */
export function describeError(error: unknown): DescribedError {
  if (!(error instanceof Error)) return { error: withoutSecrets(String(error)) };
  const described = { error: withoutSecrets(`${error.name}: ${error.message}`) };
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return frames.length === 0 ? described : { ...described, stack: frames.slice(0, MOST_FRAMES).join('\n') };
}

/** Each pattern reads a character once, since the text may come from anybody. */
export function withoutSecrets(text: string): string {
  return text
    .slice(0, LONGEST_MESSAGE)
    .replace(/\?[^\s"'`]+/g, '?…')
    .replace(/\b(sk|mt)-[\w.-]+/g, '$1-…')
    .replace(/\b(Bearer|Basic)\s+\S+/gi, '$1 …');
}

export type FieldPath = readonly (string | number)[];

/** One problem of a written configuration. */
export interface Problem {
  readonly path: FieldPath;
  /** Starts in lower case and completes `field: …`. It never contains a secret. */
  readonly message: string;
  /** Whether showing the value at the path helps, if it is not a secret. */
  readonly isAboutValue: boolean;
  /** Where the value of a duplicate occurs first. */
  readonly earlier?: FieldPath;
}

/** A longer member name from a client is repeated only in part. */
const LONGEST_NAME = 100;

/** Returns a path such as `channels[0].models["a/b"]`: a plain name after a dot, any other key quoted. */
export function formatPath(path: FieldPath): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = part.length > LONGEST_NAME ? `${part.slice(0, LONGEST_NAME)}…` : part;
      if (!/^[A-Za-z_][\w-]*$/.test(part)) return `[${JSON.stringify(name)}]`;
      return index === 0 ? name : `.${name}`;
    })
    .join('');
}

export type FieldPath = readonly (string | number)[];

/** One problem of a written configuration. */
export interface Problem {
  readonly path: FieldPath;
  /** Begins in lower case and completes `field: …`. Never holds a secret. */
  readonly message: string;
  /** The value at the path says more about it, where it is no secret. */
  readonly isAboutValue: boolean;
  /** Where the value of a duplicate stands first. */
  readonly earlier?: FieldPath;
}

/** A name of a member that a client has made up is repeated in part. */
const LONGEST_NAME = 100;

/** `channels[0].models["a/b"]`: a plain name after a dot, any other key quoted. */
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

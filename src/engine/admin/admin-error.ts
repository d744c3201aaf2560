import type { Origin } from '../../domain/catalog/model.ts';
import { suggestModels } from '../../domain/catalog/suggest.ts';
import { isSecretLike } from '../access/secrets.ts';

/**
 * `already_exists`: with other content; `conflict`: the present state forbids it, whatever the input; `stale`: the object has changed since
 * the caller read it; `forbidden`: the caller may not do it; `too_many`: allowed again when others have ended.
 */
export type AdminErrorCode =
  | 'invalid_value'
  | 'already_exists'
  | 'conflict'
  | 'not_found'
  | 'ambiguous'
  | 'insufficient'
  | 'stale'
  | 'too_many'
  | 'forbidden';

/* A field and a problem may repeat client input; these bounds keep an answer from growing with it. */
const LONGEST_FIELD = 200;
const LONGEST_PROBLEM = 8_000;
const LONGEST_MESSAGE = 500;

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The error for an administrator's input that cannot be applied. The message is for that person: one line, never a secret. */
export class AdminError extends Error {
  readonly code: AdminErrorCode;
  /** The path of the invalid input, as in the configuration: `account`, `limit_usd`, `timeouts.connect_ms` … */
  readonly field: string;

  constructor(code: AdminErrorCode, field: string, problem: string) {
    const shown = shortened(field, LONGEST_FIELD);
    super(`${shown}: ${shortened(problem, LONGEST_PROBLEM)}`);
    this.name = 'AdminError';
    this.code = code;
    this.field = shown;
  }
}

/** An error after which the caller may try again later. */
export class TooManyError extends AdminError {
  constructor(
    field: string,
    problem: string,
    readonly retryAfterMs: number,
  ) {
    super('too_many', field, problem);
  }
}

/** An error for an action that needs a person with a second factor. */
export class SecondFactorError extends AdminError {
  constructor(
    /**
     * `trust_anchor`, `person_required`: no management token may do it, and only the first can be set in the configuration file;
     * `recent_second_factor_required`: the person has to use the factor now.
     */
    readonly kind: 'trust_anchor' | 'person_required' | 'recent_second_factor_required',
    field: string,
    problem: string,
  ) {
    super('forbidden', field, problem);
  }
}

/** An error for a change of an object that the configuration file declares, and that must be changed there. */
export class DeclaredError extends AdminError {}

/** Returns an error with all problems of an input. The first one determines its field. */
export function invalidInput([first, ...others]: readonly Problem[]): AdminError {
  const fieldOf = ({ path }: Problem) => formatPath(path) || 'input';
  if (first === undefined) throw new Error('an invalid input needs at least one problem');
  const messageOf = ({ message }: Problem) => shortened(message, LONGEST_MESSAGE);
  const more = others.map((problem) => `; ${fieldOf(problem)}: ${messageOf(problem)}`);
  return new AdminError('invalid_value', fieldOf(first), messageOf(first) + more.join(''));
}

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

/** Returns an error which says that no `what` has this id, and which id was probably meant. */
export function notFound(what: string, id: string, known: readonly { readonly id: string }[]): AdminError {
  const ids = known.map((object) => object.id);
  const [guess] = suggestModels(id, ids, 1);
  const hint = guess === undefined ? '' : ` (did you mean "${guess}"?)`;
  // A secret given as an id may be valid elsewhere, so it is not repeated.
  const named = isSecretLike(id) ? 'with this id, which looks like a secret' : `"${id.slice(0, 100)}"`;
  return new AdminError('not_found', what, `there is no ${what} ${named}${hint}`);
}

/**
 * Throws `DeclaredError` for an object that a configuration file declares. It has to be changed there, since the next start would overwrite
 * any other change.
 */
export function refuseDeclared(what: string, { id, origin }: { readonly id: string; readonly origin: Origin }): void {
  if (origin !== 'config') return;
  throw new DeclaredError(
    'conflict',
    what,
    `"${id}" is declared in the configuration file: change it there, and run "switchyard apply"`,
  );
}

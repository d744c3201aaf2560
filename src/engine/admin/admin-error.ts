import { formatPath, type Problem } from './schema/problem.ts';

/**
 * `already_exists`: with another content; `conflict`: the present state does not allow it, whatever the input is; `stale`: the object
 * is not any more what the caller has seen; `forbidden`: the caller may not do it; `too_many`: not now, but
 * when others have ended.
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

/* A field and a problem may repeat what a client has written; an answer must not grow with it. */
const LONGEST_FIELD = 200;
const LONGEST_PROBLEM = 8_000;
const LONGEST_MESSAGE = 500;

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** An administrator's input cannot be carried out. The message is for that person: one line, never a secret. */
export class AdminError extends Error {
  readonly code: AdminErrorCode;
  /** The input that is at fault, in the words of the configuration: `account`, `limit_usd`, `timeouts.connect_ms` … */
  readonly field: string;

  constructor(code: AdminErrorCode, field: string, problem: string) {
    const shown = shortened(field, LONGEST_FIELD);
    super(`${shown}: ${shortened(problem, LONGEST_PROBLEM)}`);
    this.name = 'AdminError';
    this.code = code;
    this.field = shown;
  }
}

/** What the caller may do again after a time. */
export class TooManyError extends AdminError {
  constructor(
    field: string,
    problem: string,
    readonly retryAfterMs: number,
  ) {
    super('too_many', field, problem);
  }
}

/** What needs a person with a second factor. */
export class SecondFactorError extends AdminError {
  constructor(
    /**
     * `trust_anchor`, `person_required`: no management token may do it, the first of which the configuration file can say;
     * `recent_second_factor_required`: the person has to use the factor now.
     */
    readonly kind: 'trust_anchor' | 'person_required' | 'recent_second_factor_required',
    field: string,
    problem: string,
  ) {
    super('forbidden', field, problem);
  }
}

/** A change of what the configuration file declares, which has to be changed there. */
export class DeclaredError extends AdminError {}

/** All that is wrong with an input, the first of which gives the error its field. */
export function invalidInput([first, ...others]: readonly Problem[]): AdminError {
  const fieldOf = ({ path }: Problem) => formatPath(path) || 'input';
  if (first === undefined) throw new Error('An input without a problem is not invalid.');
  const messageOf = ({ message }: Problem) => shortened(message, LONGEST_MESSAGE);
  const more = others.map((problem) => `; ${fieldOf(problem)}: ${messageOf(problem)}`);
  return new AdminError('invalid_value', fieldOf(first), messageOf(first) + more.join(''));
}

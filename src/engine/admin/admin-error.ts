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

/** An administrator's input cannot be carried out. The message is for that person: one line, never a secret. */
export class AdminError extends Error {
  readonly code: AdminErrorCode;
  /** The input that is at fault, in the words of the configuration: `account`, `limit_usd`, `timeouts.connect_ms` … */
  readonly field: string;

  constructor(code: AdminErrorCode, field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.name = 'AdminError';
    this.code = code;
    this.field = field;
  }
}

/** A change of what the configuration file declares, which has to be changed there. */
export class DeclaredError extends AdminError {}

/** All that is wrong with an input, the first of which gives the error its field. */
export function invalidInput([first, ...others]: readonly Problem[]): AdminError {
  const fieldOf = ({ path }: Problem) => formatPath(path) || 'input';
  if (first === undefined) throw new Error('An input without a problem is not invalid.');
  const more = others.map((problem) => `; ${fieldOf(problem)}: ${problem.message}`);
  return new AdminError('invalid_value', fieldOf(first), first.message + more.join(''));
}

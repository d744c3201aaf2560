export type AdminErrorCode = 'invalid_value' | 'already_exists' | 'not_found' | 'ambiguous' | 'insufficient';

/** An administrator's input cannot be carried out. The message is for that person: one line, never a secret. */
export class AdminError extends Error {
  readonly code: AdminErrorCode;
  /** The input that is at fault, in the words of the configuration: `account`, `limit_usd` … */
  readonly field: string;

  constructor(code: AdminErrorCode, field: string, problem: string) {
    super(`${field}: ${problem}`);
    this.name = 'AdminError';
    this.code = code;
    this.field = field;
  }
}

/** What one check found, and for all but `ok` what to do about it. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'FAIL';
  readonly subject: string;
  readonly message: string;
}

export const ok = (subject: string, message: string): Finding => ({ level: 'ok', subject, message });
export const warn = (subject: string, message: string): Finding => ({ level: 'warn', subject, message });
export const fail = (subject: string, message: string): Finding => ({ level: 'FAIL', subject, message });

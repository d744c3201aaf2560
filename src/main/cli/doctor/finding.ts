/** The result of one check, with the remedy unless it is `ok`. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'FAIL';
  readonly subject: string;
  readonly message: string;
}

export const ok = (subject: string, message: string): Finding => ({ level: 'ok', subject, message });
export const warn = (subject: string, message: string): Finding => ({ level: 'warn', subject, message });
export const fail = (subject: string, message: string): Finding => ({ level: 'FAIL', subject, message });

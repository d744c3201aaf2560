export type SqlParameter = string | number | bigint | boolean | Uint8Array | Date | null;

/**
 * Runs the SQL of the sign-in library on its tables (users, sessions, credentials and others). Each statement is its own transaction,
 * durable when resolved.
 */
export interface SignInDatabase {
  readonly dialect: 'sqlite' | 'postgres';
  run(
    sql: string,
    parameters: readonly SqlParameter[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly changed: number }>;
}

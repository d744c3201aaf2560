export type SqlParameter = string | number | bigint | boolean | Uint8Array | Date | null;

/**
 * The tables of sign-in (users, sessions, credentials and what else the sign-in library keeps) for that library, which writes its own
 * SQL. Each statement is a transaction of its own, durable when resolved.
 */
export interface SignInDatabase {
  readonly dialect: 'sqlite' | 'postgres';
  run(
    sql: string,
    parameters: readonly SqlParameter[],
  ): Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[]; readonly changed: number }>;
}

/** A description of the store for operators. */
export interface StoreDescription {
  readonly kind: 'sqlite' | 'postgresql';
  /** The version of the database; `null` if there is none. */
  readonly version: string | null;
  /** The size in bytes; `null` if unknown. */
  readonly bytes: number | null;
  /** The names of applied schema migrations, in order. */
  readonly migrations: readonly string[];
}

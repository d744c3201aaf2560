/** What a store is made of, for operators. */
export interface StoreDescription {
  readonly kind: 'sqlite' | 'postgresql' | 'memory';
  /** Of the database; `null` where there is none. */
  readonly version: string | null;
  /** What it occupies, in bytes; `null` where that is not known. */
  readonly bytes: number | null;
  /** Names of the changes of the schema that were made, in their order. */
  readonly migrations: readonly string[];
}

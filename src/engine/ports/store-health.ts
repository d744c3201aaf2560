/** Reports whether the store can currently be written, above all with charges. */
export interface StoreHealth {
  /**
   * The reason why not, for operators and without paths or secrets, from the latest check or from a charge that has failed to be written
   * since; `null` if it can.
   */
  readonly problem: string | null;
  /** Writes a test entry the same way as a charge and verifies that it can be read back from where it belongs. Never rejects. */
  check(): Promise<void>;
}

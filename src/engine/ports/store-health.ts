/** Whether what must be kept (charges above all) can be kept just now. */
export interface StoreHealth {
  /**
   * Why not, in words for an operator without paths or secrets, or `null`: what the latest check has found, or what a charge
   * that waits to be written has met since.
   */
  readonly problem: string | null;
  /** Writes a test entry in the same way as a charge, and checks that it went where it will be read. Never rejects. */
  check(): Promise<void>;
}

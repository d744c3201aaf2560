/** What an operator may set about captures (docs/captures.md). */
export interface CaptureSettings {
  /** How long a request and its answer are kept. */
  readonly keepMs: number;
}

export const DEFAULT_CAPTURES: CaptureSettings = { keepMs: 7 * 86_400_000 };

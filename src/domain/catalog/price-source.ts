/** Where and when a price was read. */
export interface PriceSource {
  /** The page or list; `null` for a price that an operator has set. */
  readonly url: string | null;
  /** The day on which it was read, as `YYYY-MM-DD`. */
  readonly date: string | null;
}

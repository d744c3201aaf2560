/** The details of a seller or a customer on a statement. Every part is optional. */
export interface BillingDetails {
  /** The legal name. */
  readonly name: string | null;
  /** The lines of the postal address. */
  readonly address: readonly string[];
  /** A tax id, such as a VAT number. */
  readonly taxId: string | null;
  /** Where questions about statements go. */
  readonly email: string | null;
}

/** The most lines of an address. */
export const MOST_ADDRESS_LINES = 6;

/** What an answer itself says of how it was made. */
export interface ServedAs {
  /** The model that has answered, in the upstream's words; `null` where it names none. */
  readonly model: string | null;
  /** The service tier that was really used; `null` where it says none. */
  readonly serviceTier: string | null;
}

/** The headers of an upstream's response, read by name. A `Headers` satisfies it. */
export interface AnswerHeaders {
  /** Returns the value, or the values of repeated headers joined by commas. The name is in lower case. */
  get(name: string): string | null;
}

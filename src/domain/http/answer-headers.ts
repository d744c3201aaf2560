/** The headers of an upstream's answer, asked for by name. A `Headers` is one, too. */
export interface AnswerHeaders {
  /** The value, or the values of several headers of the name with commas between them. The name in lower case. */
  get(name: string): string | null;
}

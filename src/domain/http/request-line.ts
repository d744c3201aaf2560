/** The first line of an HTTP request. */
export interface RequestLine {
  readonly method: string;
  /** One of few, such as `/v1/chat/completions`; a part that differs between requests is `*`. */
  readonly route: string;
  /** The path as the client sent it, without the query, which may hold a key. */
  readonly path: string;
}

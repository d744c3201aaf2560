/** What a request asks for, in its own words: nothing is decoded. */
export interface RequestTarget {
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Path and query of a request's URL. `new URL` will not do: what stands before the path is the client's `Host` header, which
 * may hold anything or be absent, and its exception would quote the query, where some clients put their key.
 */
export function requestTarget(url: string): RequestTarget {
  const fragment = url.indexOf('#');
  const whole = fragment < 0 ? url : url.slice(0, fragment);
  const question = whole.indexOf('?');
  const place = question < 0 ? whole : whole.slice(0, question);
  const path = place.replace(/^[a-z]+:\/\/[^/]*/i, '');
  return { path, query: new URLSearchParams(question < 0 ? '' : whole.slice(question + 1)) };
}

/** A request's path and query, not decoded. */
export interface RequestTarget {
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * Returns the path and query of a request's URL. `new URL` does not work here: the part before the path is the client's `Host`
 * header, which may hold anything or be absent, and the exception would quote the query, where some clients put their key.
 */
export function requestTarget(url: string): RequestTarget {
  const fragment = url.indexOf('#');
  const whole = fragment < 0 ? url : url.slice(0, fragment);
  const question = whole.indexOf('?');
  const place = question < 0 ? whole : whole.slice(0, question);
  const path = place.replace(/^[a-z]+:\/\/[^/]*/i, '');
  return { path, query: new URLSearchParams(question < 0 ? '' : whole.slice(question + 1)) };
}

/** The responses whose bodies are produced while they are sent, so that nobody may read them as a whole. */
const streamed = new WeakSet<Response>();

/** Notes that the body is produced while it is sent. Returns the response. */
export function asStreamed(response: Response): Response {
  streamed.add(response);
  return response;
}

export function isStreamed(response: Response): boolean {
  return streamed.has(response);
}

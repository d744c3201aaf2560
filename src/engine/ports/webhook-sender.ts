/** Why no answer came; a word for the log of deliveries, which tells nothing of the network behind the gateway. */
export type WebhookProblem =
  | 'invalid_url'
  | 'https_required'
  /** The name has no address, or one that is closed: which of the two is not told. */
  | 'address_refused'
  | 'timeout'
  | 'tls'
  | 'connection_failed'
  | 'stopped';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

export type WebhookAnswer = { readonly status: number } | { readonly problem: WebhookProblem };

export interface WebhookSender {
  /** What is wrong with an address that may not be sent to, as far as the address itself tells it; `null` for nothing. */
  problemOf(url: string): 'invalid_url' | 'https_required' | null;
  /** Sends it once, and follows no redirect; never throws. Of the answer's body a few kilobytes at most are read, and forgotten. */
  send(request: WebhookRequest): Promise<WebhookAnswer>;
}

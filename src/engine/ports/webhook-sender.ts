import type { AddressCheck } from './address-check.ts';

/** Why no response arrived. The delivery log shows this code, which reveals nothing about the network behind the gateway. */
export type WebhookProblem =
  | 'invalid_url'
  | 'https_required'
  /** The host has no address, or a blocked one; the code does not reveal which. */
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
  /** The most bytes of the response body that the sender returns; the body is not returned if this is absent. */
  readonly answerBytes?: number;
}

export type WebhookAnswer =
  | {
      readonly status: number;
      /** The response body; absent if it was not wanted, `null` if it is longer than `answerBytes`, or was cut off. */
      readonly body?: string | null;
    }
  | { readonly problem: WebhookProblem };

export interface WebhookSender extends AddressCheck {
  /** Returns why the URL itself is not allowed, without resolving it; `null` if it is. */
  problemOf(url: string): 'invalid_url' | 'https_required' | null;
  /**
   * Sends the request once without following redirects; never throws. Without `answerBytes`, at most a few kilobytes of the response body are
   * read and then discarded.
   */
  send(request: WebhookRequest): Promise<WebhookAnswer>;
}

/** The base URLs for clients of this gateway. */
export interface BaseUrls {
  readonly openai: string;
  readonly anthropic: string;
  readonly gemini: string;
}

/** @param origin the address at which clients reach the gateway, including a reverse proxy's path */
export function baseUrlsAt(origin: string): BaseUrls {
  return { openai: `${origin}/v1`, anthropic: origin, gemini: origin };
}

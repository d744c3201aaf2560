/** The base URLs for each vendor's SDKs. */
export interface BaseUrls {
  readonly openai: string;
  readonly anthropic: string;
  readonly gemini: string;
}

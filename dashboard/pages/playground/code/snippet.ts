/** What the SDKs of each vendor are given. */
export interface BaseUrls {
  readonly openai: string;
  readonly anthropic: string;
  readonly gemini: string;
}

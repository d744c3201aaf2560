/** A page that a web search has found. All texts come from the web and are untrusted. */
export interface FoundPage {
  readonly url: string;
  readonly title: string;
  /** A passage of the page; may be empty. */
  readonly text: string;
  /** When the page was published, in the search provider's words; `null` if unknown. */
  readonly published: string | null;
}

/** Why a search has found nothing, in the words of Anthropic's search tool. */
export type SearchError = 'unavailable' | 'max_uses_exceeded' | 'invalid_tool_input';

/** A web search that the gateway has run for a model without search. */
export interface RanSearch {
  /** Random letters and digits. */
  readonly id: string;
  readonly query: string;
  readonly pages: readonly FoundPage[];
  readonly error: SearchError | null;
}

export type DocumentName = 'anthropic' | 'gemini' | 'openai' | 'openresponses';

/** What is judged: a request, a success as its service gave it, or a success that the gateway wrote in the client's format. */
export type Variant = 'request' | 'relayed' | 'translated';

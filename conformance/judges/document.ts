export type DocumentName = 'anthropic' | 'gemini' | 'openai' | 'openresponses';

/** The subject: a request, a success as its service sent it, or a success that the gateway wrote in the client's format. */
export type Variant = 'request' | 'relayed' | 'translated';

/** The conversation that every SDK sends in its own format; only the responses are compared. */
export const PROMPT = {
  system: 'Answer in one sentence.',
  user: 'What is the weather in Paris?',
  maxTokens: 1024,
} as const;

interface PromptTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, { readonly type: 'string'; readonly description: string }>>;
    readonly required: string[];
  };
}

export const TOOLS: readonly PromptTool[] = [
  {
    name: 'get_weather',
    description: 'The weather in a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'The name of the city.' } },
      required: ['city'],
    },
  },
  {
    name: 'search',
    description: 'Searches the notes of the user.',
    parameters: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to look for.' } },
      required: ['query'],
    },
  },
];

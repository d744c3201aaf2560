import type { JsonObject } from '../shared/json.ts';

/** A scripted tool call with its result. */
export interface ScriptedCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly result: string;
  /** Whether the tool also returns a picture, if client and upstream support it. */
  readonly showsImage: boolean;
}

/** One response of the model: its reasoning, text and calls. */
export interface Step {
  readonly thought: string;
  readonly text: string | null;
  readonly calls: readonly ScriptedCall[];
}

const NAME = 'get_weather';

/** One call, then two parallel calls of the same tool, then the text: any mix-up on the way is detected. */
export const STEPS: readonly Step[] = [
  {
    thought: 'The user wants “Zürich” first.\n\nLet me call the tool — 天気 🌦️ \\"quoted\\" \u0007\t& <tags>.',
    text: 'I look at Zürich first.',
    calls: [{ name: NAME, args: { city: 'Zürich', unit: '°C' }, result: 'Zürich: 7 °C, "fog"', showsImage: false }],
  },
  {
    thought: 'Zürich is foggy. Now both others at once: Łódź & São Paulo \u{1F9EE}\u200d\u2028 done.',
    text: null,
    calls: [
      { name: NAME, args: { city: 'Łódź', days: 2 }, result: 'Łódź: 3 °C \\ sleet', showsImage: true },
      { name: NAME, args: { city: 'São Paulo', tags: ['a"b', null] }, result: 'São Paulo: 24 °C 🌤️', showsImage: false },
    ],
  },
  { thought: 'All three are known.', text: 'Zürich 7 °C, Łódź 3 °C, São Paulo 24 °C.', calls: [] },
];

export const SYSTEM = 'You are a meteorologist.';

/** Returns a prompt with the loop's name, the only mark that every format carries to the upstream. */
export function promptOf(loop: string): string {
  return `How is the weather in three cities? (loop:${loop})`;
}

export function loopIn(body: string): string | null {
  return /\(loop:([\w-]+)\)/.exec(body)?.[1] ?? null;
}

export const TOOL = {
  name: NAME,
  description: 'The weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city'],
  },
} as const;

/** A PNG of one red pixel. */
export const IMAGE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** The model's actions: the same for every agent, with the agent's own tools. */
export const PATCH = [
  '*** Begin Patch',
  '*** Update File: src/größe.ts',
  '@@',
  '-const path = "C:\\\\old";',
  '+const path = "C:\\\\new"; // 🧮 \u2028 done',
  '*** End Patch',
].join('\n');

export const LAST_WORDS = 'Fixed: the path is “C:\\new” now. 🧮';

/** One response of the model: a call or text. */
export type Step =
  | {
      /** The agent's name of the tool; an upstream may have another one. */
      readonly tool: string;
      /** Arguments, or the text of a freeform tool. */
      readonly input: Readonly<Record<string, unknown>> | string;
    }
  | { readonly text: string };

/** A PNG of one red pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

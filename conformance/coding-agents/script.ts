/** What the model does: the same for every agent, in the agent's own tools. */
export const PATCH = [
  '*** Begin Patch',
  '*** Update File: src/größe.ts',
  '@@',
  '-const path = "C:\\\\old";',
  '+const path = "C:\\\\new"; // 🧮 \u2028 done',
  '*** End Patch',
].join('\n');

export const LAST_WORDS = 'Fixed: the path is “C:\\new” now. 🧮';

/** One answer of the model: a call, or text. */
export type Step =
  | {
      /** The tool's name as the agent knows it; an upstream may know it by another. */
      readonly tool: string;
      /** Arguments, or the text of a freeform tool. */
      readonly input: Readonly<Record<string, unknown>> | string;
    }
  | { readonly text: string };

/** A PNG of one red point. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/* The examples of docs/guides. */

export const LANGUAGES = ['sh', 'python', 'ts'] as const;
export type Language = (typeof LANGUAGES)[number];

export interface Example {
  readonly guide: string;
  readonly line: number;
  readonly language: Language;
  readonly code: string;
  /** Texts that the output must contain. */
  readonly expected: readonly string[];
  /** The reason why it is not run; `null` if it is. */
  readonly notRun: string | null;
}

const GUIDES = path.join(import.meta.dir, '../../docs/guides');
/** A code block with the comments directly above it. */
const BLOCK = /((?:^<!-- .* -->\n)*)^```(\w+)\n([\s\S]*?)^```$/gm;

export function guideNames(): readonly string[] {
  return readdirSync(GUIDES)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length));
}

/**
 * Returns the examples of a guide. Above each code block, comments state what its output must contain (`<!-- expect: … -->`, repeatable) or
 * why it cannot be run (`<!-- not run: … -->`).
 */
export function examplesOf(
  guide: string,
  markdown = readFileSync(path.join(GUIDES, `${guide}.md`), 'utf8'),
): Example[] {
  return [...markdown.matchAll(BLOCK)].flatMap((match) => {
    const [, comments = '', fence = '', code = ''] = match;
    const language = LANGUAGES.find((one) => one === fence);
    if (language === undefined) return [];
    const line = markdown.slice(0, match.index + comments.length).split('\n').length;
    const said = (word: string) =>
      [...comments.matchAll(new RegExp(`^<!-- ${word}: (.*) -->$`, 'gm'))].map(([, text = '']) => text);
    const expected = said('expect');
    const [notRun = null] = said('not run');
    if ((expected.length === 0) === (notRun === null))
      throw new Error(`${guide}.md:${line}: a comment above the block has to say \`expect: …\` or \`not run: …\``);
    return [{ guide, line, language, code, expected, notRun }];
  });
}
